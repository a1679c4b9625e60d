"""What a text says, by a CoreNLP server, spoken to directly: no package is needed for that."""

from __future__ import annotations

import contextlib
import functools
import json
import re
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import quote, urlencode, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.text.annotation import (
    DATE_KIND,
    Annotation,
    Mention,
    Reader,
    annotation_of,
    one_line,
    verbs_of,
)
from stsbaselines.text.dates import LATEST, Years

DEFAULT_URL = "http://localhost:9000"
SECONDS = 300  # the first request waits until the server has loaded its models
_CONNECTIONS: dict[str, type[HTTPConnection]] = {"http": HTTPConnection, "https": HTTPSConnection}
_QUERY = urlencode(
    {
        "properties": json.dumps(
            {"annotators": "tokenize,ssplit,pos,lemma,ner", "outputFormat": "json"}
        )
    }
)
_HEADERS = {"Content-Type": "application/x-www-form-urlencoded;charset=utf-8"}
_EXPECTED = "the JSON of a CoreNLP server (3.9.2 or later)"
_YEAR = re.compile(r"(-?)([0-9]{2}(?:[0-9]{2}|[0-9]X|XX))(?![0-9X])")


class _Span(BaseModel):
    model_config = ConfigDict(strict=True)

    start: int = Field(alias="characterOffsetBegin")
    end: int = Field(alias="characterOffsetEnd")


class _Token(_Span):
    pos: str


class _Entity(_Span):
    ner: str
    normalized: str | None = Field(default=None, alias="normalizedNER")


class _Sentence(BaseModel):
    tokens: list[_Token]
    entitymentions: list[_Entity]


class _Reply(BaseModel):
    sentences: list[_Sentence]


def reader(url: str) -> Reader:
    """Return the reader that asks the server at `url`.

    Raises
    ------
    InputError
        If that is not the address of a server.
    """
    _connection(url).close()
    return functools.partial(_annotate, url)


def _connection(url: str) -> HTTPConnection:
    """Return a connection, not opened yet, to the server at `url`."""
    with contextlib.suppress(HTTPException, ValueError):
        parts = urlsplit(url)
        if parts.scheme in _CONNECTIONS and parts.hostname:
            return _CONNECTIONS[parts.scheme](parts.hostname, parts.port, timeout=SECONDS)
    raise InputError([Fault(f"corenlp:{url}", shown(url), f"a URL such as {DEFAULT_URL}")])


def _annotate(url: str, texts: list[str]) -> Iterator[Annotation]:
    for text in texts:
        yield _annotation(url, text, _parsed(url, _reply(url, text.strip())))


def _reply(url: str, text: str) -> bytes:
    """Return what the server replies to a text.

    The text is percent-encoded since CoreNLP before 4.0 decodes it whatever its type is.
    """
    connection = _connection(url)
    try:
        path = f"{urlsplit(url).path or '/'}?{_QUERY}"
        connection.request("POST", path, quote(text, safe=""), _HEADERS)
        response = connection.getresponse()
        content = response.read()
    except (OSError, HTTPException, ValueError) as error:
        raise InputError(
            f"no CoreNLP server answers at {url} ({one_line(error)}); one is started by "
            "`java -mx4g -cp '*' edu.stanford.nlp.pipeline.StanfordCoreNLPServer` "
            "in the folder of CoreNLP"
        ) from None
    finally:
        connection.close()
    if response.status != 200:
        found = f"status {response.status}, {shown(content, longest=200)}"
        raise InputError([Fault(url, found, _EXPECTED)])
    return content


def _parsed(url: str, content: bytes) -> _Reply:
    try:
        return _Reply.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        found = f"{first['msg']} at {place}" if place else f"{shown(content)} ({first['msg']})"
        raise InputError([Fault(url, found, _EXPECTED)]) from None


def _annotation(url: str, text: str, reply: _Reply) -> Annotation:
    """Return what the reply to a text, without the blanks around it, says."""
    place_in_text = functools.partial(_place, url, _places(text))
    words: list[str] = []
    tags: list[str] = []
    mentions: list[Mention] = []
    for sentence in reply.sentences:
        pronouns = {(token.start, token.end) for token in sentence.tokens if token.pos[:3] == "PRP"}
        for token in sentence.tokens:
            start, end = place_in_text(token)
            words.append(text[start:end])
            tags.append(token.pos)
        for entity in sentence.entitymentions:
            if (entity.start, entity.end) not in pronouns:
                years = timex_years(entity.normalized or "") if entity.ner == DATE_KIND else None
                mentions.append(Mention(entity.ner, *place_in_text(entity), years))
    return annotation_of(text, words, verbs_of(words, tags), mentions)


def _places(text: str) -> list[int]:
    """Return the places in `text` of the UTF-16 units, which CoreNLP counts, of what was sent."""
    before = len(text) - len(text.lstrip())
    sent = text.strip()
    units = [
        before + place
        for place, letter in enumerate(sent)
        for _ in range(2 if letter > "\uffff" else 1)
    ]
    return [*units, before + len(sent)]


def _place(url: str, places: list[int], span: _Span) -> tuple[int, int]:
    if not 0 <= span.start < span.end < len(places):
        found = f"a place in the text from {span.start} to {span.end}"
        expected = f"one in its {len(places) - 1:,} characters"
        raise InputError([Fault(url, found, expected)])
    return places[span.start], places[span.end]


def timex_years(value: str) -> Years | None:
    """Return the years of a normalised date, as CoreNLP writes them.

    Parameters
    ----------
    value : str
        ISO 8601 with ``X`` for unknown digits; two of them with ``/`` between are a range.

    Returns
    -------
    Years or None
        None if the year is not known, as of ``PRESENT_REF``, ``XXXX-05`` or ``P2Y``, or is
        after the latest one that our own rules know.

    Examples
    --------
    >>> timex_years("190X") == Years(1900, 1909), timex_years("1905-07/1911") == Years(1905, 1911)
    (True, True)
    """
    years: list[int] = []
    for end in value.split("/"):
        year = _YEAR.match(end)
        if year is None:
            return None
        years += [int(year[1] + year[2].replace("X", digit)) for digit in "09"]
    return Years(min(years), max(years)) if max(years) <= LATEST else None
