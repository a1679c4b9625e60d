"""Item records of cultural heritage (typed similarity, 2013): text, JSON and XML files.

The task's script asked the Europeana record API for each item and kept six fields of the answer.
A record is read from the text file it wrote, from the API's answer, or from our own XML.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import escape  # nosec B406  # writes, does not parse

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown, suggestion
from stsbaselines.io.files import lines_of, open_to_read

FIELDS = ("dcTitle", "dcCreator", "dcSubject", "dcDescription", "dcDate", "dcSource")
SUFFIXES = (".txt", ".json", ".xml")
LARGEST_FILE = 16 << 20
LONGEST_VALUE = 1 << 20
_ROOT = "record"
_NEWLINE = re.compile("\r?\n")
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NO_XML_CHARACTER = "\N{REPLACEMENT CHARACTER}"


class Record(NamedTuple):
    """An item's values of each field, in the order of `FIELDS`; ``()`` where it has none.

    Examples
    --------
    >>> Record(title=("The old bridge",), date=("1905", "ca. 1905")).date
    ('1905', 'ca. 1905')
    """

    title: tuple[str, ...] = ()
    creator: tuple[str, ...] = ()
    subject: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    date: tuple[str, ...] = ()
    source: tuple[str, ...] = ()


def check_record(record: object, place: str) -> None:
    """Raise InputError unless this is a record whose fields are tuples of texts."""
    if not isinstance(record, Record):
        raise InputError([Fault(place, repr(record)[:80], "a Record")])
    for field, values in record._asdict().items():
        if not isinstance(values, tuple) or not all(isinstance(each, str) for each in values):
            raise InputError([Fault(f"{place}.{field}", repr(values)[:80], "a tuple of texts")])


def read_record(path: Path) -> Record:
    r"""Read the record in a file: ``.txt``, ``.json`` (the API's answer) or ``.xml``.

    Raises
    ------
    InputError
        If its name ends differently, or it cannot be read, is over 16 MiB or is malformed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "1a_00001_A1.txt")
    ...     _ = path.write_bytes(b"dcTitle:\tThe old bridge\n")
    ...     read_record(path).title
    ('The old bridge',)
    """
    readers = dict(zip(SUFFIXES, (record_of_text, record_of_json, record_of_xml), strict=True))
    if path.suffix not in readers:
        raise InputError([Fault(str(path), shown(path.name), "a name in .txt, .json or .xml")])
    with open_to_read(path) as stream:
        content = stream.read(LARGEST_FILE + 1)
    record = readers[path.suffix](content, str(path))
    if not any(record):
        raise InputError([Fault(str(path), "none of the fields", "a record with at least one")])
    return record


def record_of_text(content: bytes, name: str) -> Record:
    """Read a text file of the task, which errors call `name`.

    It has one line per field: its name and a colon, then its values, each after a TAB.
    """
    _text_of_bytes(content, name)
    values: dict[str, list[str]] = {}
    faults: list[Fault | str] = []
    for number, line in lines_of(io.BytesIO(content), name):
        label, tab, rest = line.decode("utf-8").partition("\t")
        field = label.removesuffix(":")
        if not tab or field == label:
            faults.append(Fault(name, shown(line), "a field, ':', TAB and values", number))
        elif field not in FIELDS:
            known = f"one of {', '.join(FIELDS)}{suggestion(field, FIELDS)}"
            faults.append(Fault(name, f"a field {shown(field)}", known, number))
        elif field in values:
            faults.append(Fault(name, f"{field} again", "one line per field", number))
        else:
            values[field] = rest.split("\t")
        if len(faults) == SHOWN_FAULTS:
            break
    if faults:
        raise InputError(faults)
    return _record(values)


def read_catalogue(path: Path) -> Iterator[Record]:
    """Yield the records of a catalogue: a JSON object per line.

    The values of keys that are no fields of a record become part of its description.
    """
    with open_to_read(path) as stream:
        for number, line in lines_of(stream, str(path)):
            place = f"{path}, line {number}"
            content = _json_of(line, place, "a JSON object")
            entry = _expect(dict, content, "an object", "the line", place)
            values: dict[str, list[str]] = {field: [] for field in Record._fields}
            for key, value in entry.items():
                field = "subject" if key == "subjects" else key
                if key != "id":
                    target = values.get(field, values["description"])
                    texts = value if isinstance(value, list) else [value]
                    target += [_text(each, "text", key, place) for each in texts]
            if not any(values.values()):
                raise InputError([Fault(place, "no text", "a record with text")])
            yield Record(*map(tuple, values.values()))


def text_of(record: Record) -> bytes:
    """Return the text file of a record, as the task's script wrote it.

    Newlines and TABs in values become blanks; a field without values has no line.
    """
    lines = [
        "\t".join([f"{field}:", *(_one_line(v).replace("\t", " ") for v in values)]) + "\n"
        for field, values in zip(FIELDS, record, strict=True)
        if values
    ]
    return "".join(lines).encode("utf-8")


def text_of_json(content: bytes, name: str) -> bytes:
    """Return the text file of the API's answer: `text_of` of `record_of_json`."""
    return text_of(record_of_json(content, name))


def record_of_json(content: bytes, name: str) -> Record:
    """Read the API's answer: of each proxy, the values under ``def`` of each field.

    Like the task's script, it ignores values in other languages than ``def``. Newlines become
    blanks and a TAB separates two values, so that the record is that of its text file.
    """
    answer = _expect(dict, _json_of(content, name), "an object", "the answer", name)
    if answer.get("success") is not True:
        found = f"success {_json_shown(answer.get('success'))}"
        raise InputError([Fault(name, found, "the API's answer with success true")])
    item = _expect(dict, answer.get("object"), "an object", "object", name)
    proxies = _expect(list, item.get("proxies", []), "a list", "object.proxies", name)
    values: dict[str, list[str]] = {field: [] for field in FIELDS}
    for number, each in enumerate(proxies):
        place = f"proxies[{number}]"
        proxy = _expect(dict, each, "an object", place, name)
        for field in FIELDS:
            values[field] += _default_values(proxy.get(field), f"{place}.{field}", name)
    return _record(values)


def _default_values(content: Any, place: str, name: str) -> Iterator[str]:
    if content is None:
        return
    values = _expect(dict, content, "an object", place, name).get("def")
    if values is None:
        return
    place = f"{place}.def"
    for value in _expect(list, values, "a list of texts", place, name):
        text = _text(value, "a text", place, name)
        if len(text) > LONGEST_VALUE:
            raise InputError([Fault(name, f"over 1 MiB at {place}", "a shorter value")])
        yield from _one_line(text).split("\t")


def xml_of(record: Record) -> bytes:
    """Return an XML file of a record; the task's baseline made one per item.

    A character that XML cannot hold (most control characters) becomes U+FFFD.
    """
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<{_ROOT}>"]
    for field, values in zip(FIELDS, record, strict=True):
        for value in values:
            text = escape(_NOT_XML.sub(_NO_XML_CHARACTER, value), {"\r": "&#13;"})
            lines.append(f"<{field}>{text}</{field}>")
    return "\n".join([*lines, f"</{_ROOT}>", ""]).encode("utf-8")


def record_of_xml(content: bytes, name: str) -> Record:
    """Read the XML file of a record, as `xml_of` writes it."""
    if "<!DOCTYPE" in _text_of_bytes(content, name):
        raise InputError([Fault(name, "a document type declaration", "XML without one")])
    reader = _XmlReader(name)
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError as error:
        found = f"XML that is not well-formed ({expat.ErrorString(error.code)})"
        raise InputError([Fault(name, found, "an XML record", error.lineno)]) from None
    return _record(reader.values)


class _XmlReader:
    """Handlers for the parser, and the values that they have received."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.values: dict[str, list[str]] = {}
        self.open: list[str] = []
        self.pieces: list[str] = []
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        known = [(_ROOT,), FIELDS, ()][len(self.open)]
        if element not in known:
            expected = " or ".join(f"<{each}>" for each in known) or "text alone"
            self._refuse(f"<{shown(element)[1:-1]}>", f"{expected} here")
        if attributes:
            self._refuse(f"an attribute {shown(min(attributes))}", f"<{element}> without any")
        self.open.append(element)
        self.pieces = []

    def _characters(self, text: str) -> None:
        if len(self.open) == 2:
            self.pieces.append(text)
        elif text.strip(" \t\r\n"):
            self._refuse(f"text {shown(text.strip())}", "text in the fields only")

    def _end(self, element: str) -> None:
        if element != _ROOT:
            value = "".join(self.pieces)
            if len(value) > LONGEST_VALUE:
                self._refuse("a value over 1 MiB", "a shorter value")
            self.values.setdefault(element, []).append(value)
        self.open.pop()

    def _refuse(self, found: str, expected: str) -> NoReturn:
        raise InputError([Fault(self.name, found, expected, self.parser.CurrentLineNumber)])


def _record(values: dict[str, list[str]]) -> Record:
    return Record(*(tuple(values.get(field, ())) for field in FIELDS))


def _one_line(value: str) -> str:
    return _NEWLINE.sub(" ", value)


def _text_of_bytes(content: bytes, name: str) -> str:
    if len(content) > LARGEST_FILE:
        raise InputError([Fault(name, "over 16 MiB", "a smaller file")])
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"byte {content[error.start]:#04x}, which is not UTF-8"
        raise InputError([Fault(name, found, "text in UTF-8", line)]) from None


def _json_of(content: bytes, name: str, expected: str = "the API's answer") -> Any:
    """Read JSON in UTF-8 that repeats no key and has no NaN; errors call it `name`."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise InputError([Fault(name, f"the key {shown(key)} twice", "each key once")])
            found[key] = value
        return found

    def no_number(constant: str) -> NoReturn:
        raise InputError([Fault(name, constant, "JSON without it")])

    text = _text_of_bytes(content, name)
    try:
        return json.loads(text, object_pairs_hook=once, parse_int=float, parse_constant=no_number)
    except json.JSONDecodeError as error:
        found = f"text that is not JSON ({error.msg})"
        line = error.lineno if "\n" in text else None
        raise InputError([Fault(name, found, expected, line)]) from None
    except RecursionError:
        raise InputError([Fault(name, "JSON nested too deeply", expected)]) from None


def _json_shown(content: Any) -> str:
    """Return what kind of value JSON has, for error messages."""
    kinds = {dict: "an object", list: "a list", str: "a text", type(None): "nothing"}
    if isinstance(content, bool):
        return "true" if content else "false"
    return kinds.get(type(content), "a number")


def _expect(kind: type, found: Any, expected: str, place: str, name: str) -> Any:
    if not isinstance(found, kind):
        raise InputError([Fault(name, f"{_json_shown(found)} at {place}", expected)])
    return found


def _text(found: Any, expected: str, place: str, name: str) -> str:
    text: str = _expect(str, found, expected, place, name)
    if _NOT_TEXT.search(text):
        raise InputError([Fault(name, f"a NUL or half a surrogate pair at {place}", "text")])
    return text
