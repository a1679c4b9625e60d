"""What is fuzzed: every reader of what a user, or another program, may give.

A target takes bytes. It either refuses them by an `InputError`, or checks what was read by a plain
second way; any other exception is a finding.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gzip
import hashlib
import io
import itertools
import json
import math
import pickle
import re
import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stsbaselines import cli, explanation, exports, formats, predictor, systems
from stsbaselines.baselines import _official_weights, ngram_logreg
from stsbaselines.config import ExperimentConfig
from stsbaselines.console import parameters_of
from stsbaselines.data import archives, corpora, recognition
from stsbaselines.data.catalogue import Task, find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError
from stsbaselines.experiment import validate
from stsbaselines.files import zstd_module
from stsbaselines.journal import open_journal
from stsbaselines.tasks import alignment_file, ists, pit, records, sts, typed
from stsbaselines.text import _corenlp, chunker, chunker_training, dates, names, names_training
from stsbaselines.text.annotate import annotator_named
from stsbaselines.text.wordnet import WordNet
from stsbaselines.yamlmodel import read_model

_PAIRS = b"A cat sat\tA cat ran\nYes\tyes\nIt is 5 o'clock\tIt is late\n"
_JSON_PAIRS = b"""{"sentence1": "A cat sat", "sentence2": "A cat ran", "score": 2}
{"id": 7, "sentence1": "Yes", "sentence2": "caf\\u00e9"}
"""
_LABELLED_JSON = b"""{"sentence1": "A cat sat", "sentence2": "A cat ran", "score": 2.50}
{"sentence1": "Yes", "sentence2": "caf\\u00e9", "score": 0}
"""
_LABELLED_TABLE = b"""id\tsentence1\tsentence2\tscore
1\tA cat sat\tA cat ran\t2.50
2\tYes\tNo\t0
"""
_BENCHMARK = b"""main-news\tMSRpar\t2012test\t0001\t4.750\tA cat sat.\tA cat ran.
main-news\theadlines\t2013\t0002\t0.000\tYes.\tNo.
"""
_ANSWER = b"""{"success": true, "object": {"proxies": [{"dcTitle": {"def": ["The old bridge"]},
"dcDate": {"def": ["1905", "ca. 1905"]}}, {"dcSubject": {"en": ["x"], "def": ["bridges"]}}]}}"""
_RECORD = records.Record(("The old <bridge>",), ("Doe, Jane",), date=("1905", "ca. 1905"))
_CONFIG = b"""task: sts2013
instead: [sample-sts]
baselines:
  - baseline: token-cosine
    published: {table: sts2013-core, run: baseline-tokencos}
    explained: {FNWN: &why {reason: "illegible", tolerance: 0.01}, SMT: *why}
  - baseline: random
    name: again
    seeds: 2
    parameters: {}
"""
_SYNSETS = b"""  1 a line of the licence
00000000 03 n 01 animal 0 000 | it lives and moves
00000051 05 n 02 dog 0 hound(p) 0 001 @ 00000000 n 0000 | it barks
00000115 05 n 01 cat 0 001 @i 00000000 n 0000 | it purrs
"""
_DICTIONARY = b"""Cat \\Cat\\ (k[a^]t), n.
   1. An animal that purrs.
      [1913 Webster]

   2. (a) A whip. [WordNet 1.5]
Dog \\Dog\\, n. [OE.]
   An animal that barks.
"""
_MODEL = b"lCRF"
_CARD = b"""{"name": "a chunker", "files": {"tagger.crfsuite": {"sha256": "%s"}}}
""" % hashlib.sha256(_MODEL).hexdigest().encode()
_ALIGNMENTS = b"""<sentence id="1" status="">
// A cat sat here
// The dog ran
<source>
1 A :
</source>
<translation>
</translation>
<alignment>
1 2 <==> 1 2 // SIMI_FACT // 3 // A cat <==> The dog
3 <==> 3 // OPPO // 4 // sat <==> ran
4 <==> 0 // NOALI // NIL // here <==> -not aligned-
</alignment>
</sentence>
"""
_COLUMNS = b"Jane\tB-PER\nDoe\tI-PER\n@x\tO\n\nParis\tB-geo-loc\n"
_GUM = b"""# a comment
1\tJane\t_\t_\tNNP\t_\t_\t_\t_\tEntity=(1-person-giv:act-1-coref
2\tDoe\t_\t_\tNNP\t_\t_\t_\t_\tEntity=1)(2-place-new-1-sgl)
"""
_LITBANK = {
    "a.txt": b"Jane Doe sat .\nIt rained .\n",
    "a.ann": b"MENTION\tT1\t0\t0\t0\t1\tJane Doe\tPER\tPROP\nCOREF\tT1\tx\n",
}
_PREDICTOR = b"""{"format": 1, "version": "0.1.0", "name": "random",
"parameters": {"random_state": 7}, "attributes": {"scale_": [1, 2]}}"""
_COUNTS = b"""{"format": 1, "name": "typed-tfidf", "parameters": {"idf": "plain"},
"attributes": {"document_frequencies_": {"bridge": 1, "old": 2}, "n_records_": 2}}"""
_WEIGHTS = b"index\tfeature\tvalue\tlabel\tweight_base2\n" + b"".join(
    b"%d\t%s\t1.0\t%s\t%s\n" % row
    for row in [
        (0, b"*always-on*", b"true", b"-0.5"),
        (1, b"*always-on*", b"false", b"0.5"),
        (2, b"precision1gram", b"true", b"1.5"),
    ]
)
_CONLL = b"The DT B-NP\ncat NN I-NP\nsat VBD B-VP\n\nYes UH B-INTJ\n"
_REPLY = b"""{"sentences": [{"tokens": [
{"characterOffsetBegin": 0, "characterOffsetEnd": 3, "pos": "NNP"},
{"characterOffsetBegin": 4, "characterOffsetEnd": 8, "pos": "CD"}], "entitymentions": [
{"characterOffsetBegin": 4, "characterOffsetEnd": 8, "ner": "DATE",
"normalizedNER": "190X/1911"}]}]}"""
_TEXT = "Painted by Sir John Smith (after J. Doe) in London, c. 1890-95; sold in May 1901."
_EXPRESSIONS = (
    "c.1612-15 or later",
    "late 14th century BC",
    "between 12 May 1871 and June 1872?",
    "Edo period (1603-1868)",
    "1840s-60s, 27/4/1925",
)
_CREATORS = ("Doe, Jane (1850 - 1912) [Painter]; attributed to Sir John Smith", "Smith & Doe Ltd.")


class Target(NamedTuple):
    """A reader to fuzz, and good samples for it.

    Attributes
    ----------
    read : callable
        Takes bytes; raises InputError, or AssertionError for a result that must not be.
    seeds : tuple of bytes
    """

    read: Callable[[bytes], None]
    seeds: tuple[bytes, ...]


@functools.cache
def _folder() -> Path:
    """Return a folder that is removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="fuzz")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def _file(name: str, content: bytes) -> Path:
    path = _folder() / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def _sample(*parts: str) -> bytes:
    return SAMPLES.joinpath(*parts).read_bytes()


_STS_SAMPLES = tuple(
    _sample("sample-sts", f"STS.{kind}.{name}.txt")
    for kind in ("input", "gs")
    for name in ("kitchen", "journeys")
)


def lines_in(content: bytes) -> list[bytes]:
    """Return the lines of a file; what follows the last newline is one if it is not empty."""
    lines = content.split(b"\n")
    return lines if lines[-1] else lines[:-1]


def check_number(text: bytes, value: float, low: float = -math.inf, high: float = math.inf) -> None:
    """Check that a text is a plain decimal number, and that this is its value."""
    plain = rb"[+-]?(?=\.?[0-9])[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?"
    assert re.fullmatch(plain, text), f"{text[:80]!r} was read as {value}"
    assert value == float(Decimal(text.decode("ascii"))), f"{text[:80]!r} was read as {value}"
    assert math.isfinite(value), f"{text[:80]!r} was read as {value}"
    assert low <= value <= high, f"{value} is out of range"


def _sts_pairs(content: bytes) -> None:
    found = list(sts.read_pairs(_file("pairs.tsv", content)))
    columns = [line.split(b"\t") for line in lines_in(content)]
    expected = [(row[0], row[1]) for row in columns]
    assert [tuple(s.encode("utf-8", "surrogateescape") for s in each) for each in found] == expected


def _sts_gold(content: bytes) -> None:
    task = find_task("sample-sts")
    lines = lines_in(content)
    values = sts.read_gold(_file("gold.txt", content), task, task.datasets[0])
    for line, value in zip(lines, values.tolist(), strict=True):
        if line or not math.isnan(value):
            check_number(line, value, *task.gold_range)


def _sts_output(content: bytes, strict: bool) -> None:
    task = find_task("sample-sts")
    output = sts.read_output(_file("out.txt", content), task, task.datasets[0], strict)
    lines = [each for each in lines_in(content) if strict or not each.startswith(b"#")]
    weights = output.confidences if output.confidences is not None else itertools.repeat(0.0)
    bounds = task.gold_range if strict else ()
    assert len(lines) == len(output.scores)
    for line, score, confidence in zip(lines, output.scores.tolist(), weights, strict=False):
        columns = line.split(b"\t")
        check_number(columns[0], score, *bounds)
        if len(columns) > 1:
            check_number(columns[1], float(confidence), 0, 100 if strict else math.inf)


def _typed_output(content: bytes, strict: bool) -> None:
    task = find_task("sample-typed")
    found = typed.read_output(_file("out.txt", content), task, task.datasets[0], strict)
    bounds = task.gold_range if strict else ()
    for line, row in zip(lines_in(content), found.tolist(), strict=True):
        for text, value in zip(line.split(b"\t"), row, strict=True):
            check_number(text, value, *bounds)


def _typed_urls(content: bytes) -> None:
    for pair in typed.read_items(_file("urls.txt", content)):
        for name in pair:
            assert re.fullmatch(r"\d+[ab]_\w+", name), f"{name!r} as the name of a file"


def _pit_data(content: bytes) -> None:
    for pair in pit.read_data(_file("test.data", content)):
        assert 0 <= pair.label.degree <= 1


def _pit_training(content: bytes) -> None:
    task = find_task("sample-pit-train")
    pairs, gold = pit.read_training({"input": _file("train.data", content)}, task, task.datasets[0])
    assert len(pairs) == len(gold) == task.datasets[0].scored


def _pit_gold(content: bytes) -> None:
    task = find_task("sample-pit")
    gold = pit.read_gold(_file("test.label", content), task, task.datasets[0])
    for line, degree in zip(lines_in(content), gold.degree.tolist(), strict=True):
        check_number(line.split(b"\t")[1], degree, *task.gold_range)


def _pit_output(content: bytes, strict: bool) -> None:
    task = find_task("sample-pit")
    path = _file("PIT2015_TEAM_01_run.output", content)
    output = pit.read_output(path, task, task.datasets[0], strict)
    bounds = (0, 1) if strict else ()
    for line, score in zip(lines_in(content), output.scores.tolist(), strict=True):
        check_number(line.split(b"\t")[1], score, *bounds)


def _alignments(content: bytes, strict: bool) -> None:
    path = _file("run.wa", content)
    for pair in alignment_file.read_alignments(path, strict=strict, one_to_one=strict).pairs:
        for each in pair.alignments:
            assert each.score in (None, 0, 1, 2, 3, 4, 5)
            assert each.left or each.right
            for side, tokens in zip(each.sides, pair.tokens, strict=True):
                assert all(1 <= number <= len(tokens) for number in side)


def _chunks(content: bytes) -> None:
    sentences, _, chunks = content.partition(b"\f")
    for each in ists.read_chunks(_file("sent.txt", sentences), _file("chunk.txt", chunks)):
        assert each.chunks


def _record(content: bytes, suffix: str) -> None:
    record = records.read_record(_file(f"1a_00001_A1{suffix}", content))
    records.check_record(record, "a record")
    assert records.record_of_xml(records.xml_of(record), "again") is not None


def _catalogue(content: bytes) -> None:
    for record in records.read_catalogue(_file("things.jsonl", content)):
        records.check_record(record, "a record")


def _config(content: bytes) -> None:
    config = read_model(_file("config.yaml", content), ExperimentConfig)
    for baseline in config.baselines:
        for explanation_ in baseline.explained.values():
            assert explanation_.tolerance is None or 0 < explanation_.tolerance < math.inf
    validate(config)


def _task(content: bytes) -> None:
    task = read_model(_file("task.yaml", content), Task)
    assert all(each.pairs >= 1 for each in task.datasets)


def _json_pairs(content: bytes) -> None:
    found = list(formats.pairs_of_json_lines(io.BytesIO(content), "pairs.jsonl"))
    expected = [json.loads(line, parse_int=float) for line in lines_in(content)]
    assert [(*each,) for each in found] == [(e["sentence1"], e["sentence2"]) for e in expected]


def _parquet(content: bytes) -> None:
    path = _file("pairs.parquet", content)
    found = [pair for rows in formats.rows_of_parquet(path) for pair in rows]
    assert len(found) == formats.rows_in_parquet(path)
    assert all(type(text) is str for pair in found for text in pair)


def _packed(content: bytes, suffix: str) -> None:
    for pair in sts.read_pairs(_file(f"pairs.tsv{suffix}", content)):
        assert "\n" not in pair.left + pair.right


def _check_years(years: dates.Years | None) -> None:
    known = [year for year in years or () if year is not None]
    assert all(dates.EARLIEST <= year <= dates.LATEST for year in known), years
    assert known == sorted(known), years


def _dates(content: bytes) -> None:
    text = content.decode("utf-8", "surrogateescape")
    _check_years(dates.years_of(text))
    for date in dates.find_dates(text):
        _check_years(date.years)
        assert text[date.start : date.end] == date.text


def _creators(content: bytes) -> None:
    found = names.creator_names(content.decode("utf-8", "surrogateescape"))
    assert all(each.strip() for each in found)


def _annotation(content: bytes) -> None:
    text = content.decode("utf-8", "surrogateescape")
    for field in ("", "date", "creator"):
        [said] = annotator_named("builtin").annotate([text], field)
        for date in said.dates:
            _check_years(date.years)


def _card(content: bytes) -> None:
    card = chunker.read_card(_file("model-card.json", content), "a chunker")
    chunker.read_described(_file("tagger.crfsuite", _MODEL), card)


def _conll(content: bytes, suffix: str) -> None:
    for sentence in chunker_training.read_sentences(_file(f"train{suffix}", content)):
        assert all(token.word for token in sentence)


def _names_data(content: bytes, read: Callable[[Path], Any]) -> None:
    for sentence in read(_file("names.txt", content)):
        for each in sentence if isinstance(sentence, list) else [sentence]:
            _check_named(each)


def _check_named(sentence: names_training.NamedSentence) -> None:
    assert all(0 <= name.start < name.end <= len(sentence.words) for name in sentence.names)


def _litbank(content: bytes) -> None:
    """Take a text and its annotation, packed here, or a packed archive."""
    text, mark, annotation = content.partition(b"\f")
    packed = _tar({"a.txt": text, "a.ann": annotation}) if mark else content
    for sentence in names_training.read_litbank(_file("litbank.tar.gz", packed)):
        _check_named(sentence)


def _tar(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(stream.getvalue(), mtime=0)


def _saved_predictor(content: bytes) -> None:
    _file("model/predictor.json", content)
    _file("model/arrays.npz", _npz(some_=np.arange(3.0)))
    loaded = predictor.load(_folder() / "model")
    pairs: list[Any] = [(_RECORD, _RECORD)] if loaded.name == "typed-tfidf" else [("a", "a b")]
    if loaded.name in ("random", "token-cosine", "typed-tfidf"):
        assert np.isfinite(loaded.predict(pairs)).all()


def _arrays(content: bytes) -> None:
    for _, array in predictor.read_arrays(_file("arrays.npz", content)):
        assert not array.dtype.hasobject


def _array(content: bytes) -> None:
    """Take the content of one array, since the checksums of an archive hide what is in it."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("left.npy", content)
    _arrays(stream.getvalue())


def _vectors(content: bytes) -> None:
    task = find_task("sample-sts")
    _file("vectors/kitchen.npz", content)
    found = systems.vectors_of(_folder() / "vectors", task, task.datasets[:1])
    assert np.all(np.abs(found["kitchen"]) <= 1 + 1e-9)


def _journal(content: bytes) -> None:
    with open_journal(_file("journal.jsonl", content), {"input": "pairs.tsv"}) as journal:
        journal.append({"done": 3})
        done = list(journal.entries)
    with open_journal(journal.path, {"input": "pairs.tsv"}) as journal:
        assert journal.entries == [*done, {"done": 3}]


@functools.cache
def _wordnet_folder() -> Path:
    for part, kind in itertools.product(("noun", "verb", "adj", "adv"), ("data.{}", "{}.exc")):
        _file(f"wordnet/{kind.format(part)}", b"")
    return _folder() / "wordnet"


def _wordnet(content: bytes) -> None:
    data, _, exceptions = content.partition(b"\f")
    folder = _wordnet_folder()
    _file("wordnet/data.noun", data)
    _file("wordnet/noun.exc", exceptions)
    _check_wordnet(WordNet(folder))


def _wordnet_zip(content: bytes) -> None:
    _check_wordnet(WordNet(_file("wordnet.zip", content)))


def _check_wordnet(wordnet: WordNet) -> None:
    for one, other in (("dog", "cat"), ("hounds", "animal"), ("", "x")):
        assert 0 <= wordnet.path_similarity(one, other) <= 1
        assert 0 <= wordnet.resnik(one, other, "n") <= 1
        assert wordnet.lemma(one) == wordnet.lemma(one)


def _synset_lines(content: bytes) -> None:
    for text in corpora._synsets("data.noun", content):
        assert isinstance(text, str)


def _dictionary(content: bytes) -> None:
    for without_wordnet in (False, True):
        for text in corpora._definitions(content, without_wordnet):
            assert text.strip()


def _weights(content: bytes) -> None:
    names = ngram_logreg.FEATURE_NAMES
    path = _file("weights", content)
    numbers, values, weights, intercept = _official_weights.read_weights(path, names)
    assert np.isfinite([*values, *weights, intercept]).all()
    assert all(0 <= number < len(names) for number in numbers)


def _reply(content: bytes) -> None:
    said = _corenlp._annotation("url", "May 1905", _corenlp._parsed("url", content))
    for date in said.dates:
        _check_years(date.years)


def _arguments(content: bytes) -> None:
    """Take options of the command line that are parsed by us: --map, --set, NUMBER, NAME=PATH."""
    text = content.decode("utf-8", "surrogateescape").replace("\0", "")
    kind, _, value = text.partition(" ")
    if kind == "--map":
        for name, file in cli._mapping(value.split("\n")).items():
            assert name
            assert file
    elif kind == "--set":
        predictor.create("random", **parameters_of(value.split("\n")))
    elif kind == "--predictor":
        with contextlib.suppress(OSError):  # a name that is too long, which the command line says
            systems.predictor_named(value.replace(":", ""))
    elif kind == "NUMBER":
        check_number(value.encode("utf-8", "replace"), float(explanation._published(value)))
    else:
        find_task(text)


def _npz(**arrays: Any) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def _npy(array: Any) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def _zipped_again(compression: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        archive.writestr("left.npy", _npy(np.eye(3)))
    return stream.getvalue()


def _zip_of_wordnet(compression: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name in ("noun", "verb", "adj", "adv"):
            archive.writestr(f"wordnet/data.{name}", _SYNSETS if name == "noun" else b"")
            archive.writestr(f"wordnet/{name}.exc", b"geese goose\n")
    return stream.getvalue()


def _archive(content: bytes) -> None:
    path = _file("archive", content)
    if archives.is_archive(path):
        with archives.open_archive(path) as members:
            for member in members:
                assert sum(map(len, member.read_blocks())) == member.size
                assert ".." not in Path(member.name).parts
                assert not member.name.startswith("/")


def _labelled(content: bytes, name: str) -> None:
    export = exports.read_export(content, name, name)
    if export:
        scores = export.gold.splitlines()
        assert len(scores) == export.pairs == export.input.count(b"\n")
        for score in scores:
            check_number(score, float(score), 0, 5)


def _official(content: bytes) -> None:
    index = recognition.Index([find_task("sample-sts")])
    found = index.recognise(content, "STS.input.kitchen.txt")
    if isinstance(found, recognition.Right):
        assert found.content in _STS_SAMPLES


def _zipped(content: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("set/pairs.txt", content)
    return stream.getvalue()


def _parquet_seed(**columns: list[float]) -> bytes:
    pyarrow, stream = formats._pyarrow(), io.BytesIO()
    texts = {"sentence1": ["A cat", "Yes"], "sentence2": ["A dog", "caf\u00e9"]}
    table = pyarrow.table({**texts, **columns})
    pyarrow.parquet.write_table(table, stream)
    return stream.getvalue()


def _pickle_seeds() -> Iterator[bytes]:
    """Yield a classifier as the organisers pickled it, by several protocols."""
    from nltk.classify.maxent import BinaryMaxentFeatureEncoding, MaxentClassifier

    mapping = {("precision1gram", 0.5, "true"): 0}
    encoding = BinaryMaxentFeatureEncoding(["true", "false"], mapping, alwayson_features=True)
    encoding._alwayson = {"false": 1, "true": 2}
    classifier = MaxentClassifier(encoding, np.array([2.0, 1.0, -1.0]), logarithmic=True)
    yield from (pickle.dumps(classifier, protocol) for protocol in (0, 2, 4))


def targets() -> dict[str, Target]:
    """Return all targets by name."""
    output = b"0.5\n2.25\n" * 6
    weighted = b"# a comment\n" + b"0.5\t100\n4\t0\n" * 6
    eight = b"\t".join([b"0.5"] * 8) + b"\n"
    labels = b"true\t0.7500\nfalse\t0.1000\n" * 6
    alignments = _sample("sample-ists", "STSint.testinput.garden.wa")
    chunked = b"\f".join(
        _sample("sample-ists", f"STSint.testinput.garden.sent1.{end}")
        for end in ("txt", "chunk.txt")
    )
    wordnet = _SYNSETS + b"\fgeese goose\n"
    bound = functools.partial
    return {
        "sts-pairs": Target(_sts_pairs, (_PAIRS,)),
        "sts-gold": Target(_sts_gold, (b"0.5\n\n5.000\n1e0\n" * 3,)),
        "sts-output": Target(bound(_sts_output, strict=False), (output, weighted)),
        "sts-submission": Target(bound(_sts_output, strict=True), (output,)),
        "typed-output": Target(bound(_typed_output, strict=False), (eight * 6,)),
        "typed-submission": Target(bound(_typed_output, strict=True), (eight * 6,)),
        "typed-urls": Target(_typed_urls, (_sample("sample-typed", "STS.input.europeana.txt"),)),
        "pit-data": Target(_pit_data, (_sample("sample-pit", "test.data"),)),
        "pit-training": Target(_pit_training, (_sample("sample-pit", "train.data"),)),
        "pit-gold": Target(_pit_gold, (_sample("sample-pit", "test.label"),)),
        "pit-output": Target(bound(_pit_output, strict=False), (labels,)),
        "pit-submission": Target(bound(_pit_output, strict=True), (labels,)),
        "ists-alignments": Target(bound(_alignments, strict=False), (_ALIGNMENTS, alignments)),
        "ists-submission": Target(bound(_alignments, strict=True), (_ALIGNMENTS,)),
        "ists-chunks": Target(_chunks, (chunked,)),
        "record-text": Target(bound(_record, suffix=".txt"), (records.text_of(_RECORD),)),
        "record-json": Target(bound(_record, suffix=".json"), (_ANSWER,)),
        "record-xml": Target(bound(_record, suffix=".xml"), (records.xml_of(_RECORD),)),
        "record-catalogue": Target(
            _catalogue, (b'{"id": 1, "title": "A cup", "subjects": ["silver", "tea"]}\n',)
        ),
        "config": Target(_config, (_CONFIG,)),
        "task": Target(_task, tuple(_catalogue_entries())),
        "json-lines": Target(_json_pairs, (_JSON_PAIRS,)),
        "parquet": Target(_parquet, (_parquet_seed(),)),
        "archive": Target(_archive, (_zipped(_PAIRS), _tar(_LITBANK))),
        "labelled-json": Target(bound(_labelled, name="my.jsonl"), (_LABELLED_JSON,)),
        "labelled-table": Target(bound(_labelled, name="my.tsv"), (_LABELLED_TABLE, _BENCHMARK)),
        "labelled-parquet": Target(
            bound(_labelled, name="my.parquet"), (_parquet_seed(score=[0.5, 4.2]),)
        ),
        "official-file": Target(_official, _STS_SAMPLES),
        "gzip": Target(bound(_packed, suffix=".gz"), (gzip.compress(_PAIRS, mtime=0) * 2,)),
        "zstd": Target(bound(_packed, suffix=".zst"), (zstd_module().compress(_PAIRS),)),
        "dates": Target(_dates, tuple(each.encode() for each in (_TEXT, *_EXPRESSIONS))),
        "creators": Target(_creators, tuple(each.encode() for each in _CREATORS)),
        "annotator": Target(_annotation, (_TEXT.encode(), _CREATORS[0].encode())),
        "model-card": Target(_card, (_CARD,)),
        "conll": Target(bound(_conll, suffix=".txt"), (_CONLL,)),
        "names-columns": Target(bound(_names_data, read=names_training.read_columns), (_COLUMNS,)),
        "names-wikigold": Target(
            bound(_names_data, read=names_training.read_wikigold),
            (b"-DOCSTART- O\n\n" + _COLUMNS.replace(b"\t", b" "),),
        ),
        "names-gum": Target(bound(_names_data, read=names_training.read_gum), (_GUM,)),
        "names-litbank": Target(_litbank, (b"\f".join(_LITBANK.values()), _tar(_LITBANK))),
        "saved-predictor": Target(_saved_predictor, (_PREDICTOR, _COUNTS)),
        "arrays": Target(_arrays, tuple(map(_zipped_again, (0, 8, 12, 14)))),
        "array": Target(_array, (_npy(np.eye(2)), _npy(np.array(["x"])))),
        "vectors": Target(_vectors, (_npz(left=np.eye(12), right=np.ones((12, 12))),)),
        "journal": Target(_journal, (b'{"run": {"input": "pairs.tsv"}}\n{"done": 10}\n',)),
        "wordnet": Target(_wordnet, (wordnet,)),
        "wordnet-zip": Target(
            _wordnet_zip, tuple(map(_zip_of_wordnet, (0, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)))
        ),
        "synset-lines": Target(_synset_lines, (_SYNSETS,)),
        "dictionary": Target(_dictionary, (gzip.compress(_DICTIONARY, mtime=0),)),
        "official-weights": Target(_weights, (_WEIGHTS, *_pickle_seeds())),
        "corenlp-reply": Target(_reply, (_REPLY,)),
        "arguments": Target(
            _arguments,
            (
                *(b"--map kitchen=a.txt", b"--set random_state=[1, 2]", b"NUMBER 73.42"),
                *(b"--predictor token-cosine", b"sts2013"),
            ),
        ),
    }


def _catalogue_entries() -> Iterator[bytes]:
    from stsbaselines.data.catalogue import CATALOGUE

    for name in ("sample-sts", "sts2013"):
        yield (CATALOGUE / f"{name}.yaml").read_bytes()


def refused(target: Target, content: bytes) -> bool:
    """Give bytes to a target; return whether it refused them."""
    with contextlib.suppress(InputError):
        target.read(content)
        return False
    return True
