"""Annotations by spaCy."""

from __future__ import annotations

import functools
from collections.abc import Iterator
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

_PROBE = "She lives in Paris."


def reader(model: str) -> Reader:
    """Return the reader of an installed model, or of one in a folder."""
    spacy = extra_package("spacy", "spacy")
    try:
        pipeline = spacy.load(model)
        probe = pipeline(_PROBE)
    except Exception as error:
        raise InputError(
            f"annotator 'spacy:{model}' cannot load its model ({one_line(error)}); "
            f"models are installed by `python -m spacy download NAME`"
        ) from error
    lacking = [
        name
        for attribute, name in [("TAG", "a tagger"), ("ENT_IOB", "a recogniser of entities")]
        if not probe.has_annotation(attribute)
    ]
    if lacking:
        raise InputError(f"annotator 'spacy:{model}' lacks {' and '.join(lacking)}")
    return functools.partial(_annotate, pipeline)


def _annotate(pipeline: Any, texts: list[str]) -> Iterator[Annotation]:
    for text, document in zip(texts, pipeline.pipe(texts), strict=True):
        tokens = [token for token in document if not token.is_space]
        words = [token.text for token in tokens]
        tags = [token.tag_ for token in tokens]
        mentions = [Mention(name.label_, name.start_char, name.end_char) for name in document.ents]
        yield annotation_of(text, words, verbs_of(words, tags), mentions)
