"""Whatever in the package reads a file, each with a good file of its own to spoil."""

from __future__ import annotations

import atexit
import functools
import gzip
import pickle
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from test_chunker import CONLLU
from test_chunker import TRAINING as CONLL
from test_corpora import DICTIONARY
from test_names import GUM, LITBANK, NUMBERED, TABS, WIKIGOLD
from test_pit import TABLE, maxent_classifier
from test_wordnet import packed, put_wordnet

from conftest import tarred
from stsbaselines import files, reference
from stsbaselines.baselines._official_weights import read_weights
from stsbaselines.baselines.ngram_logreg import FEATURE_NAMES
from stsbaselines.config import read_config
from stsbaselines.data import corpora, find
from stsbaselines.data.catalogue import CATALOGUE, Task, find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.formats import pairs_of_json_lines, rows_of_parquet
from stsbaselines.journal import open_journal
from stsbaselines.predictor import create, load
from stsbaselines.systems import vectors_of
from stsbaselines.tasks import alignment_file, ists, pit, records, sts, typed
from stsbaselines.text import chunker, chunker_training, names, names_training
from stsbaselines.text.chunker import Chunker
from stsbaselines.text.names import NamesTagger
from stsbaselines.text.wordnet import WordNet
from stsbaselines.yamlmodel import read_model

STS, PIT, PIT_TRAIN, ISTS, TYPED = map(
    find_task, ["sample-sts", "sample-pit", "sample-pit-train", "sample-ists", "sample-typed"]
)
KITCHEN, JOURNEYS = STS.datasets
PAIRS = [("a cat", "a cat"), ("a cat", "a dog"), ("one", "two")]
SENTENCES = ["a cat sleeps", "the cat sleeps", "a dog barks", "the dog barks", "it is late"]
RECORD = b"dcTitle:\tThe old bridge\ndcDate:\t1905\tca. 1905\n"
ANSWER = b'{"success": true, "object":\n {"proxies": [{"dcDate": {"def": ["1905"]}}]}}'
XML = records.xml_of(records.record_of_text(RECORD, "example"))
CONFIGURATION = "task: sample-sts\nbaselines:\n  - baseline: token-cosine\n"
LINES = b"a\tb\nc\td\n"
JSON_LINES = b'{"sentence1": "a cat", "sentence2": "a dog"}\n' * 3


@dataclass(frozen=True)
class Reader:
    """What reads files of one kind.

    Attributes
    ----------
    put : callable
        Writes a good file, and what belongs to it, to a folder; returns the file.
    read : callable
        Reads it.
    """

    put: Callable[[Path], Path]
    read: Callable[[Path], Any]


def put(name: str, content: str | bytes) -> Callable[[Path], Path]:
    """Return what writes a file into a folder."""

    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def copied(source: Path, name: str, to: str = "copy") -> Callable[[Path], Path]:
    """Return what copies a folder, of which one file is spoiled."""

    def copy(folder: Path) -> Path:
        target = folder / to
        shutil.copytree(source, target)
        return target / name

    return copy


def sample(task: str, name: str) -> Callable[[Path], Path]:
    """Return what copies a file of the samples."""
    return put(name, (SAMPLES / task / name).read_bytes())


def parquet(folder: Path) -> Path:
    """Write pairs as Parquet."""
    import pyarrow
    import pyarrow.parquet

    columns = dict(zip(("sentence1", "sentence2"), zip(*PAIRS, strict=True), strict=True))
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "pairs.parquet")
    return folder / "pairs.parquet"


def vectors(folder: Path) -> Path:
    """Write precomputed vectors of both data sets."""
    for dataset in STS.datasets:
        sides = np.arange(1.0, 1 + 4 * dataset.pairs).reshape(2, -1, 2)
        np.savez(folder / f"{dataset.name}.npz", left=sides[0], right=sides[1])
    return folder / f"{KITCHEN.name}.npz"


def journal(folder: Path) -> Path:
    """Write the journal of a run."""
    with open_journal(folder / "journal.jsonl", {"input": "x"}) as opened:
        opened.append({"done": 1})
    return folder / "journal.jsonl"


def entries(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a journal."""
    with open_journal(path, {"input": "x"}) as opened:
        return opened.entries


@functools.cache
def models() -> Path:
    """Return a folder with a small model of each kind."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    create("random", random_state=1).save(folder / "random")
    wtmf = create("wtmf", n_components=2, regularization=0.01, random_state=0)
    wtmf.fit([(each, each) for each in SENTENCES]).save(folder / "wtmf")
    pairs, gold = sts.read_training(find.require_all(STS, KITCHEN), STS, KITCHEN)
    create("dkpro-string").fit(pairs, gold).save(folder / "dkpro-string")
    tweets, labels = pit.read_training(
        find.require_all(PIT_TRAIN, PIT_TRAIN.datasets[0]), PIT_TRAIN, PIT_TRAIN.datasets[0]
    )
    create("ngram-logreg", encoding="real").fit(tweets, labels).save(folder / "ngram-logreg")
    record = records.record_of_text(RECORD, "example")
    create("typed-tfidf").fit([(record, record)]).save(folder / "typed-tfidf")
    return folder


def model(name: str, file: str) -> Callable[[Path], Path]:
    """Return what copies a model."""
    return lambda folder: copied(models() / name, file)(folder)


def loaded(path: Path) -> Any:
    """Load a model, and return what it has learned."""
    return vars(load(path.parent))


def listed(read: Callable[..., Any], *arguments: Any) -> Callable[[Path], Any]:
    """Return what reads everything."""
    return lambda path: list(read(path, *arguments))


def by_role(read: Callable[..., Any], task: Task, role: str, name: str) -> Callable[[Path], Any]:
    """Return what reads a data set, of whose files one is spoiled."""

    def read_all(path: Path) -> Any:
        found = read(
            {**find.require_all(task, task.dataset(name)), role: path}, task, task.dataset(name)
        )
        return found if isinstance(found, tuple) else list(found)

    return read_all


def corpus(folder: Path, name: str, files_: dict[str, str]) -> Path:
    """Write a corpus where NLTK has it."""
    place = folder / "nltk_data" / "corpora" / name
    place.mkdir(parents=True)
    for file, text in files_.items():
        (place / file).write_text(text)
    return place / next(iter(files_))


def sentences_of_nltk(path: Path) -> list[str]:
    """Read a corpus of two files where NLTK has it."""
    with (
        mock.patch("nltk.data.path", []),
        mock.patch.multiple(corpora, BROWN_FILES=2, DEBIAN_WORDNET=path / "none"),
    ):
        return list(corpora.sentences_of(path.parent.name, path.parents[3]))


def sentences_of_gcide(path: Path) -> list[str]:
    """Read the dictionary."""
    with mock.patch.object(corpora, "DEBIAN_GCIDE", path):
        return list(corpora.sentences_of("gcide"))


def published(path: Path) -> Any:
    """Read a published table."""
    with mock.patch.object(reference, "TABLES", path.parent):
        found = reference.table.__wrapped__(path.stem)
    return found.title, [[*row.text.items(), *row.values.items(), *row.flags] for row in found.rows]


def checked(path: Path) -> Any:
    """Find a data file of which the checksum is known, and read it."""
    with mock.patch.object(find, "SAMPLES", path.parents[1]):
        found = find.require(STS, KITCHEN, "gold")
    return found.read_bytes()


def wordnet(path: Path) -> Any:
    """Look words up in WordNet."""
    found = WordNet(path if path.suffix == ".zip" else path.parent)
    return found.lemma("mice", "NNS"), found.resnik("dog", "cat", "n")


def chunks(path: Path) -> Any:
    """Load a chunker, and use it."""
    return Chunker(path.parent).chunks(["a", "cat", "sleeps"])


def found_names(path: Path) -> Any:
    """Load a tagger of names, and use it."""
    return NamesTagger(path.parent).names(["Jane", "Doe", "sleeps"])


def wordnet_zip(folder: Path) -> Path:
    """Write WordNet as a zip archive."""
    place = put_wordnet(folder / "files")
    return packed(place, folder / "wordnet.zip", [each.name for each in place.iterdir()])


def json_lines(path: Path) -> Any:
    """Read pairs that are JSON lines."""
    with files.open_to_read(path) as stream:
        return list(pairs_of_json_lines(stream, str(path)))


READERS: dict[str, Reader] = {
    "STS pairs": Reader(sample("sample-sts", "STS.input.kitchen.txt"), listed(sts.read_pairs)),
    "STS pairs, .gz": Reader(
        put("pairs.gz", gzip.compress(LINES, mtime=0)), listed(sts.read_pairs)
    ),
    "STS pairs, .zst": Reader(
        put("pairs.zst", files.zstd_module().compress(LINES)), listed(sts.read_pairs)
    ),
    "STS gold standard": Reader(
        sample("sample-sts", "STS.gs.kitchen.txt"), lambda path: sts.read_gold(path, STS, KITCHEN)
    ),
    "STS training pairs": Reader(
        sample("sample-sts", "STS.input.kitchen.txt"),
        by_role(sts.read_training, STS, "input", "kitchen"),
    ),
    "STS system output": Reader(
        put("STS.output.kitchen.txt", "1.5\t50\n0\t100\n" * 6),
        lambda path: sts.read_output(path, STS, KITCHEN),
    ),
    "STS submission": Reader(
        put("STS.output.kitchen.txt", "1.5\t50\n0\t100\n" * 6),
        lambda path: sts.read_output(path, STS, KITCHEN, strict=True),
    ),
    "PIT data": Reader(sample("sample-pit", "test.data"), listed(pit.read_data)),
    "PIT training data": Reader(
        sample("sample-pit", "train.data"), by_role(pit.read_training, PIT_TRAIN, "input", "train")
    ),
    "PIT gold standard": Reader(
        sample("sample-pit", "test.label"),
        lambda path: pit.read_gold(path, PIT, PIT.datasets[0]),
    ),
    "PIT system output": Reader(
        put("PIT2015_STS-BASE_01_run.output", "true\t0.9000\nfalse\t0.1000\n" * 6),
        lambda path: pit.read_output(path, PIT, PIT.datasets[0]),
    ),
    "PIT weights, table": Reader(
        put("weights.tsv", TABLE), lambda path: read_weights(path, FEATURE_NAMES)
    ),
    "PIT weights, pickle": Reader(
        put("weights.pickle", pickle.dumps(maxent_classifier(), 0)),
        lambda path: read_weights(path, FEATURE_NAMES),
    ),
    "iSTS sentences": Reader(
        sample("sample-ists", "STSint.testinput.garden.sent1.txt"),
        by_role(ists.read_inputs, ISTS, "sentences1", "garden"),
    ),
    "iSTS chunks": Reader(
        sample("sample-ists", "STSint.testinput.garden.sent1.chunk.txt"),
        by_role(ists.read_inputs, ISTS, "chunks1", "garden"),
    ),
    "iSTS gold standard": Reader(
        sample("sample-ists", "STSint.testinput.garden.wa"),
        lambda path: ists.read_gold(path, ISTS, ISTS.datasets[0]),
    ),
    "iSTS submission": Reader(
        sample("sample-ists", "STSint.testinput.garden.wa"),
        lambda path: alignment_file.read_alignments(path, 10, strict=True),
    ),
    "typed input": Reader(
        sample("sample-typed", "STS.input.europeana.txt"), lambda path: typed.read_urls(path, 6)
    ),
    "typed gold standard": Reader(
        sample("sample-typed", "STS.gs.europeana.txt"),
        lambda path: typed.read_gold(path, TYPED, TYPED.datasets[0]),
    ),
    "typed items left out": Reader(
        put("left-out.txt", "1a_09999x_7A\n2b_09999x_7B\n"),
        lambda path: typed.read_left_out(path.parent / "text"),
    ),
    "record, .txt": Reader(put("1a_1.txt", RECORD), records.read_record),
    "record, .json": Reader(put("1a_1.json", ANSWER), records.read_record),
    "record, .xml": Reader(put("1a_1.xml", XML), records.read_record),
    "catalogue of records": Reader(
        put("records.jsonl", b'{"title": "A cup", "id": 1}\n' * 3), listed(records.read_catalogue)
    ),
    "pairs, JSON lines": Reader(put("pairs.jsonl", JSON_LINES), json_lines),
    "pairs, Parquet": Reader(parquet, listed(rows_of_parquet)),
    "precomputed vectors": Reader(vectors, lambda path: vectors_of(path.parent, STS, STS.datasets)),
    "configuration": Reader(put("mine.yaml", CONFIGURATION), read_config),
    "data catalogue": Reader(
        put("sample-sts.yaml", (CATALOGUE / "sample-sts.yaml").read_bytes()),
        lambda path: read_model(path, Task),
    ),
    "published table": Reader(
        put("sts2012.tsv", (reference.TABLES / "sts2012.tsv").read_bytes()), published
    ),
    "data file, found": Reader(
        copied(SAMPLES / "sample-sts", "STS.gs.kitchen.txt", "sample-sts"), checked
    ),
    "journal of a run": Reader(journal, entries),
    "corpus: text": Reader(
        put("corpus.txt", "\n".join(SENTENCES) + "\n"), listed(corpora.sentences_of)
    ),
    "corpus: Brown": Reader(
        lambda folder: corpus(
            folder, "brown", {"ca01": "a/at cat/nn\nA/at dog/nn\n", "cb01": "b/b\n"}
        ),
        sentences_of_nltk,
    ),
    "corpus: GCIDE": Reader(
        put("gcide.dict.dz", gzip.compress(DICTIONARY.encode(), mtime=0)), sentences_of_gcide
    ),
    "WordNet, folder": Reader(lambda folder: put_wordnet(folder) / "data.noun", wordnet),
    "WordNet, zip": Reader(wordnet_zip, wordnet),
    "chunker: card": Reader(
        copied(chunker.SHIPPED, chunker.CARD),
        chunks,
    ),
    "chunker: model": Reader(
        copied(chunker.SHIPPED, chunker.TAGGER),
        chunks,
    ),
    "tagger of names: card": Reader(copied(names.SHIPPED, chunker.CARD), found_names),
    "tagger of names: model": Reader(copied(names.SHIPPED, names.MODEL), found_names),
    "tagger of names: gazetteer": Reader(
        copied(names.SHIPPED, names.GAZETTEERS[0]),
        found_names,
    ),
    "chunks, CoNLL-2000": Reader(put("train.txt", CONLL), chunker_training.read_sentences),
    "tags, CoNLL-U": Reader(put("train.conllu", CONLLU), chunker_training.read_sentences),
    "names, columns": Reader(put("train.conll", TABS), names_training.read_columns),
    "names, numbered columns": Reader(
        put("dev.iob2", NUMBERED), names_training.read_numbered_columns
    ),
    "names, wikigold": Reader(put("wikigold.conll.txt", WIKIGOLD), names_training.read_wikigold),
    "names, GUM": Reader(put("gum.conllu", GUM), names_training.read_gum),
    "names, LitBank": Reader(
        put("litbank.tar.gz", tarred(*LITBANK.items())), names_training.read_litbank
    ),
    **{
        f"model: description of {name}": Reader(model(name, "predictor.json"), loaded)
        for name in ("random", "wtmf", "dkpro-string", "typed-tfidf")
    },
    **{
        f"model: arrays of {name}": Reader(model(name, "arrays.npz"), loaded)
        for name in ("wtmf", "ngram-logreg")
    },
}
