"""Annotations by packages that are optional: a CoreNLP server, Stanza and spaCy."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.text.annotation import Annotation, Mention, Reader, annotation_of
from stsbaselines.text.dates import LATEST, Years

DEFAULT_URL = "http://localhost:9000"
_MILLISECONDS = 150_000  # the client waits twice as long: the first request loads the models
_YEAR = re.compile(r"(-?)([0-9]{2}(?:[0-9]{2}|[0-9]X|XX))(?![0-9X])")
_BATCH = 100


def corenlp_reader(url: str) -> Reader:
    """Return the reader that asks the CoreNLP server at `url`, by the client of Stanza."""
    if not url.startswith(("http://", "https://")):
        raise InputError([Fault(f"corenlp:{url}", shown(url), f"a URL such as {DEFAULT_URL}")])
    server = _optional("stanza.server", "corenlp")
    client = server.CoreNLPClient(
        start_server=server.StartServer.DONT_START,
        endpoint=url,
        annotators="tokenize,ssplit,pos,lemma,ner",
        output_format="json",
        timeout=_MILLISECONDS,
    )
    return functools.partial(_ask_corenlp, client, server.AnnotationException)


def _ask_corenlp(client: Any, failure: type[Exception], texts: list[str]) -> Iterator[Annotation]:
    for text in texts:
        try:
            reply = client.annotate(text.strip())
        except (failure, ValueError) as error:
            raise InputError(
                f"no CoreNLP server answers at {client.endpoint} ({_one_line(error)}); start one by"
                " `java -mx4g -cp '*' edu.stanford.nlp.pipeline.StanfordCoreNLPServer` in the"
                " folder of CoreNLP"
            ) from None
        try:
            yield _annotation_of_reply(text, reply)
        except (KeyError, TypeError, ValueError, AttributeError):
            expected = "the JSON of a CoreNLP server (3.9.2 or later)"
            raise InputError([Fault(client.endpoint, shown(str(reply)), expected)]) from None


def _annotation_of_reply(text: str, reply: Mapping[str, Any]) -> Annotation:
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
    return annotation_of(text, words, tags, mentions)


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


def stanza_reader(folder: str | None) -> Reader:
    """Return the reader of Stanza's English models, in its own folder for None; downloads none."""
    stanza = _optional("stanza", "stanza")
    place = {} if folder is None else {"model_dir": folder}
    try:
        pipeline = stanza.Pipeline(
            "en", processors="tokenize,pos,ner", download_method=None, verbose=False, **place
        )
    except Exception as error:
        argument = "" if folder is None else f", model_dir={folder!r}"
        raise InputError(
            f"annotator 'stanza' cannot load its models ({_one_line(error)}); they are "
            f"downloaded, in Python, by stanza.download('en'{argument})"
        ) from error
    return functools.partial(_annotate_by_stanza, pipeline)


def _annotate_by_stanza(pipeline: Any, texts: list[str]) -> Iterator[Annotation]:
    batches = (texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH))
    documents = chain.from_iterable(map(pipeline.bulk_process, batches))
    for text, document in zip(texts, documents, strict=True):
        tokens = [token for sentence in document.sentences for token in sentence.words]
        words = [
            # Stanza gives no place for a very long word.
            token.text if token.start_char is None else text[token.start_char : token.end_char]
            for token in tokens
        ]
        mentions = [Mention(name.type, name.start_char, name.end_char) for name in document.ents]
        yield annotation_of(text, words, [token.xpos for token in tokens], mentions)


def spacy_reader(model: str) -> Reader:
    """Return the reader of a model of spaCy, by its name or folder."""
    spacy = _optional("spacy", "spacy")
    try:
        pipeline = spacy.load(model)
        probe = pipeline("She lives in Paris.")
    except Exception as error:
        raise InputError(
            f"annotator 'spacy:{model}' cannot load its model ({_one_line(error)}); "
            f"models are installed by `python -m spacy download NAME`"
        ) from error
    lacking = [
        name
        for attribute, name in [("TAG", "a tagger"), ("ENT_IOB", "a recogniser of entities")]
        if not probe.has_annotation(attribute)
    ]
    if lacking:
        raise InputError(f"annotator 'spacy:{model}' lacks {' and '.join(lacking)}")
    return functools.partial(_annotate_by_spacy, pipeline)


def _annotate_by_spacy(pipeline: Any, texts: list[str]) -> Iterator[Annotation]:
    for text, document in zip(texts, pipeline.pipe(texts), strict=True):
        tokens = [token for token in document if not token.is_space]
        words = [token.text for token in tokens]
        mentions = [Mention(name.label_, name.start_char, name.end_char) for name in document.ents]
        yield annotation_of(text, words, [token.tag_ for token in tokens], mentions)


def _optional(module: str, annotator: str) -> Any:
    """Import a module that an annotator needs; the extra is called like its package."""
    name = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"annotator {annotator!r} cannot import {name} ({_one_line(error)}): "
            f"pip install 'stsbaselines[{name}]'"
        ) from None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
