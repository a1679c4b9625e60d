"""Annotations by Stanza."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import chain
from typing import Any

from stsbaselines.errors import InputError
from stsbaselines.text.annotation import (
    Annotation,
    Mention,
    Reader,
    annotation_of,
    extra_package,
    one_line,
    verbs_of,
)

BATCH = 100
_PROCESSORS = "tokenize,pos,ner"


def reader(folder: str | None) -> Reader:
    """Return the reader of the English models in a folder, or in Stanza's own for None.

    Models are never downloaded.
    """
    stanza = extra_package("stanza", "stanza")
    place = {} if folder is None else {"model_dir": folder}
    try:
        pipeline = stanza.Pipeline(
            "en", processors=_PROCESSORS, download_method=None, verbose=False, **place
        )
    except Exception as error:
        arguments = "".join(f", {name}={value!r}" for name, value in place.items())
        raise InputError(
            f"annotator 'stanza' cannot load its models ({one_line(error)}); they are "
            f"downloaded, in Python, by stanza.download('en'{arguments})"
        ) from error
    return functools.partial(_annotate, pipeline)


def _annotate(pipeline: Any, texts: list[str]) -> Iterator[Annotation]:
    batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
    read = chain.from_iterable(map(pipeline.bulk_process, batches))
    for text, document in zip(texts, read, strict=True):
        tokens = [token for sentence in document.sentences for token in sentence.words]
        words = [_as_written(text, token) for token in tokens]
        tags = [token.xpos for token in tokens]
        mentions = [Mention(name.type, name.start_char, name.end_char) for name in document.ents]
        yield annotation_of(text, words, verbs_of(words, tags), mentions)


def _as_written(text: str, word: Any) -> str:
    """Return a word as the text has it; Stanza gives no place for a very long one."""
    if word.start_char is None:
        return str(word.text)
    return text[word.start_char : word.end_char]
