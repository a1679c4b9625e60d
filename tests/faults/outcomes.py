"""What is to come of each fault: where this says nothing else, the input is refused."""

from __future__ import annotations

from dataclasses import dataclass, field

from faults.commands import READING
from faults.readers import READERS

REFUSED, HARMLESS, UNSEEN = "refused", "harmless", "unseen"


@dataclass(frozen=True)
class ReadAnyway:
    """Which readers and commands a fault does not stop, and why.

    Attributes
    ----------
    why : str
        For the table in the documentation.
    harmless : set of str
        What reads the same as without the fault.
    unseen : set of str
        What cannot know, as what the fault leaves is a good file too.
    """

    why: str
    harmless: set[str] = field(default_factory=set)
    unseen: set[str] = field(default_factory=set)


JOURNAL = "journal of a run"
CARDS = {"chunker: card", "tagger of names: card"}
DESCRIPTIONS = {name for name in READERS if name.startswith("model: description")}
YAML = {"configuration", "data catalogue"}
COLUMNS = {"chunks, CoNLL-2000", "tags, CoNLL-U", *(n for n in READERS if n.startswith("names, "))}
ALIGNMENTS = {"iSTS gold standard", "iSTS submission"}
SENTENCES = {"STS pairs", "corpus: text"}
IMPORTS = {name for name in READING if name.startswith("data import")}
JSON_COMMANDS = {"run CONFIG", "compare --predictor", "predict MODEL", "align chunker"}
READ_ANYWAY: dict[str, ReadAnyway] = {
    "link": ReadAnyway("a link is followed", {*READERS, *READING}),
    "empty": ReadAnyway("a journal begins anew", unseen={JOURNAL}),
    "truncated": ReadAnyway(
        "the number of lines is not known beforehand, and the last one is whole or ends in free"
        " text; of a journal, what is whole counts",
        unseen={
            *SENTENCES,
            *("typed items left out", "record, .txt", "published table", JOURNAL),
            *("corpus: Brown", "names, numbered columns", "names, GUM", "WordNet, folder"),
        },
    ),
    "binary without NUL": ReadAnyway("a corpus may be in any encoding", unseen={"corpus: text"}),
    "NUL": ReadAnyway(
        "a journal is read up to it; a title and a gloss are not looked at",
        harmless={"WordNet, folder"},
        unseen={"published table", JOURNAL},
    ),
    "huge line": ReadAnyway(
        "a journal is read up to it; a title, a gloss and a licence may be long",
        harmless={"WordNet, folder", *CARDS},
        unseen={"published table", JOURNAL},
    ),
    "mixed encoding": ReadAnyway(
        "the official sentences mix encodings, so that such a byte is a letter of a word",
        harmless={"PIT training data", "WordNet, folder"},
        unseen={
            *SENTENCES,
            *ALIGNMENTS,
            *("STS training pairs", "PIT data", "iSTS sentences", "iSTS chunks"),
            *("corpus: Brown", JOURNAL),
        },
    ),
    "byte order mark": ReadAnyway(
        "the format allows it", {"record, .xml", "WordNet, zip", JOURNAL, *YAML}
    ),
    "CRLF": ReadAnyway(
        "the format allows it; in free text it is one more blank at the end; or there is no line"
        " end in it",
        harmless={
            *ALIGNMENTS,
            *YAML,
            *CARDS,
            *DESCRIPTIONS,
            *(COLUMNS - {"names, LitBank"}),
            *("record, .json", "record, .xml", "catalogue of records", "pairs, JSON lines"),
            *("STS pairs, .gz", JOURNAL, "corpus: Brown", "WordNet, folder"),
        },
        unseen={*SENTENCES, "STS training pairs", "record, .txt", "published table"},
    ),
    "CR": ReadAnyway(
        "the format allows it, or there is no line end in it",
        harmless={
            *YAML,
            *CARDS,
            *DESCRIPTIONS,
            *JSON_COMMANDS,
            *("STS pairs, .gz", "record, .json", "record, .xml", "predict .gz"),
        },
    ),
    "no newline at the end": ReadAnyway(
        "the line is whole; of a journal, it does not count",
        harmless=set(READERS)
        - {"PIT weights, table", "STS pairs, .zst", "data file, found", JOURNAL}
        - {"tagger of names: gazetteer"},
        unseen={JOURNAL},
    ),
    "missing": ReadAnyway(
        "a journal begins anew; no item is left out", unseen={"typed items left out", JOURNAL}
    ),
    "below a file": ReadAnyway("no item is left out", unseen={"typed items left out"}),
    "dangling link": ReadAnyway("a journal begins anew", unseen={JOURNAL}),
}
# Those that say which line is wrong: what has lines that are read one by one, and YAML.
SAYING_THE_LINE = {
    *SENTENCES,
    *ALIGNMENTS,
    *YAML,
    *(COLUMNS - {"names, LitBank"}),
    *(name for name in READERS if name.startswith(("PIT ", "typed ")) and "weights" not in name),
    *("STS gold standard", "STS training pairs", "STS system output", "STS submission"),
    *("iSTS sentences", "iSTS chunks", "record, .txt", "record, .json", "record, .xml"),
    *("catalogue of records", "pairs, JSON lines", "corpus: Brown"),
}
# Of a command that writes, the faults of its place that do not stop it.
WRITTEN_ANYWAY: dict[str, tuple[str, set[str]]] = {
    "folder": (
        "results go into the folder, beside what is there",
        {"run CONFIG", "compare FILE", "demo", *IMPORTS},
    ),
    "dangling link": (
        "the file that the link leads to is written",
        {*(f"predict {kind}" for kind in ("lines", "--resume", ".gz", ".jsonl", ".parquet"))}
        | {"show", "tables --plot"},
    ),
}


def expected(name: str, fault: str) -> str:
    """Return what is to come of a fault for a reader, or a command that reads."""
    anyway = READ_ANYWAY.get(fault, ReadAnyway(""))
    if name in anyway.harmless:
        return HARMLESS
    return UNSEEN if name in anyway.unseen else REFUSED


def expected_of_output(name: str, fault: str) -> str:
    """Return what is to come of a fault of the place for a command that writes."""
    return HARMLESS if name in WRITTEN_ANYWAY.get(fault, ("", set()))[1] else REFUSED
