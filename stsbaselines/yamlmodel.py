"""Reading a YAML file into a pydantic model, with errors that name file, line and key."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from yaml.constructor import ConstructorError

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown, suggestion
from stsbaselines.files import open_to_read

LARGEST_FILE = 1 << 18
MOST_VALUES = 100_000
LONGEST_NUMBER = 1_000  # digits
_NOT_YAML = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]

# What pydantic expected, by its type of error, where its own words are those of programmers.
_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "keys and values",
    "string_pattern_mismatch": "a name that fits {pattern}",
    "string_type": "text",
    "too_short": "a list of at least {min_length}",
}


class Entry(BaseModel):
    """A part of a file: its keys are those of the class, and it does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Loader(yaml.SafeLoader):
    """The safe loader, which moreover refuses a key that stands twice, or is no text."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ConstructorError(None, None, "a key that is no text", key.start_mark)
            if key.value in seen:
                problem = f"the key {key.value!r} twice"
                raise ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """Refuse what Python would not show in an error: hexadecimal digits have no limit."""
        if len(node.value) > LONGEST_NUMBER:
            problem = f"a number of {len(node.value):,} digits"
            raise ConstructorError(None, None, problem, node.start_mark)
        return int(super().construct_yaml_int(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def read_model(path: Path, model: type[Model]) -> Model:
    """Read the YAML file `path` as a `model`.

    Parameters
    ----------
    path : Path
    model : class
        A subclass of pydantic's `BaseModel`.

    Returns
    -------
    An instance of `model`.

    Raises
    ------
    InputError
        If it is not YAML, is over 256 KiB, or does not fit the model: each fault is named with
        its line, and an unknown key with the key that was probably meant.
    """
    with open_to_read(path) as stream:
        raw = stream.read(LARGEST_FILE + 1)
    if len(raw) > LARGEST_FILE:
        raise InputError([Fault(str(path), "over 256 KiB", "a smaller file")])
    line: int | None
    try:
        loader = _Loader(raw.decode("utf-8"))
        node = loader.get_single_node()
        if _values_in(node, {}) > MOST_VALUES:
            found = f"over {MOST_VALUES:,} values, with those that aliases stand for"
            raise InputError([Fault(str(path), found, "fewer")])
        content = None if node is None else loader.construct_document(node)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError([Fault(str(path), "bytes that are not UTF-8", "YAML", line)]) from None
    except yaml.reader.ReaderError as error:
        line = raw.decode("utf-8").count("\n", 0, error.position) + 1
        found = f"the character {chr(error.character)!a}"
        raise InputError([Fault(str(path), found, "YAML", line)]) from None
    except InputError:
        raise
    except RecursionError:
        raise InputError([Fault(str(path), "values nested too deeply", "YAML")]) from None
    except _NOT_YAML as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        found = str(getattr(error, "problem", None) or "a fault").removeprefix("found ")
        raise InputError([Fault(str(path), found, "YAML", line)]) from None
    if not isinstance(content, dict):
        found = "nothing" if content is None else shown(str(content))
        raise InputError([Fault(str(path), found, "keys and values")])
    try:
        return model.model_validate(content)
    except ValidationError as error:
        faults = _faults(path, error, node, model)
        raise InputError(list(islice(faults, SHOWN_FAULTS))) from None


def _values_in(node: yaml.Node | None, counted: dict[int, int]) -> int:
    """Return how many values a node stands for; over `MOST_VALUES` if it is within itself."""
    if not isinstance(node, yaml.CollectionNode):
        return 1
    if id(node) not in counted:
        counted[id(node)] = MOST_VALUES
        parts = node.value if isinstance(node, yaml.SequenceNode) else [*chain(*node.value)]
        counted[id(node)] = 1 + sum(_values_in(part, counted) for part in parts)
    return counted[id(node)]


def _faults(
    path: Path, error: ValidationError, node: yaml.Node | None, model: type[BaseModel]
) -> Iterator[Fault]:
    for detail in error.errors(include_url=False):
        location: Location = detail["loc"]
        key = ".".join(str(part) for part in location)
        line = _line_of(node, location)
        if detail["type"] == "extra_forbidden":
            known = _model_at(model, location).model_fields
            hint = suggestion(str(location[-1]), known) or ", which has no meaning there"
            yield Fault(str(path), f"key {key!r}{hint}", "a known key", line)
        elif detail["type"] == "missing":
            yield Fault(str(path), f"no key {key!r}", "this key", line)
        else:
            found = f"{key}: {shown(str(detail['input']))}"
            yield Fault(str(path), found, _expected(detail), line)


def _expected(detail: ErrorDetails) -> str:
    words = _EXPECTED.get(detail["type"])
    if words is not None:
        return words.format(**detail.get("ctx", {}))
    return detail["msg"].removeprefix("Input should be ").removeprefix("Value error, ")


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel]:
    """Return the model that the key at `location` belongs to."""
    for part in location[:-1]:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(_models_in(field.annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    is_class = get_origin(annotation) is None and isinstance(annotation, type)
    if is_class and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _line_of(node: yaml.Node | None, location: Location) -> int | None:
    """Return the line of the deepest YAML node on the way to `location`."""
    line = node.start_mark.line + 1 if node else None
    for part in location:
        if isinstance(node, yaml.MappingNode):
            entry = next(((k, v) for k, v in node.value if k.value == part), None)
            if entry is None:
                break
            line, node = entry[0].start_mark.line + 1, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            if part >= len(node.value):
                break
            node = node.value[part]
            line = node.start_mark.line + 1
    return line
