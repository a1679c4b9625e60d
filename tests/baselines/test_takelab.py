"""The features of TakeLab's system, each by hand, and the system that is trained on them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.svm import SVR

import stsbaselines
from stsbaselines.baselines import _takelab_features as features
from stsbaselines.baselines import takelab_simple
from stsbaselines.baselines._takelab_features import GROUPS, Sentence, sentences_of_pair
from stsbaselines.baselines.takelab_simple import TakeLabFeatures, TakeLabSimple, WordSpace
from stsbaselines.data import corpora as corpora_module
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import pearson
from stsbaselines.text.words import InformationContent

CONTENT = InformationContent({"the": 25, "cat": 4, "dog": 2}, total=100)
ROWS = {"cat": 0, "dog": 1, "kitten": 2}
SPACE = WordSpace(ROWS, np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32))
SIMILAR = {("kitten", "cat"): 0.5, ("dog", "cat"): 0.2, ("dog", "kitten"): 0.125}


class TinyWordNet:
    """A WordNet of three nouns, whose plurals end in s."""

    def lemma(self, word: str, tag: str | None = None) -> str:
        return word.removesuffix("s") if tag == "NNS" else word

    def path_similarity(self, one: str, other: str) -> float:
        return SIMILAR.get((one, other), SIMILAR.get((other, one), 0.0))


@pytest.fixture(autouse=True)
def tiny_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    wordnet = TinyWordNet()
    monkeypatch.setattr(features, "load_wordnet", lambda folder: wordnet)
    for module in (features, takelab_simple):
        monkeypatch.setattr(module, "find_wordnet", lambda data_dir=None: Path("wordnet"))


def values(group: str, left: str, right: str, space: WordSpace = SPACE) -> list[float]:
    transformer = TakeLabFeatures(CONTENT, [space], features=[group])
    return list(transformer.transform([(left, right)])[0])


@pytest.mark.parametrize(
    ("group", "left", "right", "expected"),
    [
        ("numbers", "no number", "none here", [0, 0, 1]),
        ("numbers", "7 men", "8 men", [math.log(3), 0, 0]),
        ("numbers", "65 and 4", "65.234", [math.log(4), 2 / 3, 1]),
        ("numbers", "65.24", "65.25", [math.log(3), 0, 0]),
        ("numbers", "6", "65", [math.log(3), 0, 0]),
        ("numbers", "1,200 men", "1200 men", [math.log(3), 1, 1]),
        ("numbers", "US$5 paid", "$ 5 paid", [math.log(3), 1, 1]),
        ("capitals", "a man", "A man", [0, 0]),
        ("capitals", "in Oslo", "near Oslo", [math.log(3), 1]),
        ("capitals", "in Oslo, Norway", "near Oslo", [math.log(4), 2 / 3]),
        ("stocks", "shares rose", "shares fell", [0, 0]),
        ("stocks", "<.ABC> rose", "the index .ABC rose", [math.log(3), 1]),
        ("stocks", ".ABC and .XYZ rose", "it was .XYZ again", [math.log(4), 2 / 3]),
        ("ngrams", "old black cats run", "old black cat", [4 / 7, 2 / 5, 0, 6 / 7, 4 / 5, 2 / 3]),
        ("ngrams", "cat", "cat", [1, 0, 0, 1, 0, 0]),
        ("ngrams", "the cat", "a cat", [1, 0, 0, 1, 0, 0]),
        ("ngrams", "the", "the", [1, 0, 0, 1, 0, 0]),
        ("ngrams", "", "cat", [0] * 6),
    ],
)
def test_overlaps_by_hand(group: str, left: str, right: str, expected: list[float]) -> None:
    assert values(group, left, right) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("cat", "cat", 1),
        ("kitten", "cat", 0.5),
        ("dog cat", "kitten", 2 * 0.3125 * 0.5 / 0.8125),
        ("dog", "emu", 0),
        ("", "dog", 0),
    ],
)
def test_wordnet_overlap(left: str, right: str, expected: float) -> None:
    assert values("wordnet", left, right) == pytest.approx([expected])


def test_weighted_overlap() -> None:
    cat, dog, the, emu = (math.log(100 / n) for n in (4, 2, 25, 1))
    words = 2 * (the + dog) / ((the + cat + dog) + (the + dog + emu))
    lemmas = 2 * dog / ((cat + dog) + (dog + emu))
    assert values("weighted", "the cat dog", "the dog emu") == pytest.approx([words, lemmas])


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("cat", "dog", [0, 0]),
        ("cat", "kitten", [0.6, 0.6]),
        ("cat dog", "cat", [math.sqrt(0.5), math.log(25) / math.hypot(math.log(25), math.log(50))]),
        ("emu", "cat", [0, 0]),
    ],
)
def test_spaces(left: str, right: str, expected: list[float]) -> None:
    assert values("spaces", left, right) == pytest.approx(expected)


def test_the_sign_of_a_cosine_does_not_count() -> None:
    space = WordSpace({"cat": 0, "dog": 1}, np.array([[1], [-1]], dtype=np.float32))
    assert values("spaces", "cat", "dog", space) == [1, 1]


def test_relative_differences() -> None:
    of_content = math.log(25) / (math.log(4) + math.log(25) + math.log(50))
    found = values("differences", "the cat dog", "the dog")
    assert found == pytest.approx([0.5, of_content])
    assert values("differences", "", "") == [0, 0]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("I'm not", "I am", (("I", "am", "not"), ("I", "am"))),
        ("can't", "can", (("ca", "not"), ("can",))),
        ("a well-known and/or", "x", (("a", "well", "known", "and", "or"), ("x",))),
        ("news paper", "Newspaper", (("newspaper",), ("Newspaper",))),
        ("news paper", "paper", (("news", "paper"), ("paper",))),
    ],
)
def test_tokens(left: str, right: str, expected: tuple[tuple[str, ...], ...]) -> None:
    assert tuple(each.tokens for each in sentences_of_pair(left, right, None)) == expected


def test_only_content_words_have_lemmas() -> None:
    wordnet: Any = TinyWordNet()
    one, _ = sentences_of_pair("The cats, and dogs", "", wordnet)
    tokens, words = ("The", "cats", ",", "and", "dogs"), ("the", "cats", "and", "dogs")
    assert one == Sentence(tokens, words, ("cats", "dogs"), ("cat", "dog"))


WORDS = ["the", "Cat", "cats", "dog", "kitten", "emu", "12", "12.5", ".ABC", "n't", "-", "news"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join) | st.text(max_size=15)


@given(SENTENCES, SENTENCES)
def test_features_are_symmetric_and_in_range(left: str, right: str) -> None:
    there, back = all_features([(left, right), (right, left)])
    assert there == pytest.approx(back)
    assert (there >= 0).all()
    for name, value in zip(all_names(), there, strict=True):
        assert name.endswith("_count") or value <= 1 + 1e-12


@given(st.lists(st.sampled_from(["Cat", "dogs", "the", "12", ".ABC"]), max_size=5).map(" ".join))
def test_a_sentence_is_like_itself(sentence: str) -> None:
    row = dict(zip(all_names(), all_features([(sentence, sentence)])[0].tolist(), strict=True))
    assert row["length_difference"] == row["content_difference"] == 0
    assert row["number_subset"] == 1
    for kind in ("number", "capital", "stock"):
        assert row[f"{kind}_f1"] == float(row[f"{kind}_count"] > 0)
    exists = float(bool(sentence))
    for name in ("word_1gram_f1", "lemma_1gram_f1", "wordnet_overlap", "weighted_word_f1"):
        assert row[name] == pytest.approx(exists)
    known = "Cat" in sentence or "dog" in sentence
    for name in ("space_1", "weighted_space_1", "weighted_space_2"):
        assert row[name] == pytest.approx(float(known))


def all_features(pairs: Sequence[Any]) -> Any:
    return TakeLabFeatures(CONTENT, [SPACE, SPACE]).transform(pairs)


def all_names() -> list[str]:
    return [str(name) for name in TakeLabFeatures(CONTENT, [SPACE, SPACE]).get_feature_names_out()]


def test_there_are_21_features() -> None:
    assert len(set(all_names())) == 21
    assert all_features([]).shape == (0, 21)


def test_spaces_are_needed_for_their_features() -> None:
    with pytest.raises(InputError, match="needs at least one space"):
        TakeLabFeatures(CONTENT).transform([("a cat", "a dog")])
    with pytest.raises(InputError, match="need information content"):
        TakeLabFeatures(features=["weighted"]).transform([("a cat", "a dog")])


def test_numbers_need_no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "load_wordnet", None)
    assert TakeLabFeatures(features=["numbers"]).transform([("1", "1")]).shape == (1, 3)


PAIRS = [("a cat", "the cat"), ("cat", "dog"), ("emus run", "a cat"), ("12 dogs", "12 dogs")] * 5


@given(st.sets(st.sampled_from(list(GROUPS)), min_size=1), st.randoms())
def test_chosen_groups_are_the_columns_of_all(groups: set[str], random: Any) -> None:
    chosen = random.sample(sorted(groups), len(groups))
    transformer = TakeLabFeatures(CONTENT, [SPACE, SPACE], features=chosen)
    expected = [
        name
        for group in GROUPS
        for name in TakeLabFeatures(CONTENT, [SPACE, SPACE], None, [group]).get_feature_names_out()
        if group in groups
    ]
    assert transformer.get_feature_names_out().tolist() == expected
    columns = [all_names().index(name) for name in expected]
    assert (transformer.transform(PAIRS) == all_features(PAIRS)[:, columns]).all()


def test_features_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    content = InformationContent({"the": 2}, total=100)
    found = TakeLabFeatures(content, [SPACE]).transform(PAIRS)
    for group in set(GROUPS) - {"spaces"}:
        monkeypatch.setitem(GROUPS, group, None)
    other = WordSpace({"cat": 0, "dog": 1}, np.array([[1, 0], [1, 1]], dtype=np.float32))
    in_other = TakeLabFeatures(content, [other]).transform(PAIRS)
    names = TakeLabFeatures(content, [SPACE]).get_feature_names_out().tolist()
    differs = (found != in_other).any(axis=0)
    assert list(itertools.compress(names, differs)) == ["space_1", "weighted_space_1"]
    monkeypatch.setitem(GROUPS, "spaces", None)
    assert (TakeLabFeatures(content, [SPACE]).transform(PAIRS[::-1]) == found[::-1]).all()


CORPUS = ["a cat meets a dog", "the dog meets the cat", "kittens sleep", "a kitten sleeps"]
GOLD = [5.0, 2.0, 0.0, 5.0] * 5


@pytest.fixture
def corpora(tmp_path: Path) -> list[str]:
    (tmp_path / "corpus.txt").write_text("\n".join(CORPUS) + "\n")
    return [str(tmp_path / "corpus.txt")]


@pytest.mark.parametrize("grid", [False, True])
def test_it_learns_and_is_saved(grid: bool, corpora: list[str], tmp_path: Path) -> None:
    model = TakeLabSimple(corpora, n_components=3, grid=grid).fit(PAIRS, GOLD)
    assert model.predict(PAIRS) == pytest.approx(GOLD, abs=0.6)
    model.save(tmp_path / "saved")
    Path(corpora[0]).unlink()
    loaded = stsbaselines.load(tmp_path / "saved")
    pairs = [*PAIRS, ("kittens sleep", "cats sleep"), ("", "")]
    assert (loaded.predict(pairs) == model.predict(pairs)).all()
    assert loaded.predict([]).shape == (0,)


def test_the_grid_search_finds_the_best_of_the_whole_grid() -> None:
    random = np.random.default_rng(0)
    features = random.uniform(size=(40, 2))
    scores = np.sin(4 * features[:, 0]) + features[:, 1] + random.normal(scale=0.2, size=40)
    folds = list(KFold(10, shuffle=True, random_state=5).split(features))
    grid = itertools.product(
        takelab_simple.GRID_C, takelab_simple.GRID_EPSILON, takelab_simple.GRID_GAMMA
    )

    def quality(choice: takelab_simple.Choice) -> float:
        cost, epsilon, gamma = choice
        svr = SVR(C=cost, epsilon=epsilon, gamma=gamma, tol=takelab_simple.GRID_TOLERANCE)
        predictions = cross_val_predict(svr, features, scores, cv=folds)
        return (pearson(predictions, scores) or 0.0) ** 2

    found = takelab_simple._best_choice(features, scores, 5, 2)
    assert found == max(grid, key=quality)


def test_the_grid_search_uses_the_features_of_the_pairs(corpora: list[str]) -> None:
    model = TakeLabSimple(corpora, n_components=3, grid=True, random_state=3).fit(PAIRS, GOLD)
    features = model.transformer().transform(PAIRS)
    expected = takelab_simple._best_choice(features, np.array(GOLD), 3, 1)
    assert (model.C_, model.epsilon_, model.gamma_) == expected


@pytest.mark.parametrize(("gold", "beyond"), [(5.0, 4.0), (0.0, -4.0)])
def test_scores_are_clipped(gold: float, beyond: float, corpora: list[str]) -> None:
    model = TakeLabSimple(corpora).fit(PAIRS, [gold] * 20)
    model.intercept_ += beyond
    assert set(model.predict(PAIRS).tolist()) == {gold}


def test_a_corpus_is_read_once_for_many_models(
    corpora: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = TakeLabSimple(corpora).fit(PAIRS, GOLD)
    monkeypatch.setattr(takelab_simple, "sentences_of", None)
    again = TakeLabSimple(corpora).fit(PAIRS, GOLD)
    assert (again.vectors_ == first.vectors_).all()
    other_seed = TakeLabSimple(corpora, random_state=1).fit(PAIRS, GOLD)
    assert (other_seed.counts_ == first.counts_).all()


def test_the_seed_is_that_of_the_spaces(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    words = [f"word{number}" for number in range(40)]
    lines = [
        " ".join(random.choice(words, 3)) for _ in range(30 * takelab_simple.SENTENCES_PER_PASSAGE)
    ]
    (tmp_path / "corpus.txt").write_text("\n".join(lines) + "\n")
    vectors = [
        TakeLabSimple([tmp_path / "corpus.txt"], n_components=3, random_state=seed)
        .fit(PAIRS, GOLD)
        .vectors_
        for seed in (0, 1, 0)
    ]
    assert (vectors[0] == vectors[2]).all()
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-6


@pytest.mark.parametrize("groups", [["numbers"], ["spaces", "capitals"], list(GROUPS)])
def test_groups_of_features(groups: list[str], corpora: list[str], tmp_path: Path) -> None:
    model = TakeLabSimple(corpora, n_components=3, features=groups).fit(PAIRS, GOLD)
    names = model.transformer().get_feature_names_out()
    assert model.support_vectors_.shape[1] == len(names)
    assert len(model.stems_) == int("spaces" in groups)
    model.save(tmp_path / "saved")
    assert (stsbaselines.load(tmp_path / "saved").predict(PAIRS) == model.predict(PAIRS)).all()


def test_where_corpora_and_wordnet_are_searched(
    corpora: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[Any]()

    def looked_for(data_dir: Any = None) -> Path:
        asked.append(data_dir)
        return Path("wordnet")

    def sentences(corpus: str, data_dir: Any = None) -> Any:
        asked.append(data_dir)
        return corpora_module.sentences_of(corpus, data_dir)

    monkeypatch.setattr(takelab_simple, "find_wordnet", looked_for)
    monkeypatch.setattr(takelab_simple, "sentences_of", sentences)
    model = TakeLabSimple(corpora, data_dir=tmp_path).fit(PAIRS, GOLD)
    assert asked == [tmp_path] * 3
    model.save(tmp_path / "saved")
    loaded = stsbaselines.load(tmp_path / "saved")
    loaded.predict(PAIRS)
    assert asked[3:] == [str(tmp_path)]
    loaded.set_params(wordnet="other", data_dir=None).predict(PAIRS)
    assert len(asked) == 4


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"corpora": Path("brown")}, "must be a list of corpora"),
        ({"corpora": ["no-such.txt"]}, "there is no corpus 'no-such.txt'"),
        ({"grid": 1}, "grid is 1, but must be true or false"),
        ({"C": 0}, "C is 0"),
        ({"features": "ngrams"}, "features must be a list of names, not 'ngrams'"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TakeLabSimple(**parameters).fit(PAIRS, GOLD)


@pytest.mark.parametrize(
    ("count", "gold", "grid", "message"),
    [
        (20, None, False, "must be trained on pairs with scores"),
        (20, [math.nan, *GOLD[1:]], False, "pair 1: found nan, expected a number"),
        (0, [], False, "pairs, at least 1, each"),
        (9, GOLD[:9], True, "pairs, at least 10, each"),
    ],
)
def test_wrong_training_is_refused(
    count: int, gold: Any, grid: bool, message: str, corpora: list[str]
) -> None:
    with pytest.raises(InputError, match=message):
        TakeLabSimple(corpora, grid=grid).fit(PAIRS[:count], gold)


def test_a_corpus_without_words_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("one two three\n")
    with pytest.raises(InputError, match="has no word twice"):
        TakeLabSimple([tmp_path / "empty.txt"]).fit(PAIRS, GOLD)
