"""Settings: YAML and JSON into models, and the values of options."""

from __future__ import annotations

import itertools
import json
import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field

from stsbaselines.errors import InputError
from stsbaselines.io.files import to_json
from stsbaselines.io.settings import Entry, plain_value, read_model
from tests.helpers import at_most


def refusal(read: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as error:
        read()
    return str(error.value)


class Part(Entry):
    name: str = Field(pattern="^[a-z]+$")
    sizes: list[int] = Field(min_length=2)


class Whole(Entry):
    title: str
    share: float = Field(default=0.5, gt=0, strict=True)
    parts: list[Part] = Field(default_factory=list)
    more: dict[str, Any] = Field(default_factory=dict)


def model_of(content: str | bytes) -> Whole:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "whole.yaml")
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_model(path, Whole)


def test_yaml_and_json_become_a_model() -> None:
    expected = Whole(title="a", parts=[Part(name="b", sizes=[1, 2])], more={"c": {"d": None}})
    assert model_of(to_json(expected.model_dump())) == expected
    text = "title: a\nparts:\n  - {name: b, sizes: &s [1, 2]}\nmore: {c: {d: null}}\n"
    assert model_of(text) == expected
    assert model_of(text + "# \u00e9\n").model_copy(update={"more": {}}).title == "a"
    assert model_of("title: a\nmore: {x: &x [1], y: *x}\n").more == {"x": [1], "y": [1]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "whole.yaml: found nothing, expected keys and values"),
        ("[1]", "found a list of 1, expected keys and values"),
        ("012", "found the number 012, expected keys and values"),
        ("title: 012\n", 'line 1: found title: the number 012, expected text, such as "012"'),
        ("title: True\n", 'found title: the value True, expected text, such as "True"'),
        ("title:\n", "line 1: found title: nothing, expected text"),
        ("title: ~\n", "line 1: found title: nothing, expected text"),
        ("title: null\n", "line 1: found title: nothing, expected text"),
        ("title: a\n---\ntitle: b\n", "line 2: found another document, expected YAML"),
        ("title: [yes]\n", "line 1: found title: a list of 1, expected text"),
        ("title: {}\n", "line 1: found title: keys and values, expected text"),
        ("title: a\nshare:\n", "line 2: found share: nothing, expected a number"),
        ("title: a\nshare: yes\n", "line 2: found share: 'yes', expected a number"),
        ("title: a\nshare: 1:30\n", "line 2: found share: '1:30', expected a number"),
        ("title: a\nshare: 1_0\n", "line 2: found share: '1_0', expected a number"),
        ("title: a\nshare: true\n", "line 2: found share: the value true, expected a number"),
        ("title: a\nparts:\n- {name: b, sizes: [1, 1e-1]}\n", "sizes.1: the number 1e-1, exp"),
        ("title: a\nmore: {x: 1e999}\n", "found the number 1e999, expected a number up to"),
        (
            "title: a\nshare: 1" + "0" * 5000,
            f"found the number 1{'0' * 19}..., expected a",
        ),
        ("title: a\nshare: 1" + "0" * 310, "expected a number up to 1e308"),
        ("title: a\nmore: 0x" + "f" * 5000, "expected a number up to 1e308"),
        ("share: 1\n", "line 1: found no key 'title', expected this key"),
        ("title: a\nshare: 0\n", "line 2: found share: the number 0, expected a number above 0"),
        ("title: a\ntitel: b\n", "line 2: found key 'titel', did you mean 'title'?, expected a"),
        (
            "title: a\nparts:\n- {name: b, sizes: [1]}\n",
            "found parts.0.sizes: a list of 1, exp",
        ),
        ("title: a\nparts:\n- nam: b\n", "line 3: found key 'parts.0.nam', did you mean 'name'?"),
        ("title: a\nparts: 1\n", "line 2: found parts: the number 1, expected a list"),
        ("title: a\n title: b", "line 2: found mapping values are not allowed here"),
        ("title: a\ntitle: b", "line 2: found the key 'title' twice, expected YAML"),
        ("? [a]\n: b\n", "line 1: found a key that is no text"),
        (b"title: a\nshare: \xff\n", "line 2: found bytes that are not UTF-8, expected YAML"),
        ("title: a\nshare: \x07\n", "line 2: found the character '\\x07', expected YAML"),
        ("title: !!python/object/apply:os.mkdir [attacked]\n", "could not determine a constr"),
        ("title: !!set x\n", "found a fault, expected YAML"),
        ("title: " + "[" * 2000, "found values nested too deeply, expected YAML"),
        ("title: &a [*a]\n", "found over 100,000 values"),
        ("title: a\n" + "#" * (1 << 18), "found over 256 KiB, expected a smaller file"),
    ],
)
def test_what_does_not_fit_a_model_is_named(content: str | bytes, message: str) -> None:
    assert message in refusal(lambda: model_of(content))
    assert not Path("attacked").exists()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-2", 0.01),
        ("+1E+2", 100.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("012", 12),
        ("-09", -9),
        ("0o17", 15),
        ("0x1F", 31),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("1e308", 1e308),
        ("9" * 308, int("9" * 308)),
        ("True", True),
        ("FALSE", False),
        ("~", None),
        ("Null", None),
        *[(text, text) for text in ("yes", "No", "on", "off", "y", "1:30", "1:30.5", "1_000")],
        *[(text, text) for text in ("0b11", "2012-01-31", "1e", "e5", ".", "+", "nan", "Infinity")],
        *[(text, text) for text in ("<<", "=", "none", "None", "tRue", "1,5", "\u0661", "1\n")],
    ],
)
def test_plain_values_are_those_of_yaml_1_2(text: str, value: Any) -> None:
    found = plain_value(text)
    assert (type(found), found) == (type(value), value)
    if "\n" not in text:
        assert model_of(f"title: a\nmore:\n  x: {text}\n  {text}: y\n").more == {
            "x": value,
            text: "y",
        }
    assert model_of(f"title: {json.dumps(text)}\n").title == text


@given(st.floats(-1e308, 1e308) | st.integers(-(10**308), 10**308))
def test_written_numbers_are_read_as_they_are(number: float) -> None:
    assert plain_value(repr(number)) == number
    assert type(plain_value(json.dumps(number))) is type(number)


def test_aliases_that_stand_for_billions_of_values_are_refused() -> None:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for one, other in itertools.pairwise("abcdefghij"):
        rows.append(f"{other}: &{other} [{', '.join([f'*{one}'] * 9)}]")
    with at_most(60):
        assert "over 100,000 values" in refusal(lambda: model_of("\n".join(rows)))


def test_all_faults_are_listed() -> None:
    faults = refusal(lambda: model_of("titel: a\nshare: x\nparts: 1\n")).splitlines()
    assert [each.partition("line ")[2][:1] for each in faults] == ["1", "2", "3", "1"]


@settings(max_examples=50)
@given(st.binary(max_size=30) | st.text("title: a[]{}&*!-\n'\"|>%@", max_size=40).map(str.encode))
def test_anything_is_a_model_or_refused(content: bytes) -> None:
    try:
        assert isinstance(model_of(content), Whole)
    except InputError as error:
        assert "whole.yaml" in str(error)  # noqa: PT017
