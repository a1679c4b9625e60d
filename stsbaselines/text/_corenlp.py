"""Annotations by a CoreNLP server, through the client that comes with Stanza."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.text.annotation import (
    Annotation,
    Mention,
    Reader,
    annotation_of,
    extra_package,
    one_line,
    verbs_of,
)
from stsbaselines.text.dates import LATEST, Years

DEFAULT_URL = "http://localhost:9000"
MILLISECONDS = 150_000  # the client waits twice as long: the first request loads the models
_ANNOTATORS = "tokenize,ssplit,pos,lemma,ner"
_YEAR = re.compile(r"(-?)([0-9]{2}(?:[0-9]{2}|[0-9]X|XX))(?![0-9X])")


def reader(url: str) -> Reader:
    """Return the reader that asks the server at `url`, which must be running."""
    if not url.startswith(("http://", "https://")):
        raise InputError([Fault(f"corenlp:{url}", shown(url), f"a URL such as {DEFAULT_URL}")])
    server = extra_package("stanza.server", "corenlp")
    client = server.CoreNLPClient(
        start_server=server.StartServer.DONT_START,
        endpoint=url,
        annotators=_ANNOTATORS,
        output_format="json",
        timeout=MILLISECONDS,
    )
    return functools.partial(_annotate, client, server.AnnotationException)


def _annotate(client: Any, failure: type[Exception], texts: list[str]) -> Iterator[Annotation]:
    for text in texts:
        try:
            reply = client.annotate(text.strip())
        except (failure, ValueError) as error:
            raise InputError(
                f"no CoreNLP server answers at {client.endpoint} ({one_line(error)}); start one by "
                "`java -mx4g -cp '*' edu.stanford.nlp.pipeline.StanfordCoreNLPServer` in the "
                "folder of CoreNLP"
            ) from None
        try:
            yield _annotation(text, reply)
        except (KeyError, TypeError, ValueError, AttributeError):
            expected = "the JSON of a CoreNLP server (3.9.2 or later)"
            raise InputError([Fault(client.endpoint, shown(str(reply)), expected)]) from None


def _annotation(text: str, reply: Mapping[str, Any]) -> Annotation:
    """Return the annotation of a text; the reply is on the text without the blanks around it."""
    before = len(text) - len(text.lstrip())
    units = text.strip().encode("utf-16-le")  # CoreNLP counts units of two bytes

    def place(span: Mapping[str, Any]) -> tuple[int, int]:
        ends = (span["characterOffsetBegin"], span["characterOffsetEnd"])
        start, end = (before + len(units[: 2 * unit].decode("utf-16-le")) for unit in ends)
        return start, end

    tokens = [token for sentence in reply["sentences"] for token in sentence["tokens"]]
    entities = [name for sentence in reply["sentences"] for name in sentence["entitymentions"]]
    places = [place(token) for token in tokens]
    words = [text[start:end] for start, end in places]
    tags = [token["pos"] for token in tokens]
    pronouns = {each for each, tag in zip(places, tags, strict=True) if tag.startswith("PRP")}
    mentions = [
        Mention(name["ner"], *place(name), timex_years(name.get("normalizedNER") or ""))
        for name in entities
        if place(name) not in pronouns
    ]
    return annotation_of(text, words, verbs_of(words, tags), mentions)


def timex_years(value: str) -> Years | None:
    """Return the years of a date in ISO 8601 with ``X`` for unknown digits, as CoreNLP gives it.

    None if the year is not known, as in ``PRESENT_REF``, ``XXXX-05`` or ``P2Y``.
    """
    years: list[int] = []
    for end in value.split("/"):
        year = _YEAR.match(end)
        if year is None:
            return None
        years += [int(year[1] + year[2].replace("X", digit)) for digit in "09"]
    return Years(min(years), max(years)) if max(years) <= LATEST else None
