"""Item records of cultural heritage, in their three formats."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.tasks import records
from stsbaselines.tasks.records import (
    FIELDS,
    Record,
    check_record,
    read_catalogue,
    read_record,
    record_of_json,
    record_of_text,
    record_of_xml,
    text_of,
    text_of_json,
    xml_of,
)
from tests.helpers import needs

MILL = Record(
    title=("The mill at Överby", "Kvarnen"),
    creator=("Berg, Anna",),
    subject=("mills", "rivers", "winter"),
    description=("A water mill, <1850 & later>.",),
    date=("1905",),
    source=("Album 12",),
)
MILL_TEXT = (
    "dcTitle:\tThe mill at Överby\tKvarnen\n"
    "dcCreator:\tBerg, Anna\n"
    "dcSubject:\tmills\trivers\twinter\n"
    "dcDescription:\tA water mill, <1850 & later>.\n"
    "dcDate:\t1905\n"
    "dcSource:\tAlbum 12\n"
)
BOMB = (
    '<!DOCTYPE record [<!ENTITY a "mill">'
    + "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in itertools.pairwise("abcdefg"))
    + "]><record><dcTitle>&g;</dcTitle></record>"
)
EXTERNAL = (
    '<!DOCTYPE record [<!ENTITY a SYSTEM "file:///etc/hostname">]>'
    "<record><dcTitle>&a;</dcTitle></record>"
)


def answer(*proxies: Any, **changes: Any) -> bytes:
    """Return an answer of the API."""
    content = {"apikey": "none", "success": True, "object": {"proxies": list(proxies)}, **changes}
    return json.dumps(content).encode()


def names_and_values(record: Record) -> dict[str, Any]:
    return {field: {"def": list(each)} for field, each in zip(FIELDS, record, strict=True)}


def any_record(values: st.SearchStrategy[str]) -> st.SearchStrategy[Record]:
    field = st.lists(values, max_size=3).map(tuple)
    return st.tuples(*[field] * len(FIELDS)).map(lambda fields: Record(*fields))


LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n"))
XML_TEXTS = st.text(
    st.one_of(
        st.characters(
            min_codepoint=32, exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"
        ),
        st.sampled_from("\t\r\n<>&'\"]"),
    )
)


# --- text files


def test_a_text_file() -> None:
    assert text_of(MILL).decode() == MILL_TEXT
    assert record_of_text(MILL_TEXT.encode(), "example") == MILL


def test_fields_without_values_have_no_line_and_newlines_become_blanks() -> None:
    record = Record(title=("one\ntwo\r\nthree\rfour",), source=("",))
    assert text_of(record) == b"dcTitle:\tone two three\rfour\ndcSource:\t\n"
    assert text_of(Record()) == b""


def test_lines_of_a_text_file_may_come_in_any_order() -> None:
    text = b"dcDate:\t1905\ndcTitle:\tThe mill"
    assert record_of_text(text, "example") == Record(title=("The mill",), date=("1905",))


@given(any_record(LINES).filter(any))
def test_a_text_file_gives_the_record_back(record: Record) -> None:
    assert record_of_text(text_of(record), "example") == record


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "1a.txt: found an empty file"),
        (b"\n", "1a.txt, line 1: found ''"),
        (b"dcTitle:\tMill\ndcDate 1905\n", "1a.txt, line 2: found 'dcDate 1905', expected a field"),
        (b"dcTitle:\n", "line 1: found 'dcTitle:'"),
        (b"dcTitle\tMill\n", "line 1: found 'dcTitle\\tMill'"),
        (b"dcTitel:\tMill\n", "found a field 'dcTitel'.*did you mean 'dcTitle'"),
        (b"dcDate:\t1905\ndcDate:\t1906\n", "line 2: found dcDate again"),
        (b"dcTitle:\tMill\ndcDate:\t\xff\n", "line 2: found byte 0xff, which is not UTF-8"),
    ],
)
def test_a_malformed_text_file(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("\\", "\\\\")):
        record_of_text(content, "1a.txt")


def test_all_faults_of_a_text_file_are_listed() -> None:
    with pytest.raises(InputError) as error:
        record_of_text(b"title:\tMill\ndcDate\n", "1a.txt")
    assert [str(each).split(":")[0] for each in error.value.faults] == [
        "1a.txt, line 1",
        "1a.txt, line 2",
    ]


# --- the API's answers


def test_an_answer() -> None:
    content = answer({**names_and_values(MILL), "dcRights": {"def": ["none"]}, "edmType": "IMAGE"})
    assert record_of_json(content, "example") == MILL
    assert text_of_json(content, "example").decode() == MILL_TEXT


def test_values_of_several_proxies_come_one_after_the_other() -> None:
    first = {"dcTitle": {"def": ["The mill"]}, "dcDate": {"def": ["1905"]}}
    second = {"dcTitle": {"def": ["Kvarnen"]}}
    record = record_of_json(answer(first, second), "example")
    assert record == Record(title=("The mill", "Kvarnen"), date=("1905",))


@pytest.mark.parametrize(
    "proxies",
    [
        [{}],
        [{"dcTitle": None}],
        [{"dcTitle": {}}],
        [{"dcTitle": {"def": None}}],
        [{"dcTitle": {"en": ["The mill"]}}],
        [{"dcTitle": {"def": []}}],
    ],
)
def test_an_answer_without_default_values(proxies: list[Any]) -> None:
    assert record_of_json(answer(*proxies), "example") == Record()


def test_an_answer_gives_the_record_of_its_text_file() -> None:
    content = answer({"dcTitle": {"def": ["one\ntwo\tthree\r\nfour"]}})
    record = record_of_json(content, "example")
    assert record == Record(title=("one two", "three four"))
    assert record == record_of_text(text_of(record), "example")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "1a.json: found text that is not JSON"),
        (b'{"success": true,\n', "1a.json, line 2: found text that is not JSON"),
        (b"\xff{}", "1a.json, line 1: found byte 0xff, which is not UTF-8"),
        (b"[]", "found a list at the answer, expected an object"),
        (b"{}", "found success nothing, expected the API's answer with success true"),
        (answer(success=False), "found success false"),
        (answer(success=1), "found success a number"),
        (answer(object=None), "found nothing at object, expected an object"),
        (answer(object={"proxies": {}}), "found an object at object.proxies, expected a list"),
        (answer({}, "mill"), r"found a text at proxies\[1\], expected an object"),
        (answer({"dcDate": ["1905"]}), r"found a list at proxies\[0\].dcDate, expected an object"),
        (answer({"dcDate": {"def": "1905"}}), r"found a text at proxies\[0\].dcDate.def"),
        (answer({"dcDate": {"def": [1905]}}), "found a number at .*expected a text"),
        (answer({"dcDate": {"def": ["19\0"]}}), "found a NUL or half a surrogate pair"),
        (answer({"dcDate": {"def": ["1" * (1 << 20) + "1"]}}), "found over 1 MiB"),
        (answer({"year": float("nan")}), "found NaN, expected JSON without it"),
        (b'{"success": true, "success": true}', "found the key 'success' twice"),
        (b"[" * 100_000 + b"]" * 100_000, "found JSON nested too deeply"),
        (b" " * (16 << 20) + b"{}", "found over 16 MiB"),
    ],
)
def test_a_malformed_answer(content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        record_of_json(content, "1a.json")


def test_a_very_long_number_in_an_answer_is_no_fault() -> None:
    content = answer({"year": 0}).replace(b'"year": 0', b'"year": ' + b"9" * 10_000)
    assert record_of_json(content, "example") == Record()


# --- XML files


def test_an_xml_file() -> None:
    content = xml_of(MILL)
    assert b"<dcTitle>Kvarnen</dcTitle>" in content
    assert b"<dcDescription>A water mill, &lt;1850 &amp; later&gt;.</dcDescription>" in content
    assert record_of_xml(content, "example") == MILL


@given(any_record(XML_TEXTS))
def test_an_xml_file_gives_the_record_back(record: Record) -> None:
    assert record_of_xml(xml_of(record), "example") == record


@pytest.mark.parametrize("character", ["\0", "\x0b", "\x1b", "\ufffe", "\ud800"])
def test_characters_that_xml_cannot_hold_are_replaced(character: str) -> None:
    content = xml_of(Record(title=(f"mi{character}ll",)))
    assert record_of_xml(content, "example") == Record(title=("mi\ufffdll",))


def test_comments_references_and_cdata_are_read() -> None:
    content = b"<record> <dcDate>1<!-- ? -->9<![CDATA[0]]>&#53;</dcDate></record>"
    assert record_of_xml(content, "example") == Record(date=("1905",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "1a.xml, line 1: found XML that is not well-formed"),
        ("<record>\n<dcDate>1905</record>", "line 2: found XML that is not well-formed"),
        ("<record><dcDate>\x0b</dcDate></record>", "not well-formed"),
        ("<record><dcDate>&mill;</dcDate></record>", "not well-formed .undefined entity"),
        ("<records/>", "found <records>, expected <record> here"),
        ("<record>\n<dcRights/></record>", "line 2: found <dcRights>, expected <dcTitle> or"),
        ("<record><dcDate><b>1</b></dcDate></record>", "found <b>, expected text alone here"),
        ("<record>mill</record>", "found text 'mill', expected text in the fields only"),
        ('<record id="1"/>', "found an attribute 'id', expected <record> without any"),
        (BOMB, "found a document type declaration"),
        (EXTERNAL, "found a document type declaration"),
        ("<record><dcDate>" + "1" * (1 << 20) + "1</dcDate></record>", "a value over 1 MiB"),
        ("<record>" * 10_000, "found <record>, expected <dcTitle> or"),
    ],
)
def test_a_malformed_xml_file(content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        record_of_xml(content.encode(), "1a.xml")


def test_an_xml_file_that_is_not_utf_8() -> None:
    with pytest.raises(InputError, match="line 1: found byte 0xff, which is not UTF-8"):
        record_of_xml(b"<record>\xff</record>", "1a.xml")


# --- all three


def test_a_record_without_any_field_is_refused(tmp_path: Path) -> None:
    for name, content in (("1a_1_2.json", answer()), ("1a_1_2.xml", xml_of(Record()))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="found none of the fields, expected a record with"):
            read_record(tmp_path / name)


def test_files_are_read_by_their_ending(tmp_path: Path) -> None:
    contents = {
        ".txt": text_of(MILL),
        ".json": answer(names_and_values(MILL)),
        ".xml": xml_of(MILL),
    }
    for ending, content in contents.items():
        path = tmp_path / f"1a_00001_A1{ending}"
        path.write_bytes(content)
        assert read_record(path) == MILL


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"found '1a.csv', expected a name in .txt"):
        read_record(tmp_path / "1a.csv")
    with pytest.raises(InputError, match="found nothing there"):
        read_record(tmp_path / "1a.txt")
    (tmp_path / "2a.txt").mkdir()
    with pytest.raises(InputError, match="found a directory"):
        read_record(tmp_path / "2a.txt")
    (tmp_path / "3a.txt").write_bytes(text_of(MILL))
    monkeypatch.setattr(records, "LARGEST_FILE", 10)
    with pytest.raises(InputError, match="found over 16 MiB"):
        read_record(tmp_path / "3a.txt")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("mill", "records.0.: found 'mill', expected a Record"),
        (Record(title="mill"), "title: found 'mill', expected a tuple of texts"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_record_is_refused(record: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_record(record, "records[0]")


# --- catalogues


def test_other_keys_of_a_catalogue_describe_a_thing(tmp_path: Path) -> None:
    things = tmp_path / "things.jsonl"
    things.write_text('{"id": 1, "title": "A cup", "medium": "silver", "subjects": ["tea", "tin"]}')
    cup = Record(title=("A cup",), subject=("tea", "tin"), description=("silver",))
    assert list(read_catalogue(things)) == [cup]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "found a list at the line, expected an object"),
        ('{"title": 1}', "found a number at title, expected text"),
        ('{"title": "a"', "expected a JSON object"),
        ('{"title": NaN}', "found NaN"),
        ('{"title": "\\ud800"}', "found a NUL or half a surrogate pair at title, expected text"),
        ('{"id": "1"}', "found no text, expected a record with text"),
        ("[" * 100_000, "found JSON nested too deeply, expected a JSON object"),
    ],
)
def test_a_malformed_catalogue_is_refused(tmp_path: Path, line: str, message: str) -> None:
    things = tmp_path / "things.jsonl"
    things.write_text('{"title": "A mill"}\n' + line + "\n")
    with pytest.raises(InputError) as error:
        list(read_catalogue(things))
    assert str(error.value).startswith(f"{things}, line 2: ")
    assert message in str(error.value)


@pytest.mark.official
def test_the_ten_trial_answers_give_the_ten_trial_text_files(official_data: Path) -> None:
    folder = official_data / "sts2013-typed-trial"
    needs(official_data, folder="sts2013-typed-trial")
    answers = sorted((folder / "json").iterdir())
    assert len(answers) == 10
    for path in answers:
        text = folder / "text" / f"{path.stem}.txt"
        record = read_record(path)
        assert text_of(record) == text.read_bytes()
        assert read_record(text) == record
        assert record_of_xml(xml_of(record), path.name) == record
