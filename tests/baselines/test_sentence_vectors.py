"""WTMF, LSA and LDA: their text pipeline, their corpora, the exact solver, and the models."""

from __future__ import annotations

import gzip
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer

from stsbaselines import load
from stsbaselines.baselines import create
from stsbaselines.baselines._factorization import RowSolver, objective
from stsbaselines.baselines.wtmf import WTMF
from stsbaselines.data import corpora
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.trained_models import load_model, model_name
from stsbaselines.experiments import models as training
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.experiments.reproduce import ledger
from stsbaselines.reports import text as report
from stsbaselines.scoring import correlation
from stsbaselines.text.stems import Vocabulary, count_matrix, stems
from tests.helpers import OFFICIAL_DATA, run_command

NAMES = ["wtmf", "lsa", "lda"]
CORPUS = [
    "The cat sleeps on the mat.",
    "A cat and a dog sleep.",
    "The dog barks at the cat.",
    "A dog barks.",
    "It rains and it rains.",
    "The rain falls on the mat.",
    "The cat sleeps on the mat.",
] * 3


def small(name: str, **parameters: Any) -> Any:
    common = {"n_components": 3, "random_state": 0}
    extra = {"regularization": 0.5} if name == "wtmf" else {}
    return create(name, **{**common, **extra, **parameters})


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Strong, thick string.", ["strong", "thick", "string"]),
        ("12 o'clock", ["12", "o"]),
        ("We can't do that", ["we", "ca", "do", "that"]),
        ("the dogs' well-known house", ["the", "dog", "hous"]),
        ("caf\u00e9 Ma\u00f1ana", []),
        ("specially", ["special"]),
        ("", []),
    ],
)
def test_stems(sentence: str, expected: list[str]) -> None:
    assert stems(sentence) == expected


def test_counting_a_corpus() -> None:
    vocabulary, counts = count_matrix(iter(["cats and a cat", "a dog", "", "a cat"]))
    assert dict(vocabulary.columns) == {"a": 0, "cat": 1}
    assert counts.toarray().tolist() == [[1, 2], [1, 0], [0, 0], [1, 1]]
    assert vocabulary.idf == pytest.approx(np.log([4 / 4, 4 / 3]))
    weights = vocabulary.weighted(counts)
    assert weights.nnz == counts.nnz
    assert weights.toarray()[0] == pytest.approx([0, 2 * np.log(4 / 3)])


@pytest.mark.official
def test_the_pipeline_regenerates_the_vectors_of_the_authors(official_data: Path) -> None:
    folder = official_data / "pit2015" / "wtmf-train100"
    if not folder.is_dir():
        pytest.skip("needs the vocabulary of the authors")
    pairs = (line.split("\t") for line in (folder / "vocab").read_text("latin-1").splitlines())
    columns = {word: int(number) for word, number in pairs}
    idf = np.zeros(max(columns.values()) + 1)
    for line in (folder / "idf").read_text().splitlines():
        number, weight = line.split()
        idf[int(number)] = float(weight)
    vocabulary = Vocabulary(columns, idf)
    sentences = (folder / "li06" / "text").read_text().splitlines()
    found = vocabulary.weighted(vocabulary.counts(sentences)).tocoo()
    mine = {
        (int(column), int(row) + 1): float(value)
        for row, column, value in zip(found.row, found.col, found.data, strict=True)
    }
    rows = [line.split() for line in (folder / "li06" / "text.ind").read_text().splitlines()]
    theirs = {(int(word), int(sentence)): float(value) for word, sentence, value in rows}
    assert mine.keys() == theirs.keys()
    assert max(abs(mine[cell] - theirs[cell]) for cell in theirs) < 1e-12


def plain_solution(
    matrix: sparse.csr_matrix, factors: npt.NDArray[Any], missing: float, strength: float
) -> npt.NDArray[Any]:
    """Solve row by row, with all weights and cells spelled out."""
    dense, rows = matrix.toarray(), []
    for number, row in enumerate(dense):
        weights = np.full(len(row), missing)
        weights[matrix.indices[matrix.indptr[number] : matrix.indptr[number + 1]]] = 1
        system = factors.T @ (weights[:, None] * factors) + strength * np.eye(factors.shape[1])
        rows.append(np.linalg.solve(system, factors.T @ (weights * row)))
    return np.array(rows)


@given(
    seed=st.integers(0, 1000),
    shape=st.tuples(st.integers(1, 30), st.integers(1, 25)),
    components=st.integers(1, 12),
    density=st.floats(0, 1),
    missing=st.floats(0.001, 1),
    memory=st.sampled_from([1e-4, 64.0]),
)
def test_the_solver_equals_the_plain_solution(
    seed: int,
    shape: tuple[int, int],
    components: int,
    density: float,
    missing: float,
    memory: float,
) -> None:
    generator = np.random.default_rng(seed)
    matrix = sparse.csr_matrix(generator.random(shape) * (generator.random(shape) < density))
    factors = generator.standard_normal((shape[1], components))
    expected = plain_solution(matrix, factors, missing, 0.7)
    for n_jobs in (1, 2):
        found = RowSolver(factors, missing, 0.7, memory).solve(matrix, n_jobs)
        assert np.abs(found - expected).max() < 1e-10
    assert not found[np.diff(matrix.indptr) == 0].any()


def test_the_objective_by_its_definition() -> None:
    generator = np.random.default_rng(0)
    matrix = sparse.csr_matrix([[0.0, 2.0, 0.0], [1.0, 0.0, 0.5]])
    documents = generator.standard_normal((2, 2))
    words = RowSolver(documents, 0.1, 3).solve(matrix.T.tocsr())
    weights = np.where(matrix.toarray() > 0, 1, 0.1)
    errors = (weights * (documents @ words.T - matrix.toarray()) ** 2).sum()
    expected = errors + 3 * ((documents**2).sum() + (words**2).sum())
    assert objective(matrix.T.tocsr(), documents, words, 3) == pytest.approx(expected)


def test_the_objective_falls_and_training_stops() -> None:
    model = small("wtmf", n_iter=500).fit(CORPUS)
    assert len(model.objective_) == 500
    assert (np.diff(model.objective_) <= 1e-9).all()
    assert len(small("wtmf", n_iter=9, orthogonality=0.5).fit(CORPUS).objective_) == 9
    early = small("wtmf", n_iter=30, tol=0.01).fit(CORPUS)
    assert 2 <= len(early.objective_) < 30


def test_one_seed_gives_identical_vectors() -> None:
    one, two = (small("wtmf", n_jobs=n_jobs).fit(CORPUS) for n_jobs in (1, 2))
    assert (one.components_ == two.components_).all()
    other = small("wtmf", random_state=1).fit(CORPUS)
    assert (one.components_ != other.components_).any()


def test_single_precision_is_nearly_the_same() -> None:
    pairs = [("a cat sleeps", "the dog sleeps"), ("it rains", "a dog"), ("cat", "mat")]
    double, single = (small("wtmf", dtype=dtype).fit(CORPUS) for dtype in ("float64", "float32"))
    assert single.components_.dtype == np.float32
    assert np.abs(single.predict(pairs) - double.predict(pairs)).max() < 1e-3


def test_orthogonality_makes_dimensions_less_alike() -> None:
    def likeness(model: WTMF) -> float:
        products = model.components_.T @ model.components_
        return float(np.abs(products - np.diag(np.diag(products))).sum() / np.trace(products))

    plain, orthogonal = (small("wtmf", orthogonality=value).fit(CORPUS) for value in (0.0, 0.02))
    assert likeness(orthogonal) < likeness(plain)


@pytest.mark.parametrize("name", NAMES)
def test_models_are_transformers_and_are_saved(name: str, tmp_path: Path) -> None:
    model = small(name).fit(iter(CORPUS))
    vectors = model.transform(["a cat", "", "unknown zebra", "A cat!"])
    assert vectors.shape == (4, 3)
    copy = pickle.loads(pickle.dumps(model))
    assert copy.transform(["a cat"]) == pytest.approx(vectors[:1])
    assert not vectors[1:3].any()
    assert model.fit_transform(iter(CORPUS)).shape == (len(CORPUS), 3)
    for call in (model.fit, model.transform):
        with pytest.raises(InputError, match="found a single string, expected sentences"):
            call("a cat")
    assert (vectors[0] == vectors[3]).all()
    assert model.transform([]).shape == (0, 3)
    normalized = make_pipeline(clone(model), Normalizer()).fit_transform(CORPUS)
    assert np.linalg.norm(normalized, axis=1) == pytest.approx(np.ones(len(CORPUS)))
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    pairs = [("a cat", "a dog"), ("cat", "cat"), ("", "cat"), ("zebra", "zebra")]
    similarities = model.predict(pairs)
    assert (again.predict(pairs) == similarities).all()
    assert similarities[1] == pytest.approx(1)
    assert similarities[2:].tolist() == [0, 0]
    with pytest.raises(NotFittedError):
        clone(model).transform(["a"])


@pytest.mark.parametrize("name", NAMES)
def test_more_dimensions_than_words(name: str) -> None:
    model = small(name, n_components=50).fit(CORPUS)
    assert np.isfinite(model.predict([("a cat", "the dog")])).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("corpus", [[], [""], ["one two three"]])
def test_a_corpus_without_a_repeated_word(name: str, corpus: list[str]) -> None:
    with pytest.raises(InputError, match=f"{name}: the corpus has no word twice"):
        small(name).fit(corpus)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("wtmf", {"n_components": 0}, "n_components is 0, but must be a whole number from 1 to"),
        (
            "wtmf",
            {"missing_weight": 0},
            "missing_weight is 0, but must be a number from 1e-09 to 1",
        ),
        ("wtmf", {"regularization": "20"}, "regularization is '20', but must be a number"),
        ("wtmf", {"dtype": "float16"}, "dtype is 'float16', but must be float64 or float32"),
        ("wtmf", {"n_iter": True}, "n_iter is True, but must be a whole number"),
        ("lsa", {"n_components": 1.5}, "n_components is 1.5, but must be a whole number"),
        ("wtmf", {"n_jobs": 0}, "n_jobs is 0, but must be a whole number from 1"),
        ("wtmf", {"random_state": "abc"}, "random_state is 'abc', but must be a whole number"),
        ("wtmf", {"verbose": "x"}, "verbose is 'x', but must be true or false"),
        ("wtmf", {"n_components": 10**10}, "must be a whole number from 1 to 10000"),
        ("wtmf", {"regularization": 1e9}, "explains nothing of this corpus; a small corpus needs"),
        ("lsa", {"random_state": 2**32}, "random_state is 4294967296, but must be"),
        ("lda", {"n_passes": 0}, "n_passes is 0, but must be a whole number from 1 to"),
    ],
)
def test_parameters_that_make_no_sense(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small(name, **parameters).fit(CORPUS)


@pytest.mark.parametrize("name", ["wtmf", "lsa"])
@pytest.mark.parametrize(
    ("attribute", "change"),
    [
        ("vocabulary_", lambda words: words[:-1]),
        ("vocabulary_", lambda words: [words[1], *words[1:]]),
        ("vocabulary_", lambda words: [1, *words[1:]]),
        ("vocabulary_", lambda words: {}),
        ("idf_", lambda idf: idf[:-1]),
        ("idf_", lambda idf: idf.astype(str)),
        ("components_", lambda factors: factors[:-1]),
        ("components_", lambda factors: factors[:, :0]),
        ("components_", lambda factors: factors.astype(np.float16)),
        ("components_", lambda factors: factors.astype(int)),
        ("components_", lambda factors: None),
    ],
)
def test_a_damaged_model_folder_is_refused(
    name: str, attribute: str, change: Any, tmp_path: Path
) -> None:
    model = small(name).fit(CORPUS)
    setattr(model, attribute, change(getattr(model, attribute)))
    model.save(tmp_path / "model")
    with pytest.raises(InputError, match=f"expected a saved {name}"):
        load(tmp_path / "model")


def test_a_model_folder_with_other_parameters_is_refused(tmp_path: Path) -> None:
    model = small("wtmf").fit(CORPUS)
    for parameter, value in [("missing_weight", 7), ("regularization", "x"), ("dtype", "float32")]:
        changed = clone(model).set_params(**{parameter: value})
        changed.__dict__ |= {key: each for key, each in vars(model).items() if key.endswith("_")}
        changed.save(tmp_path / parameter)
        with pytest.raises(InputError, match="expected a saved wtmf"):
            load(tmp_path / parameter)


def test_parameters_that_are_set_later_count() -> None:
    model = small("wtmf").fit(CORPUS)
    before = model.transform(["a cat"])
    after = model.set_params(regularization=5.0).transform(["a cat"])
    assert (before != after).any()


SYNSETS = (
    "  1 a line of the licence\n"
    '00001740 03 n 02 old_gate 0 wicket 0 001 ~ 00001930 n 0000 | a small gate; "he shut it"  \n'
)
ADJECTIVES = "00001740 00 a 01 ablaze(p) 0 000 | on fire  \n"
DICTIONARY = """00-database-info
   about

Gate \\Gate\\, n. [OE. gat.]
   1. A door in a fence; as, the {gate} of a
      field. --Author.
      [1913 Webster]

         A verse about gates.
                                 --Poet.

   2. (Cards) The next card.

Gated \\Gat"ed\\, a.
   Having gates.
"""


def put_corpora(folder: Path) -> Path:
    wordnet = folder / "nltk_data" / "corpora" / "wordnet"
    wordnet.mkdir(parents=True)
    for part, text in [("noun", SYNSETS), ("verb", ""), ("adj", ADJECTIVES), ("adv", "")]:
        (wordnet / f"data.{part}").write_text(text)
    with zipfile.ZipFile(folder / "nltk_data" / "corpora" / "brown.zip", "w") as archive:
        archive.writestr("brown/ca01", "\n\n\tThe/at gate/nn is/bez 1/2/cd ./.\n\n")
        archive.writestr("brown/README", "no text\n")
    return folder


def test_named_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put_corpora(tmp_path / "data")
    monkeypatch.setattr(corpora, "BROWN_FILES", 1)
    assert list(corpora.sentences_of("wordnet", folder)) == [
        "ablaze on fire",
        'old gate wicket a small gate; "he shut it"',
    ]
    assert list(corpora.sentences_of("brown", folder)) == ["The gate is 1/2 ."]
    (tmp_path / "gcide.dict.dz").write_bytes(gzip.compress(DICTIONARY.encode()))
    monkeypatch.setattr(corpora, "DEBIAN_GCIDE", tmp_path / "gcide.dict.dz")
    assert list(corpora.sentences_of("gcide")) == [
        "Gate A door in a fence; as, the gate of a field.",
        "Gate (Cards) The next card.",
        "Gated Having gates.",
    ]
    (tmp_path / "gcide.dict.dz").write_bytes(b"damaged")
    with pytest.raises(InputError, match="found damaged content, expected a dictionary"):
        list(corpora.sentences_of("gcide"))
    monkeypatch.setattr(corpora, "BROWN_FILES", 500)
    with pytest.raises(InputError, match="found 1 files, expected 500, the whole corpus"):
        list(corpora.sentences_of("brown", folder))
    (folder / "nltk_data" / "corpora" / "wordnet" / "data.adv").write_text("junk | x\n")
    with pytest.raises(InputError, match=r"data.adv, line 1: found .junk . x., expected a synset"):
        list(corpora.sentences_of("wordnet", folder))
    (folder / "nltk_data" / "corpora" / "brown.zip").write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"brown.zip: found damaged content"):
        list(corpora.sentences_of("brown", folder))


def test_corpora_that_are_not_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "DEBIAN_WORDNET", tmp_path / "none")
    monkeypatch.setattr(corpora, "DEBIAN_GCIDE", tmp_path / "none")
    monkeypatch.setattr("nltk.data.path", [])
    for name in corpora.corpus_names():
        with pytest.raises(MissingDataError, match=f"The corpus {name} was not found: get it by"):
            corpora.sentences_of(name)
    with pytest.raises(InputError, match=r"no corpus 'wordnett', did you mean 'wordnet'"):
        corpora.sentences_of("wordnett")


def test_training_from_the_command_line(tmp_path: Path) -> None:
    text = tmp_path / "mine.txt"
    text.write_text("\n".join(CORPUS) + "\n")
    out = tmp_path / "model"
    sizes = ["--set", "n_components=3", "--set", "regularization=0.5"]
    options = ["--corpus", str(text), *sizes, "-o", str(out)]
    done = run_command(["train", "wtmf", *options])
    assert done.stdout == f"mine.txt: 21 sentences\nwrote {out}\n", done.stderr
    assert load(out).get_params()["random_state"] == 0
    predicted = run_command(["predict", str(out)], input="cat\tcats\nzebra\tcat\n")
    assert predicted.stdout.splitlines() == ["1.0000000000", "0.0000000000"]
    again = run_command(["train", "wtmf", *options])
    assert (again.returncode, again.stdout) == (2, "")
    assert "found something there, expected a new folder" in again.stderr
    for name in ("lsa", "lda"):
        other = ["--corpus", str(text), "--set", "n_components=2", "-o", str(tmp_path / name)]
        assert run_command(["train", name, *other]).returncode == 0
    twice = ["--corpus", str(text), "--corpus", f"{tmp_path}/./mine.txt", "-o", "x"]
    assert run_command(["train", "lsa", *twice]).stderr == "a corpus is named twice.\n"
    unnamed = run_command(["train", "lsa", "--corpus", str(text)])
    assert (unnamed.returncode, unnamed.stdout) == (2, "")
    assert "name a folder by -o" in unnamed.stderr
    untrained = run_command(["predict", "wtmf"], input="a\tb\n")
    assert "`stsbaselines train wtmf` trains it" in untrained.stderr
    assert "verbose" in (out / "predictor.json").read_text()
    assert load(out).get_params()["n_jobs"] == 1


def test_two_corpora_are_described(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("a cat\na dog\n")
    model = training.train_on_corpora(
        "lsa", [tmp_path / "one", tmp_path / "two"], None, {"n_components": 1}
    )
    sentences = {Path(name).name: each["sentences"] for name, each in model.corpora_.items()}
    assert sentences == {"one": 2, "two": 2}
    assert model_name("lsa", ["brown", "wordnet"]) == "lsa-brown+wordnet"


def test_a_trained_model_in_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("\n".join(CORPUS) + "\n")
    model = training.train_on_corpora("lsa", [tmp_path / "corpus.txt"], None, {"n_components": 2})
    folder = tmp_path / "data" / "models"
    folder.mkdir(parents=True)
    model.save(folder / "lsa-mine")
    config = ExperimentConfig(
        task="sample-sts",
        baselines=[
            BaselineConfig(baseline="token-cosine"),
            BaselineConfig(baseline="lsa", model="lsa-mine"),
            BaselineConfig(baseline="wtmf", model="wtmf-wordnet+brown"),
        ],
    )
    results = experiment.run(config, tmp_path / "out", tmp_path / "data")
    assert [len(each.cells) for each in results.baselines] == [3, 3, 0]
    reasons = {cell.reason for cell in results.baselines[1].cells}
    assert reasons == {"trained on the sentences of corpus.txt (21)"}
    assert {cell.status for cell in results.baselines[1].cells} == {"not published"}
    cells = ledger([config], tmp_path / "ledger", tmp_path / "data")
    assert [cell.baseline for cell in cells] == ["lsa"] * 3
    assert "Besides, 3 of systems" in report.ledger_text(cells)
    missing = "Not run, since their models are not here (see `stsbaselines train`): wtmf."
    assert missing in results.notes
    pit = read_config("pit2015").baselines[4]
    alone = ExperimentConfig(task="pit2015", baselines=[pit])
    with pytest.raises(MissingDataError):
        experiment.run(alone, tmp_path, tmp_path / "data")
    with pytest.raises(MissingDataError, match="`stsbaselines train wtmf` trains it"):
        load_model(WTMF, pit.model)
    wrong = BaselineConfig(baseline="lda", model="lsa-mine")
    with pytest.raises(InputError, match="found a saved 'lsa', expected a LDA"):
        experiment.run(
            ExperimentConfig(task="sample-sts", baselines=[wrong]), tmp_path, tmp_path / "data"
        )


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data directory with the models that the configurations name."""
    if OFFICIAL_DATA is None:
        pytest.skip("needs the official data")
    folder = tmp_path_factory.mktemp("models")
    (folder / "models").mkdir()
    for name in NAMES:
        corpora = ["wordnet", "brown"]
        model = training.train_on_corpora(name, corpora, OFFICIAL_DATA, {"random_state": 0})
        model.save(folder / "models" / model_name(name, corpora))
    return folder


@pytest.mark.official
@pytest.mark.slow
def test_the_published_row_is_approached_and_lsa_is_beaten(
    models: Path, official_data: Path, tmp_path: Path
) -> None:
    found = experiment.run(read_config("pit2015"), tmp_path, models)
    statuses = {cell.name: cell.status for cell in found.cells if cell.baseline == "wtmf"}
    unlike = {"mPrecision", "mRecall"}
    assert {name for name, status in statuses.items() if status == "not reproducible"} == unlike
    assert {status for name, status in statuses.items() if name not in unlike} == {"close"}
    assert "wtmf: trained on the sentences of wordnet (117,659), brown (57,340)." in found.notes
    means: dict[str, list[float]] = {name: [] for name in NAMES}
    for year in ("sts2012", "sts2013", "sts2014", "sts2015", "sts2016"):
        for cell in experiment.run(read_config(year), tmp_path, models).cells:
            if cell.baseline in means and cell.name == "Mean":
                means[cell.baseline].append(cell.ours or 0.0)
    assert {len(values) for values in means.values()} == {5}
    assert np.mean(means["wtmf"]) > np.mean(means["lda"]) > np.mean(means["lsa"])


@pytest.mark.official
@pytest.mark.slow
def test_the_pairs_of_li_and_others(models: Path, official_data: Path) -> None:
    folder = official_data / "pit2015" / "wtmf-train100" / "li06"
    lines = (folder / "text").read_text().splitlines()
    gold = [float(line) for line in (folder / "gs").read_text().splitlines()]
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    assert len(pairs) == len(gold) == 30
    model = load(models / "models" / "wtmf-wordnet+brown")
    assert (correlation.pearson(model.predict(pairs), gold) or 0) > 0.8
