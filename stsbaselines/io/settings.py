"""Read settings: YAML and JSON files into pydantic models, and the values of options.

Plain values are those of the core schema of YAML 1.2: ``1e-2`` is a number, ``012`` is twelve, and
``yes``, ``1:30`` and ``2012-01-31`` are text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from yaml.constructor import ConstructorError

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown, suggestion
from stsbaselines.io.files import LARGEST_NUMBER, open_to_read

LARGEST_MODEL = 1 << 18
MOST_VALUES = 100_000

_TAG = "tag:yaml.org,2002:"
_PLAIN = {
    "null": re.compile(r"(?:~|null|Null|NULL|)\Z"),
    "bool": re.compile(r"(?:true|True|TRUE|false|False|FALSE)\Z"),
    "int": re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)\Z"),
    "float": re.compile(
        r"(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
        r"|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))\Z"
    ),
}

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]

# What pydantic expects, by type of error, where its own words are those of programmers.
_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "less_than_equal": "a number of at most {le:,}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "keys and values",
    "string_pattern_mismatch": "a name that fits {pattern}",
    "string_type": "text",
    "too_short": "a list of at least {min_length}",
}


def plain_value(text: str) -> Any:
    """Return the number, truth value or None that a plain text is in YAML 1.2, or else the text.

    OverflowError is raised for a number whose absolute value is above 1e308.

    Examples
    --------
    >>> [plain_value(text) for text in ("1e-2", "012", "0x1f", "true", "yes", "1:30")]
    [0.01, 12, 31, True, 'yes', '1:30']
    """
    kind = next((kind for kind, pattern in _PLAIN.items() if pattern.match(text)), "")
    if kind == "null":
        return None
    if kind == "bool":
        return text.lower() == "true"
    if kind == "":
        return text
    is_decimal = text[:2] not in ("0o", "0x")
    number = float(text.lower().replace(".inf", "inf").replace(".nan", "nan")) if is_decimal else 0
    if kind == "int" and not math.isinf(number):  # of more digits, int makes no number
        number = int(text, 10 if is_decimal else 0)
    if abs(number) > LARGEST_NUMBER and not text.lower().endswith(".inf"):
        raise OverflowError(f"the number {text[:20]}{'...' if len(text) > 20 else ''}")
    return number


class Entry(BaseModel):
    """A part of a file: it has no other keys than those of its class, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Loader(yaml.SafeLoader):
    """The safe loader with plain values of YAML 1.2; a key is text, and occurs once."""

    # By the first character of a value; None is for all.
    yaml_implicit_resolvers = {None: [(_TAG + kind, each) for kind, each in _PLAIN.items()]}  # noqa: RUF012 - as declared by PyYAML

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ConstructorError(None, None, "a key that is no text", key.start_mark)
            if key.value in seen:
                problem = f"the key {key.value!r} twice"
                raise ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
            key.tag = _TAG + "str"
        return super().construct_mapping(node, deep)

    def construct_plain(self, node: yaml.ScalarNode) -> Any:
        try:
            return plain_value(node.value)
        except OverflowError as error:
            expected = "a number up to 1e308"
            raise ConstructorError(None, None, str(error), node.start_mark, expected) from None


for _kind in _PLAIN:
    _Loader.add_constructor(_TAG + _kind, _Loader.construct_plain)


def read_model(path: Path, model: type[Model]) -> Model:
    """Read a YAML or JSON file of up to 256 KiB as a pydantic `model`.

    InputError names each fault with its line, and the known key that an unknown one resembles.
    """
    with open_to_read(path) as stream:
        raw = stream.read(LARGEST_MODEL + 1)
    if len(raw) > LARGEST_MODEL:
        raise InputError([Fault(str(path), "over 256 KiB", "a smaller file")])
    try:
        loader = _Loader(raw.decode("utf-8"))
        node = loader.get_single_node()
        is_too_large = _values_in(node, {}) > MOST_VALUES
        content = loader.construct_document(node) if node and not is_too_large else None
    except Exception as error:  # PyYAML raises many kinds for odd tags
        raise InputError([_fault_of_yaml(path, raw, error)]) from None
    if is_too_large:
        found = f"over {MOST_VALUES:,} values, with those that aliases stand for"
        raise InputError([Fault(str(path), found, "fewer")])
    if not isinstance(content, dict):
        raise InputError([Fault(str(path), _found(content, node), "keys and values")])
    try:
        return model.model_validate(content)
    except ValidationError as error:
        faults = _faults_of_model(path, error, node, model)
        raise InputError(list(islice(faults, SHOWN_FAULTS))) from None


def _fault_of_yaml(path: Path, raw: bytes, error: Exception) -> Fault:
    if isinstance(error, UnicodeDecodeError):
        line = raw.count(b"\n", 0, error.start) + 1
        return Fault(str(path), "bytes that are not UTF-8", "YAML", line)
    if isinstance(error, yaml.reader.ReaderError):
        line = raw.decode("utf-8").count("\n", 0, error.position) + 1
        return Fault(str(path), f"the character {chr(error.character)!a}", "YAML", line)
    if isinstance(error, RecursionError):
        return Fault(str(path), "values nested too deeply", "YAML")
    mark = getattr(error, "problem_mark", None)
    found = str(getattr(error, "problem", None) or "a fault")
    found = found.removeprefix("but ").removeprefix("found ")
    expected = getattr(error, "note", None) or "YAML"
    return Fault(str(path), found, expected, mark.line + 1 if mark else None)


def _values_in(node: yaml.Node | None, counted: dict[int, int]) -> int:
    """Return how many values a node stands for, also by aliases; too many if it contains itself."""
    if not isinstance(node, yaml.CollectionNode):
        return 1
    if id(node) not in counted:
        counted[id(node)] = MOST_VALUES
        parts = node.value if isinstance(node, yaml.SequenceNode) else [*chain(*node.value)]
        counted[id(node)] = 1 + sum(_values_in(part, counted) for part in parts)
    return counted[id(node)]


def _faults_of_model(
    path: Path, error: ValidationError, node: yaml.Node | None, model: type[BaseModel]
) -> Iterator[Fault]:
    for detail in error.errors(include_url=False):
        location: Location = detail["loc"]
        key = ".".join(str(part) for part in location)
        line, there = _node_at(node, location)
        if detail["type"] == "extra_forbidden":
            known = _model_at(model, location).model_fields
            hint = suggestion(str(location[-1]), known) or ", which has no meaning there"
            yield Fault(str(path), f"key {key!r}{hint}", "a known key", line)
        elif detail["type"] == "missing":
            yield Fault(str(path), f"no key {key!r}", "this key", line)
        else:
            expected = detail["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
            if detail["type"] in _EXPECTED:
                expected = _EXPECTED[detail["type"]].format(**detail.get("ctx", {}))
            value = detail["input"]
            if detail["type"] == "string_type" and isinstance(there, yaml.ScalarNode):
                expected += "" if value is None else f', such as "{there.value[:40]}"'
            yield Fault(str(path), f"{key}: {_found(value, there)}", expected, line)


def _found(value: object, node: yaml.Node | None) -> str:
    """Return what a value is and, if it is no text, how it is written."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        return "keys and values"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str) or not isinstance(node, yaml.ScalarNode):
        return shown(str(value))
    kind = "value" if isinstance(value, bool) else "number"
    return f"the {kind} {shown(node.value)[1:-1]}"


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel]:
    """Return the model that the key at `location` belongs to."""
    for part in location[:-1]:
        if field := model.model_fields.get(str(part)):
            model = next(_models_in(field.annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    parts = get_args(annotation)
    if not parts and isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in parts:
        yield from _models_in(part)


def _node_at(node: yaml.Node | None, location: Location) -> tuple[int | None, yaml.Node | None]:
    """Return the YAML node at `location`, if there is one, and the line of the last one there."""
    line = node.start_mark.line + 1 if node else None
    for part in location:
        found: list[Any] = []
        if isinstance(node, yaml.MappingNode):
            if isinstance(part, int):  # a single entry in the place of a list
                continue
            found = [(key, value) for key, value in node.value if key.value == part]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            found = [(value, value) for value in node.value[part : part + 1]]
        if not found:
            return line, None
        key, node = found[0]
        line = key.start_mark.line + 1
    return line, node
