"""DKPro's system of 2012: its features, its regression, and the baselines made of them."""

from __future__ import annotations

import math
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

import stsbaselines
from stsbaselines.baselines import _esa, create
from stsbaselines.baselines._dkpro_features import (
    STRING_NAMES,
    WORD_NAMES,
    CharacterNgrams,
    StringSimilarity,
    WordNgrams,
    character_profile,
    common_subsequence,
    common_substring,
    string_similarities,
    tiled,
    word_similarities,
)
from stsbaselines.baselines._esa import SemanticAnalysis, space_of
from stsbaselines.baselines._resnik import WordNetSimilarity
from stsbaselines.baselines.dkpro import DKPro
from stsbaselines.baselines.dkpro_string import DKProString, backward_elimination, is_same
from stsbaselines.errors import InputError
from tests.text.test_wordnet import put_wordnet

PAIRS = [
    ("A man is playing a guitar.", "A man plays the guitar."),
    ("A woman is slicing an onion.", "A woman cuts an onion."),
    ("A dog runs through the field.", "The stock market fell on Friday."),
    ("Two boys are swimming.", "Two girls are swimming."),
    ("The cat sleeps.", "The cat sleeps."),
    ("It rained all day.", "Shares rose by 3 percent."),
    ("A train leaves the station.", "The train arrives at the station."),
    ("He is cooking rice.", "A man cooks some rice."),
]
GOLD = [4.8, 4.6, 0.0, 2.4, 5.0, 0.2, 2.5, 4.0]
CORPUS = [
    "guitar: a man plays it with strings",
    "onion: a woman slices it to cook",
    "dog: it runs and sleeps",
    "cat: it sleeps and runs",
    "rice: we cook it",
    "train: it leaves the station",
]
LETTERS = st.text("ab c", max_size=12)
TEXT = st.text(st.sampled_from("abcAB .,1é"), max_size=25)


def plain_tiling(left: str, right: str, shortest: int) -> int:
    """Greedy string tiling by Wise (1996): mark the first of the longest matches, repeatedly."""
    covered = 0
    while True:
        i, j, size = SequenceMatcher(None, left, right, autojunk=False).find_longest_match()
        if size < shortest:
            return covered
        left = left[:i] + "<" * size + left[i + size :]
        right = right[:j] + ">" * size + right[j + size :]
        covered += size


def plain_subsequence(left: str, right: str) -> int:
    lengths = [0] * (len(right) + 1)
    for a in left:
        before = list(lengths)
        for j, b in enumerate(right, 1):
            lengths[j] = before[j - 1] + 1 if a == b else max(lengths[j - 1], before[j])
    return lengths[-1]


@given(LETTERS, LETTERS, st.integers(1, 4))
def test_tiling_is_that_of_wise(left: str, right: str, shortest: int) -> None:
    assert tiled(left, right, shortest) == plain_tiling(left, right, shortest)


@given(LETTERS, LETTERS)
def test_the_common_subsequence_is_the_longest(left: str, right: str) -> None:
    assert common_subsequence(left, right) == plain_subsequence(left, right)
    assert common_subsequence(left, right) == common_subsequence(right, left)


@given(LETTERS, LETTERS)
def test_the_common_substring_is_the_longest(left: str, right: str) -> None:
    found = common_substring(left, right)
    parts = {left[i : i + n] for n in (found, found + 1) for i in range(len(left) - n + 1)}
    assert max((len(part) for part in parts if part in right), default=0) == found


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("abcdef", "defabc", [1.0, 0.5, 0.5, 0.5]),
        ("ABCD", "abcd", [1.0, 1.0, 1.0, 1.0]),
        ("abcde", "ab de", [0.0, 0.8, 0.8, 0.4]),
        ("abc", "abcabc", [1.0, 2 / 3, 1.0, 2 / 3]),
        ("", "a", [0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_strings_by_hand(left: str, right: str, expected: list[float]) -> None:
    assert StringSimilarity().fit_transform([(left, right)])[0] == pytest.approx(expected)


@given(TEXT, TEXT)
def test_strings_and_words_are_between_0_and_1(left: str, right: str) -> None:
    for similarities in (string_similarities, word_similarities):
        assert all(0 <= value <= 1 for value in similarities(left, right))
    there, back = string_similarities(left, right), string_similarities(right, left)
    assert [there[1], there[3]] == [back[1], back[3]]
    there, back = word_similarities(left, right), word_similarities(right, left)
    assert there[2:] == back[2:]


def test_words_by_hand() -> None:
    pair = ("The small cat sleeps on a mat", "The small cat sits on the mat")
    expected = {
        "content_containment_1": 3 / 4,  # small cat sleeps mat, small cat sits mat
        "content_containment_2": 1 / 3,  # small cat, cat sleeps, sleeps mat
        "jaccard_1": 5 / 8,  # the small cat on mat, of these and sleeps, a, sits
        "content_jaccard_2": 1 / 5,
        "jaccard_3": 1 / 9,  # the small cat, of 5 + 5 - 1
        "jaccard_4": 0.0,
        "content_jaccard_4": 0.0,
    }
    found = WordNgrams().fit_transform([pair])[0]
    assert dict(zip(WORD_NAMES, found, strict=True)) == pytest.approx(expected)


def test_character_ngrams_by_hand() -> None:
    # Bigrams: ab in 3 of 4 sentences, bc in 2, bd and xy in 1 each; xyz has none of theirs.
    pairs = [("ab c", "ABD"), ("abc", "xy")]
    ngrams = CharacterNgrams().fit(pairs)
    assert ngrams.n_sentences_ == 4
    assert {key: n for key, n in ngrams.frequencies_.items() if len(key) == 2} == {
        "ab": 3,
        "bc": 2,
        "bd": 1,
        "xy": 1,
    }
    ab, bc, bd = math.log10(4 / 3), math.log10(2), math.log10(4)
    expected = ab * ab / math.hypot(ab, bc) / math.hypot(ab, bd)
    assert ngrams.transform(pairs)[:, 0] == pytest.approx([expected, 0.0])
    assert ngrams.transform([("qqq", "q q q")])[0] == pytest.approx([1, 1, 0])
    assert character_profile("aa aA", 2) == {"aa": 3}


@pytest.fixture(scope="module")
def small_wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nouns = [
        ("entity", "", "all"),
        ("animal", "entity", "it lives"),
        ("dog", "animal", "it barks"),
        ("cat", "animal", "it mews"),
        ("stone", "entity", "it lies"),
    ]
    verbs = [("run", "", "fast"), ("sit", "", "down")]
    return put_wordnet(tmp_path_factory.mktemp("wordnet"), nouns, verbs)


def test_resnik_by_hand(small_wordnet: Path) -> None:
    # animal has 3 of 5 synsets at or below it.
    animal = 1 - math.log(3) / math.log(5)
    pairs = [("the dog was running", "the cat was running"), ("a stone", "dogs")]
    similarity = WordNetSimilarity(small_wordnet).fit(pairs)
    frequencies = {"a": 1, "cat": 1, "dog": 2, "run": 2, "stone": 1, "the": 2, "was": 2}
    assert similarity.frequencies_ == frequencies
    once, twice = math.log10(4), math.log10(2)
    left = (3 * twice + twice * animal) / (4 * twice)
    right = (3 * twice + once * animal) / (3 * twice + once)
    assert similarity.transform(pairs)[:, 0] == pytest.approx([(left + right) / 2, 0.0])


SENSES = st.lists(
    st.sampled_from(["the", "dog", "cats", "animal", "stone", "runs", "sitting", "old", "."]),
    max_size=5,
).map(" ".join)


@given(st.lists(st.tuples(SENSES, SENSES), min_size=1, max_size=4), SENSES, SENSES)
def test_resnik_is_symmetric_and_in_range(
    small_wordnet: Path, pairs: list[tuple[str, str]], left: str, right: str
) -> None:
    similarity = WordNetSimilarity(small_wordnet).fit([*pairs, ("a dog barks", "stones")])
    there, back, same = similarity.transform([(left, right), (right, left), (left, left)])
    assert there == pytest.approx(back)
    assert 0 <= there <= 1
    assert same == (0 if left.strip(" .") == "" else pytest.approx(1))


def test_semantic_analysis_by_hand() -> None:
    # cat in 1, 2; pet in 1, 3; dog in 3, 4 (twice in 4): cat . pet = 1/2.
    space = space_of(["cat pet", "cat", "dog pet", "dog dog"])
    one, two = math.log(2), math.log(3)
    dog_pet = one / math.hypot(one, two) / math.sqrt(2)
    pairs = [("cat", "pets"), ("dog", "pet"), ("cat", "dog"), ("cat", "unknown"), ("", "")]
    assert space.cosines(pairs) == pytest.approx([0.5, dog_pet, 0, 0, 0], abs=1e-6)
    both = (1 + 0.5) / math.sqrt(1 + 1 + 2 * 0.5)
    assert space.cosines([("cat pet", "cat")]) == pytest.approx([both], abs=1e-6)


@pytest.mark.parametrize("corpus", [[], ["a cat", "the dog"]])
def test_a_corpus_without_words_is_refused(corpus: list[str]) -> None:
    with pytest.raises(InputError, match="has no word twice"):
        space_of(corpus)


def test_more_processes_give_the_same() -> None:
    pairs = [(f"{left} {n}", right) for n in range(30) for left, right in PAIRS]
    alone = np.array([string_similarities(*pair) for pair in pairs])
    assert (StringSimilarity(n_jobs=2).fit_transform(pairs) == alone).all()


def plain_criterion(features: Any, gold: Any, kept: Any) -> float:
    design = np.column_stack([np.ones(len(gold)), features[:, kept]])
    weights = np.linalg.lstsq(design, gold, rcond=None)[0]
    error = float(((gold - design @ weights) ** 2).sum())
    return len(gold) * math.log(error / len(gold)) + 2 * len(kept)


@given(st.integers(0, 10_000))
def test_removing_any_other_feature_raises_the_criterion(seed: int) -> None:
    random = np.random.default_rng(seed)
    features = random.normal(size=(30, 5))
    gold = features[:, 0] + random.normal(size=30)
    coefficients, intercept = backward_elimination(features, gold)
    kept = tuple(np.flatnonzero(coefficients))
    design = np.column_stack([np.ones(30), features[:, kept]])
    expected = np.linalg.lstsq(design, gold, rcond=None)[0]
    assert [intercept, *coefficients[list(kept)]] == pytest.approx(expected)
    best = plain_criterion(features, gold, kept)
    for each in kept:
        less = tuple(k for k in kept if k != each)
        assert plain_criterion(features, gold, less) > best - 1e-9


def test_a_feature_given_twice_or_always_the_same_is_left_out() -> None:
    line = np.arange(10.0)
    gold = line + np.tile([0.1, -0.1], 5)
    coefficients, _ = backward_elimination(np.column_stack([line, line, np.ones(10)]), gold)
    assert np.count_nonzero(coefficients) == 1
    assert coefficients.sum() == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("It's here.", "Its here", True),
        ("a b", "ab", True),
        ("It", "it", False),
        ("...", "!", False),
        ("日本", "中国", False),
        ("日本", "日本", True),
    ],
)
def test_same_letters_and_digits(left: str, right: str, expected: bool) -> None:
    assert is_same(left, right) is expected
    model = DKProString(features=["strings"]).fit(PAIRS, GOLD)
    assert (model.predict([(left, right)])[0] == 5.0) == expected


def test_features_have_names() -> None:
    model = DKProString().fit(PAIRS, GOLD)
    names = [*STRING_NAMES, "character_2", "character_3", "character_4", *WORD_NAMES]
    assert list(model.coefficients_) == names
    assert StringSimilarity().get_feature_names_out().tolist() == list(STRING_NAMES)
    assert SemanticAnalysis(["brown", "a/b.txt"]).get_feature_names_out().tolist() == [
        "esa_brown",
        "esa_b",
    ]


def corpus_file(folder: Path) -> str:
    path = folder / "corpus.txt"
    path.write_text("\n".join(CORPUS) + "\n")
    return str(path)


@pytest.fixture
def whole(small_wordnet: Path, tmp_path: Path) -> DKPro:
    _esa.corpus_space.cache_clear()
    model = DKPro([corpus_file(tmp_path)], wordnet=str(small_wordnet))
    model.fit(PAIRS, GOLD)
    return model


@pytest.mark.parametrize("idf", ["training", "predicted"])
def test_a_saved_model_predicts_the_same(whole: DKPro, idf: Any, tmp_path: Path) -> None:
    for number, model in enumerate([whole, DKProString().fit(PAIRS, GOLD)]):
        model.idf = idf
        model.save(tmp_path / str(number))
        loaded = stsbaselines.load(tmp_path / str(number))
        assert type(loaded) is type(model)
        assert loaded.predict(PAIRS) == pytest.approx(model.predict(PAIRS), abs=1e-12)
    assert whole.coefficients_.keys() >= {"resnik", "esa_corpus"}


@pytest.mark.parametrize("idf", ["training", "predicted"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_chunks_give_what_one_call_gives(whole: DKPro, idf: Any, n_jobs: int) -> None:
    whole.idf = idf
    chunks = list(whole.predict_chunks(iter(PAIRS), 3, n_jobs))
    assert np.concatenate(chunks) == pytest.approx(whole.predict(PAIRS), abs=1e-12)
    assert whole.idf == idf


def test_idf_of_training_or_predicted_pairs() -> None:
    training, predicted = DKProString().fit(PAIRS, GOLD), DKProString("predicted").fit(PAIRS, GOLD)
    assert training.coefficients_ == predicted.coefficients_
    assert training.predict(PAIRS) == pytest.approx(predicted.predict(PAIRS))
    learned = predicted.frequencies_
    apart = predicted.predict(PAIRS[:4])
    assert np.abs(apart - training.predict(PAIRS[:4])).max() > 0.01
    assert predicted.frequencies_ is learned


def test_a_single_pair_has_no_idf_of_its_own() -> None:
    model = DKProString("predicted").fit(PAIRS, GOLD)
    with pytest.raises(InputError, match="a single pair cannot be scored with idf='predicted'"):
        model.predict(PAIRS[:1])
    with pytest.raises(InputError, match="a single pair"):
        model.predict_chunks(iter(PAIRS[:1]))
    assert model.predict([]).shape == (0,)
    assert [len(chunk) for chunk in model.predict_chunks(PAIRS[:3], 2)] == [2, 1]


def test_each_set_has_its_own_idf_in_training() -> None:
    sets = ["b", "a"] * 4
    model = DKProString("predicted", features=["characters"])
    with pytest.raises(InputError, match="8 pairs, but the sets of 1"):
        clone(model).fit(PAIRS, GOLD, ["a"])
    fitted = clone(model).fit(PAIRS, GOLD, sets)
    rows = np.zeros((8, 3))
    for start in (0, 1):
        rows[start::2] = CharacterNgrams().fit_transform(PAIRS[start::2])
    weights, intercept = backward_elimination(np.log1p(rows), GOLD)
    assert [*fitted.coefficients_.values()] == pytest.approx(weights)
    assert fitted.intercept_ == pytest.approx(intercept)


@pytest.mark.parametrize(
    ("parameters", "pairs", "gold", "message"),
    [
        ({}, PAIRS, None, "must be trained"),
        ({}, [], [], "pairs, at least 2, each"),
        ({}, PAIRS, GOLD[:3], "each with a score"),
        ({}, PAIRS, [9.0] * 8, "from 0 to 5"),
        ({"features": ["word"]}, PAIRS, GOLD, "did you mean 'words'"),
        ({"features": []}, PAIRS, GOLD, "must be a list"),
        ({"features": [1]}, PAIRS, GOLD, "no group of features '1'"),
        ({"n_jobs": 0}, PAIRS, GOLD, "n_jobs is 0, but must be a whole number other than 0"),
        ({"idf": "train"}, PAIRS, GOLD, "idf is 'train', but must be training or predicted"),
        ({}, ["ab"], [1.0], "expected a pair of two strings"),
    ],
)
def test_wrong_training_is_refused(
    parameters: dict[str, Any], pairs: Any, gold: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        create("dkpro-string", **parameters).fit(pairs, gold)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"corpora": "brown"}, "must be a list of corpora"),
        ({"corpora": [], "features": ["esa"]}, "must be a list of corpora"),
        ({"corpora": ["brown", "brown"]}, "a corpus is named twice"),
        ({"corpora": ["brown", "b/brown.txt"]}, "2 corpora are called 'brown'"),
        ({"wordnet": 3}, "wordnet is 3, but must be a path"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        DKPro(**parameters).fit(PAIRS, GOLD)


def test_a_corpus_that_is_rewritten_is_read_again(tmp_path: Path) -> None:
    path = Path(corpus_file(tmp_path))
    model = DKPro([str(path)], features=["esa"]).fit(PAIRS, GOLD)
    assert "cook" in model.esa_words_[0]
    path.write_text("a bird flies\nthe bird sings\n")
    assert model.fit(PAIRS, GOLD).esa_words_ == [["bird"]]
