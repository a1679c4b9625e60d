"""WTMF, LSA and LDA: their text pipeline, their corpora, the exact solver, and the models."""

from __future__ import annotations

import pickle
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
from stsbaselines.errors import InputError
from stsbaselines.experiments.models import train_on_corpora
from stsbaselines.scoring import correlation
from tests.helpers import CORPUS

NAMES = ["wtmf", "lsa", "lda"]


def small(name: str, **parameters: Any) -> Any:
    common = {"n_components": 3, "random_state": 0}
    extra = {"regularization": 0.5} if name == "wtmf" else {}
    return create(name, **{**common, **extra, **parameters})


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


def test_inference_uses_the_trained_topics() -> None:
    """Words get the topic that training gave them: one for each of two themes."""
    themes = ["the cat chased the mouse", "stocks and bonds fell"]
    model = create("lda", n_components=2, n_passes=20, random_state=0).fit(themes * 30)
    cat, mouse, stocks, bonds = model.transform(["cat", "mouse", "stocks", "bonds"])
    assert cat.argmax() == mouse.argmax() != stocks.argmax() == bonds.argmax()
    words = {word: model.components_[row] for row, word in enumerate(model.vocabulary_)}
    assert cat.argmax() == words["cat"].argmax()
    assert stocks.argmax() == words["stock"].argmax()


def test_the_objective_falls_and_training_stops() -> None:
    model = small("wtmf", n_iter=100).fit(CORPUS)
    assert len(model.objective_) == 100
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
        ("wtmf", {"missing_weight": 0}, "is 0, but must be a number from 1e-09 to 1"),
        ("wtmf", {"regularization": "20"}, "regularization is the text '20', but must be a number"),
        ("wtmf", {"regularization": None}, "regularization is nothing, but must be a number"),
        ("wtmf", {"dtype": "float16"}, "dtype is 'float16', but must be float64 or float32"),
        ("wtmf", {"random_state": "abc"}, "random_state is 'abc', but must be a whole number"),
        ("wtmf", {"verbose": "x"}, "verbose is 'x', but must be true or false"),
        ("wtmf", {"regularization": 1e9}, "explains nothing of this corpus; a small corpus needs"),
    ],
)
def test_parameters_that_make_no_sense(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        small(name, **parameters).fit(CORPUS)


def test_parameters_that_are_set_later_count() -> None:
    model = small("wtmf").fit(CORPUS)
    before = model.transform(["a cat"])
    after = model.set_params(regularization=5.0).transform(["a cat"])
    assert (before != after).any()
    with pytest.raises(InputError, match="missing_weight is 7"):
        model.set_params(missing_weight=7).transform(["a cat"])


@pytest.mark.official
@pytest.mark.slow
def test_the_pairs_of_li_and_others(official_data: Path) -> None:
    folder = official_data / "pit2015" / "wtmf-train100" / "li06"
    lines = (folder / "text").read_text().splitlines()
    gold = [float(line) for line in (folder / "gs").read_text().splitlines()]
    pairs = list(zip(lines[::2], lines[1::2], strict=True))
    assert len(pairs) == len(gold) == 30
    model = train_on_corpora("wtmf", ["wordnet", "brown"], official_data, {"random_state": 0})
    assert (correlation.pearson(model.predict(pairs), gold) or 0) > 0.8
