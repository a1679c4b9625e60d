"""Every command that reads or writes a file that the user names, with good files to spoil."""

from __future__ import annotations

import functools
import io
import signal
import sys
import zipfile
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from typer.main import get_command

from faults.readers import LINES, READERS, put, vectors
from stsbaselines import cli


@dataclass(frozen=True)
class Command:
    """A command with its arguments.

    Attributes
    ----------
    arguments : str
        ``{file}`` stands for the file that is read, ``{folder}`` for its folder, ``{out}`` for
        what is written.
    put : callable
        Writes a good file, and what belongs to it, to a folder; returns the file.
    out : str
        The name of what is written, if that is a file or a folder.
    keeps : collection of str
        Endings of what a run that is refused leaves beside it, to be gone on with.
    """

    arguments: str
    put: Callable[[Path], Path]
    out: str = ""
    keeps: Collection[str] = ()

    def run(self, file: Path, out: Path) -> Done:
        """Run it in this process."""
        places = {"file": file, "folder": file.parent, "out": out}
        return done_by([each.format(**places) for each in self.arguments.split()])


class Done(NamedTuple):
    """What a command has done."""

    status: int
    printed: bytes
    said: str


@functools.cache
def command_line() -> Callable[[], None]:
    """Return what the command line is made into each time that it runs, which takes a while."""
    return get_command(cli.app)


def done_by(arguments: list[str]) -> Done:
    """Run the command line in this process, as its entry point would."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    handler = signal.getsignal(signal.SIGTERM)
    status: object = 0
    try:
        with (
            mock.patch.object(sys, "argv", ["stsbaselines", *arguments]),
            mock.patch.object(sys, "stdout", streams[0]),
            mock.patch.object(sys, "stderr", streams[1]),
            mock.patch.object(cli, "app", command_line()),
        ):
            cli.main()
    except SystemExit as error:
        status = error.code
    finally:
        signal.signal(signal.SIGTERM, handler)
    for each in streams:
        each.flush()
    printed, said = (each.buffer.getvalue() for each in streams)
    return Done(int(str(status or 0)), printed, said.decode())


def output(folder: Path) -> Path:
    """Write a system output."""
    return READERS["STS system output"].put(folder)


def outputs(folder: Path) -> Path:
    """Write the system outputs of all data sets."""
    (folder / "STS.output.journeys.txt").write_text("1.5\n0\n" * 5)
    return output(folder)


def alignments(folder: Path) -> Path:
    """Write an alignment file."""
    text = READERS["iSTS gold standard"].put(folder).read_bytes()
    return put("STSint.output.garden.wa", text)(folder)


def conll(folder: Path) -> Path:
    """Write what a chunker is trained on."""
    return READERS["chunks, CoNLL-2000"].put(folder)


def conllu(folder: Path) -> Path:
    """Write what a chunker and its tagger are trained on."""
    (folder / "chunks").mkdir()
    conll(folder / "chunks")
    return READERS["tags, CoNLL-U"].put(folder)


def with_pairs(reader: str) -> Callable[[Path], Path]:
    """Return what writes the good file of a reader, and sentence pairs beside it."""

    def write(folder: Path) -> Path:
        path = READERS[reader].put(folder)
        put("pairs.tsv", LINES)(path.parent)
        return path

    return write


def of(reader: str) -> Callable[[Path], Path]:
    """Return what writes the good file of a reader."""
    return lambda folder: READERS[reader].put(folder)


MINE = "".join(
    f'{{"sentence1": "A {word} sat.", "sentence2": "The cat.", "score": {number}.5}}\n'
    for number, word in enumerate(("cat", "dog", "cow"))
)


def zipped(folder: Path) -> Path:
    """Write a zip archive of labelled pairs."""
    path = folder / "my.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("set/my.jsonl", MINE)
    return path


IMPORT = "data import {file} --to {out}"
OFFICIAL = "--set encoding=official-weights --set weights={file}"
JOURNAL = ("run.journal.jsonl",)
LSA = "--set n_components=2"
COMMANDS: dict[str, Command] = {
    "run CONFIG": Command("run {file} --out {out}", of("configuration"), "results", keeps=JOURNAL),
    "score FILE": Command("score sample-sts {file}", output),
    "score FOLDER": Command("score sample-sts {folder}", outputs),
    "score --map": Command(
        "score sample-sts {folder} --map kitchen=STS.output.kitchen.txt", outputs
    ),
    "check": Command("check sample-sts {file}", output),
    "compare FILE": Command(
        "compare sample-sts {file} --resamples 100 --report {out}", output, "report"
    ),
    "compare --vectors": Command("compare sample-sts --vectors {folder} --resamples 100", vectors),
    "compare --predictor": Command(
        "compare sample-sts --predictor {folder} --resamples 100", of("model: description of wtmf")
    ),
    "explain-number": Command("explain-number 0.5 --task sample-sts {file} --json", output),
    "predict lines": Command("predict token-cosine {file} -o {out}", of("STS pairs"), "scores.txt"),
    "predict, printed": Command("predict token-cosine {file}", of("STS pairs")),
    "predict --resume": Command(
        "predict token-cosine {file} -o {out} --resume",
        of("STS pairs"),
        "scores.gz",
        keeps=(".part", ".part.jsonl"),
    ),
    "predict .gz": Command(
        "predict token-cosine {file} -o {out}", of("STS pairs, .gz"), "scores.zst"
    ),
    "predict .jsonl": Command(
        "predict token-cosine {file} -o {out}", of("pairs, JSON lines"), "scores.jsonl"
    ),
    "predict .parquet": Command(
        "predict token-cosine {file} -o {out}", of("pairs, Parquet"), "scores.parquet"
    ),
    "predict MODEL": Command(
        "predict {folder} {folder}/pairs.tsv", with_pairs("model: description of wtmf")
    ),
    "predict weights": Command(
        f"predict ngram-logreg {{folder}}/pairs.tsv {OFFICIAL}", with_pairs("PIT weights, table")
    ),
    "show": Command("show sample-ists {file} --gold -o {out}", alignments, "page.html"),
    "align chunker": Command("align cats dogs --set chunker={folder}", of("chunker: card")),
    "train chunker": Command("train chunker --data {folder} --out {out}", conll, "chunker"),
    "train chunker --tags-from": Command(
        "train chunker --data {folder}/chunks --tags-from {folder} --out {out}", conllu, "chunker"
    ),
    "train typed-tfidf": Command(
        "train typed-tfidf --records {file} -o {out}", of("catalogue of records"), "typed"
    ),
    "train lsa": Command(
        f"train lsa --corpus {{file}} -o {{out}} {LSA}", of("corpus: text"), "lsa"
    ),
    "data import JSON lines": Command(
        "data import {file} --to {out}", put("my.jsonl", MINE), "own"
    ),
    "data import official": Command(
        "data import {file} --to {out}", of("STS gold standard"), "own"
    ),
    "data import zip": Command("data import {file} --to {out}", zipped, "own"),
    "demo": Command("demo --out {out}", put("unused", b"x"), "results", keeps=JOURNAL),
    "tables --plot": Command("tables sts2012 --plot {out}", put("unused", b"x"), "ranks.svg"),
}
READING = [name for name, each in COMMANDS.items() if "{f" in each.arguments]
WRITING = [name for name, each in COMMANDS.items() if each.out]
