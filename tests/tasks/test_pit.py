"""PIT-2015: files, scorer and the logistic regression baseline."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import precision_recall_fscore_support
from sklearn.model_selection import GridSearchCV

from stsbaselines.baselines import create, load
from stsbaselines.baselines.ngram_logreg import (
    FEATURE_NAMES,
    NgramLogisticRegression,
    NgramOverlap,
)
from stsbaselines.data.catalogue import DataSet, find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError
from stsbaselines.scoring.paraphrase import (
    average_precision,
    f1_curve,
    identification,
    max_f1,
)
from stsbaselines.tasks import pit
from stsbaselines.tasks.base import Family, Scores, family_of
from tests.helpers import run_command

SAMPLE = find_task("sample-pit")
NAME = "PIT2015_TEAM_01_run.output"
labelled = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=25)


def dataset_of(pairs: int, scored: int | None = None) -> DataSet:
    return SAMPLE.datasets[0].model_copy(update={"pairs": pairs, "scored": scored or pairs})


def written(folder: Path, content: str | bytes, name: str = NAME) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@given(labelled)
def test_identification_equals_scikit_learn(pairs: list[tuple[int, bool]]) -> None:
    predicted, gold = [score > 4 for score, _ in pairs], [label for _, label in pairs]
    ours = identification(predicted, gold)
    theirs = precision_recall_fscore_support(gold, predicted, average="binary", zero_division=0)
    assert [ours.precision or 0, ours.recall or 0, ours.f1] == pytest.approx(theirs[:3])
    assert (ours.precision is None) == (not any(predicted))
    assert (ours.recall is None) == (not any(gold))


def swept(scores: list[int], gold: list[bool]) -> float:
    """Return the best F1 by the literal sweep."""
    ranked = sorted(range(len(scores)), key=lambda number: scores[number])[::-1]
    best = 0.0
    for cut in range(1, len(ranked) + 1):
        predicted = [number in ranked[:cut] for number in range(len(scores))]
        best = max(best, identification(predicted, gold).f1)
    return best


@given(labelled)
def test_max_f1_is_the_best_of_all_cuts(pairs: list[tuple[int, bool]]) -> None:
    scores, gold = [score for score, _ in pairs], [label for _, label in pairs]
    best = max_f1(scores, gold)
    assume(best is not None)
    assert best is not None
    assert best.max_f1 == pytest.approx(swept(scores, gold))
    precision, recall = best.precision, best.recall
    assert best.max_f1 == pytest.approx(2 * precision * recall / (precision + recall))
    thresholds, f1 = f1_curve(scores, gold)
    assert len(thresholds) == len(set(scores))
    assert f1.max() <= best.max_f1 + 1e-12


def test_among_equal_scores_the_later_pair_comes_first_and_ties_are_cut() -> None:
    best = max_f1([0.5, 0.5], [False, True])
    assert best is not None
    assert (best.max_f1, best.precision, best.recall) == (1, 1, 1)
    worse = max_f1([0.5, 0.5], [True, False])
    assert worse is not None
    assert (round(worse.max_f1, 4), worse.precision, worse.recall) == (0.6667, 0.5, 1)


def test_of_several_best_cuts_the_first_counts() -> None:
    best = max_f1([4, 3, 2, 1], [True, False, False, True])
    assert best is not None
    assert (best.precision, best.recall) == (1, 0.5)


def test_without_a_true_pair_there_is_no_best_cut() -> None:
    assert max_f1([1, 2], [False, False]) is None
    assert average_precision([1, 2], [False, False]) is None
    assert [len(values) for values in f1_curve([1, 2], [False, False])] == [0, 0]
    assert max_f1([], np.array([], dtype=bool)) is None


@pytest.mark.parametrize(
    ("scores", "gold", "message"),
    [
        ([1, math.nan], [True, False], "finite"),
        ([1], [True, False], "1 values, but gold has 2"),
        ([1, 2], [1, 0], "booleans"),
    ],
)
def test_bad_arrays_are_refused(scores: list[float], gold: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        max_f1(scores, gold)


@pytest.mark.parametrize(
    ("text", "is_paraphrase", "degree"),
    [
        ("(5, 0)", True, 1.0),
        ("(3, 2)", True, 0.6),
        ("(2, 3)", None, 0.4),
        ("(1, 4)", False, 0.2),
        ("(0, 5)", False, 0.0),
        ("5", True, 1.0),
        ("4", True, 0.8),
        ("3", None, 0.6),
        ("2", False, 0.4),
        ("0", False, 0.0),
    ],
)
def test_labels_of_crowd_and_expert(text: str, is_paraphrase: bool | None, degree: float) -> None:
    assert pit.label_of(text) == (is_paraphrase, degree)


@pytest.mark.parametrize("text", ["", "6", "(3, 3)", "(6, 0)", "3,2", "(3,2)", "true", "-1"])
def test_other_labels_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no label"):
        pit.label_of(text)


def test_data_files_have_topics_labels_and_tags() -> None:
    first, *_ = pit.read_data(SAMPLES / "sample-pit" / "train.data")
    assert (first.topic_id, first.topic) == ("1", "Snow Day")
    assert first.label == (True, 1.0)
    assert len(first.left_tags) == len(first.left.split(" "))
    assert first.left_tags[0] == "No/O/NN/B-NP/O"


def test_training_pairs_are_those_that_are_not_debatable(tmp_path: Path) -> None:
    task = find_task("sample-pit-train")
    files = {"input": SAMPLES / "sample-pit" / "train.data"}
    pairs, gold = pit.read_training(files, task, task.datasets[0])
    assert len(pairs) == len(gold) == task.datasets[0].scored == 18
    table = written(tmp_path, "Q1,Q2,result\na b,a c,1\nx,y,0\n", "train.csv")
    pairs, gold = pit.read_training({"input": table}, task, dataset_of(2))
    assert (pairs, gold.tolist()) == ([("a b", "a c"), ("x", "y")], [True, False])
    with pytest.raises(InputError, match="found 2 labelled pairs, expected 3"):
        pit.read_training({"input": table}, task, dataset_of(3))
    table.write_text("Q1,Q2,result\na,b,c,1\n")
    with pytest.raises(InputError, match="line 2: found 'a,b,c,1'"):
        pit.read_training({"input": table}, task, dataset_of(1))


@pytest.mark.parametrize(
    "line", ["a\tb\tc\td\t3\te", "1\tt\tl\tr\t7\tx\ty", "", "1\tt\tl\tr\t3\tx\ty\r"]
)
def test_a_faulty_data_file_is_refused(line: str, tmp_path: Path) -> None:
    good = "1\tt\tl\tr\t3\tx\ty\n"
    with pytest.raises(InputError, match="expected"):
        list(pit.read_data(written(tmp_path, good + line + "\n", "dev.data")))


FAULTY_LINES = [
    "true",
    "True\t0.5000",
    "true 0.5000",
    "true\t0,5000",
    "true\tnan",
    "true\t",
    "true\t0.5\tx",
    "",
    "\ttrue",
    "----\t0.5000",
    "true\t1e999",
]


@pytest.mark.parametrize("line", FAULTY_LINES)
@pytest.mark.parametrize("strict", [False, True])
def test_faulty_output_is_refused(line: str, strict: bool, tmp_path: Path) -> None:
    path = written(tmp_path, f"true\t0.5000\n{line}\n")
    with pytest.raises(InputError, match="line 2: found"):
        pit.read_output(path, SAMPLE, dataset_of(2), strict)


@pytest.mark.parametrize("score", ["-0.1000", "1.0001", "0.5", "0.50000", "1.5000", "1e-2"])
def test_unusual_scores_are_noted_and_refused_in_a_submission(score: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"true\t0.5000\nfalse\t{score}\n")
    output = pit.read_output(path, SAMPLE, dataset_of(2))
    assert output.scores[1] == float(score)
    assert "which the official scorer accepts" in output.notes[0]
    with pytest.raises(InputError, match=r"line 2: found .* four decimals"):
        pit.read_output(path, SAMPLE, dataset_of(2), strict=True)


@pytest.mark.parametrize(
    "name", ["PIT2015_A_01_run.output", "mine.output", "PIT2015_TEAM_04_run.output", "x.txt"]
)
def test_a_file_name_is_a_note_and_a_fault_of_a_submission(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, "true\t0.5000\n", name)
    assert pit.read_output(path, SAMPLE, dataset_of(1)).notes == (
        "the file name is none that a submission may have",
    )
    with pytest.raises(InputError, match=r"expected a name such as PIT2015_TEAM_01_run\.output"):
        pit.read_output(path, SAMPLE, dataset_of(1), strict=True)


@given(st.binary(max_size=60), st.integers(1, 4))
def test_any_output_gives_finite_scores_or_an_error(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes, pairs: int
) -> None:
    path = written(tmp_path_factory.mktemp("output"), raw)
    try:
        output = pit.read_output(path, SAMPLE, dataset_of(pairs))
    except InputError:
        return
    assert output.scores.shape == output.labels.shape == (pairs,)
    assert np.isfinite(output.scores).all()


def test_gold_labels(tmp_path: Path) -> None:
    gold = pit.read_gold(
        written(tmp_path, "true\t0.8000\n----\t0.6000\nfalse\t0.0000\n"), SAMPLE, dataset_of(3)
    )
    assert gold.is_paraphrase.tolist() == [True, False, False]
    assert gold.is_debatable.tolist() == [False, True, False]
    assert gold.degree.tolist() == [0.8, 0.6, 0.0]
    for line in ("maybe\t0.5", "true\t1.5", "true"):
        with pytest.raises(InputError, match="expected"):
            pit.read_gold(written(tmp_path, line + "\n"), SAMPLE, dataset_of(1))


def scored(labels: list[bool], scores: list[float]) -> Scores:
    gold = pit.Gold(
        is_paraphrase=np.array([True, True, False, False, False]),
        is_debatable=np.array([False, False, False, False, True]),
        degree=np.array([1.0, 0.8, 0.2, 0.0, 0.6]),
    )
    output = pit.SystemOutput(np.array(labels), np.array(scores))
    return pit.score(SAMPLE, "run", {"test": gold}, {"test": output})


def test_debatable_pairs_count_for_similarity_only() -> None:
    first, second = (
        scored([True, False, True, False, label], [0.9, 0.4, 0.6, 0.1, 0.5])
        for label in (True, False)
    )
    assert first == second
    cells = first.cells()
    assert (cells["F1"], cells["precision"], cells["recall"], cells["n"]) == (0.5, 0.5, 0.5, 4)
    moved = scored([True, False, True, False, True], [0.9, 0.4, 0.6, 0.1, 0.8]).cells()
    assert moved["maxF1"] == cells["maxF1"]
    assert moved["pearson"] != cells["pearson"]


def test_no_positive_prediction_and_no_similarity_run() -> None:
    scores = scored([False] * 5, [0.0, 0.001, 0.0, 0.0, 0.0])
    cells = scores.cells()
    assert (cells["F1"], cells["precision"], cells["recall"]) == (0, None, 0)
    assert cells["pearson"] is cells["maxF1"] is cells["average_precision"] is None
    assert "no similarity run" in scores.notes[0]


def test_huge_scores_give_numbers_and_no_warning() -> None:
    huge = scored([True, False, True, False, True], [1e308, -1e308, 9e307, -9e307, 0.0]).cells()
    small = scored([True, False, True, False, True], [1.0, -1.0, 0.9, -0.9, 0.0]).cells()
    assert huge == pytest.approx(small)


def test_constant_scores_have_a_best_cut_but_no_correlation() -> None:
    cells = scored([True] * 5, [0.7] * 5).cells()
    assert cells["pearson"] is None
    assert cells["maxF1"] is not None


def features_of(left: str, right: str, **parameters: Any) -> dict[str, float]:
    row = NgramOverlap(**parameters).transform([(left, right)])[0]
    return dict(zip(FEATURE_NAMES, row.tolist(), strict=True))


def test_features_by_hand() -> None:
    # words: the cats sat down | the cat sat; stems: the cat sat down | the cat sat
    features = features_of("The cats sat down", "the cat sat")
    assert features["precision1gram"] == 2 / 4
    assert features["recall1gram"] == 2 / 3
    assert features["f1gram"] == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))
    assert features["precision2gram"] == features["recall2gram"] == features["f2gram"] == 0
    assert features["precision1stem"] == 3 / 4
    assert features["recall1stem"] == 1
    assert (features["precision2stem"], features["recall2stem"]) == (2 / 3, 1)
    assert features["f2stem"] == pytest.approx(0.8)
    assert (features["precision3stem"], features["recall3stem"]) == (1 / 2, 1)


def test_the_official_bigram_fault_is_an_option() -> None:
    left, right = "a b c d", "a b c"
    p1, p2, r2 = 3 / 4, 2 / 3, 1.0
    official, right_f = (
        features_of(left, right, official_bigram_f=fault)["f2gram"] for fault in (True, False)
    )
    assert official == pytest.approx(2 * p1 * r2 / (p2 + r2))
    assert right_f == pytest.approx(2 * p2 * r2 / (p2 + r2))
    assert features_of(left, right)["f2stem"] == pytest.approx(right_f)


tweets = st.sampled_from(["", "x", "two words", "\U0001f327 \U0001f600", "a a a", "!?", "don't"])


@given(st.lists(st.tuples(tweets | st.text(max_size=20), tweets), max_size=5))
def test_features_are_in_range_for_any_text(pairs: list[tuple[str, str]]) -> None:
    features = NgramOverlap(official_bigram_f=False).transform(pairs)
    assert features.shape == (len(pairs), 18)
    assert ((features >= 0) & (features <= 1 + 1e-12)).all()


PAIRS = [("a b", "a b c"), ("a b", "a c"), ("a", "b"), ("c d", "e f"), ("a", "a")] * 6
GOLD = [True, True, False, False, False] * 6


@pytest.mark.parametrize("encoding", ["one-hot", "real"])
@pytest.mark.parametrize("grid", [None, [0.1, 10.0]])
def test_training_gives_what_the_pipeline_gives(
    encoding: Any, grid: list[float] | None, tmp_path: Path
) -> None:
    model = clone(NgramLogisticRegression(encoding=encoding, grid=grid)).fit(PAIRS, GOLD)
    distinct = [number for number, (left, right) in enumerate(PAIRS) if left != right]
    pipeline = clone(model).set_params(C=model.C_).pipeline()
    pipeline.fit([PAIRS[n] for n in distinct], [GOLD[n] for n in distinct])
    new = [*PAIRS, ("", ""), ("unseen words here", "unseen words"), ("a", "a b c d e f g")]
    expected = pipeline.predict_proba(new)[:, 1]
    assert model.predict(new) == pytest.approx(expected, abs=1e-9)
    if grid:
        assert model.C_ in grid
    model.save(tmp_path / "saved")
    assert (load(tmp_path / "saved").predict(new) == model.predict(new)).all()


@pytest.mark.parametrize(
    ("parameters", "pairs", "gold", "message"),
    [
        ({}, [], None, "trained on labelled pairs"),
        ({}, PAIRS, None, "trained on labelled pairs"),
        ({}, PAIRS, [True] * 30, "at least 1 paraphrases and as many other"),
        ({}, PAIRS, [0.8] * 30, "true or false"),
        ({}, PAIRS, ["true"] * 30, "true or false"),
        ({}, PAIRS, [[True]] * 30, "labels of shape"),
        ({}, ["ab"] * 30, GOLD, "expected a pair of two strings"),
        ({"C": 0}, PAIRS, GOLD, "C must be from 1e-08 to 1e"),
        ({"C": True}, PAIRS, GOLD, "C must be from"),
        ({"grid": []}, PAIRS, GOLD, "C must be from"),
        ({"grid": 5}, PAIRS, GOLD, "C must be from"),
        ({"grid": [1.0, 1e300]}, PAIRS, GOLD, "C must be from"),
        ({"official_bigram_f": "banana"}, PAIRS, GOLD, "must be true or false"),
        ({"grid": [1.0]}, PAIRS[:10], GOLD[:10], "at least 5 paraphrases"),
        ({"encoding": "official-weights", "weights": 5}, [], None, "needs `weights`"),
        ({"encoding": "one-hit"}, PAIRS, GOLD, "did you mean 'one-hot'"),
        ({"encoding": "official-weights"}, [], None, "needs `weights`"),
        ({"encoding": "official-weights", "weights": "gone"}, [], None, "nothing there"),
    ],
)
def test_what_cannot_be_trained_says_why(
    parameters: dict[str, Any], pairs: list[tuple[str, str]], gold: list[bool] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        NgramLogisticRegression(**parameters).fit(pairs, gold)


def test_the_pipeline_is_a_classifier_for_grid_search() -> None:
    search = GridSearchCV(
        NgramLogisticRegression(encoding="real").pipeline(),
        {"classifier__C": [1e-6, 10.0]},
        scoring="neg_log_loss",
        cv=2,
    )
    assert search.fit(PAIRS, GOLD).best_params_ == {"classifier__C": 10.0}
    with pytest.raises(InputError, match="no encoding to train 'official-weights'"):
        NgramLogisticRegression(encoding="official-weights").pipeline()


@pytest.mark.parametrize(
    "damage",
    [
        {"weight_": np.array([math.nan])},
        {"weight_": np.ones((1, 1))},
        {"feature_": np.array([18])},
        {"feature_": np.array([0.5])},
        {"value_": np.array(["x"])},
        {"value_": np.ones(2)},
        {"intercept_": "x"},
    ],
)
def test_a_damaged_saved_model_is_refused(damage: dict[str, Any], tmp_path: Path) -> None:
    model = NgramLogisticRegression()
    model.feature_, model.value_ = np.array([0]), np.array([1.0])
    model.weight_, model.intercept_ = np.array([1.0]), 0.5
    for name, value in damage.items():
        setattr(model, name, value)
    model.save(tmp_path / "saved")
    with pytest.raises(InputError, match="not those of ngram-logreg"):
        load(tmp_path / "saved")


def test_a_model_with_official_weights_is_saved(tmp_path: Path) -> None:
    model = official(written(tmp_path, TABLE, "weights.tsv"))
    model.save(tmp_path / "saved")
    assert load(tmp_path / "saved").predict([("a b", "a")]) == model.predict([("a b", "a")])


def test_an_untrained_model_does_not_predict() -> None:
    with pytest.raises(NotFittedError):
        NgramLogisticRegression().predict(PAIRS)
    done = run_command(["predict", "ngram-logreg"], input="a\tb\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "must be trained on labelled pairs, or read its `weights`" in done.stderr


TABLE = (
    "index\tfeature\tvalue\tlabel\tweight_base2\n"
    "0\tprecision1gram\t0.5\ttrue\t2.0\n"
    "1\tprecision1gram\t0.5\tfalse\t1.0\n"
    "2\tf3stem\t1.0\ttrue\t-1.0\n"
    "3\t*always-on*\t1.0\tfalse\t1.0\n"
    "4\t*always-on*\t1.0\ttrue\t0.5\n"
)


def official(path: Path) -> Any:
    return create("ngram-logreg", encoding="official-weights", weights=path).fit([])


def test_official_weights_are_base_two(tmp_path: Path) -> None:
    model = official(written(tmp_path, TABLE, "weights.tsv"))
    assert model.predict([("a b", "a"), ("x", "y")]) == pytest.approx(
        [1 / (1 + 2 ** (2.0 - 2.5)), 1 / (1 + 2 ** (1.0 - 0.5))]
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t0.5\ttrue", "\tx\ttrue", "line 2: found"),
        ("\t2.0\n", "\tnan\n", "not finite"),
        ("\t2.0\n", "\t2.0\textra\n", "line 2: found"),
        ("0.5\ttrue", "0.5\tmaybe", "line 2: found"),
        ("f3stem", "f4stem", "the feature 'f4stem'"),
        ("*always-on*", "f1gram", "no *always-on* weight"),
        ("index", "number", "other content"),
        ("index\t", "index\t\t", "line 1: found"),
        ("\t0.5\n", "\t0.5", "no newline at its end"),
        ("4\t", "5\t", "indices that are not 0 to 4"),
        ("0.5\tfalse", "0.5\ttrue", "two weights for the same"),
        ("*always-on*\t1.0\ttrue", "*always-on*\t2.0\ttrue", "no *always-on* weight"),
    ],
)
def test_a_faulty_table_of_weights_is_refused(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path, TABLE.replace(old, new), "weights.tsv")
    with pytest.raises(InputError, match=message.replace("*", r"\*")):
        official(path)


def maxent_classifier() -> Any:
    """Return a classifier of the kind that the organisers pickled."""
    from nltk.classify.maxent import BinaryMaxentFeatureEncoding, MaxentClassifier

    mapping = {
        ("precision1gram", 0.5, "true"): 0,
        ("precision1gram", 0.5, "false"): 1,
        ("f3stem", 1.0, "true"): 2,
    }
    encoding = BinaryMaxentFeatureEncoding(["true", "false"], mapping, alwayson_features=True)
    encoding._alwayson = {"false": 3, "true": 4}
    return MaxentClassifier(encoding, np.array([2.0, 1.0, -1.0, 1.0, 0.5]), logarithmic=True)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4])
def test_the_released_pickle_is_read_like_the_table(protocol: int, tmp_path: Path) -> None:
    raw = pickle.dumps(maxent_classifier(), protocol)
    model = official(written(tmp_path, raw, "baseline.model"))
    table = official(written(tmp_path, TABLE, "weights.tsv"))
    pairs = [("a b", "a"), ("x", "y"), ("a b c", "a b c")]
    assert (model.predict(pairs) == table.predict(pairs)).all()


class Malicious:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("executed"),))


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(Malicious()),
        pickle.dumps([Malicious()], 0),
        b"cos\nsystem\n(S'touch executed'\ntR.",
        b"cnltk.classify.maxent\nMaxentClassifier.__init__.__globals__\n.",
        b"\x80\x02}K\x01" + b"2\x86" * 64 + b"K\x01s.",
        b"\x80\x02Nr\xff\xff\xff\x0f0.",
        b"ccopy_reg\n_reconstructor\n(N}S'__defaults__'\n(I1\ntstb.",
        b"(" * 100_000 + b"t" * 100_000 + b".",
        b"\x80\x04\x8f(K\x01\x90.",
        b"\x80\x05\x96" + (4 << 30).to_bytes(8, "little") + b".",
        pickle.dumps({"_weights": 1}),
        pickle.dumps(None),
        b"",
        b"\x80",
        b"garbage",
    ],
)
def test_other_pickles_execute_nothing(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a table of weights"):
        official(written(tmp_path, content, "baseline.model"))
    assert not Path("executed").exists()


@given(st.data())
def test_a_damaged_pickle_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    raw = bytearray(pickle.dumps(maxent_classifier(), data.draw(st.integers(0, 4))))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path = written(tmp_path_factory.mktemp("damaged"), bytes(raw), "baseline.model")
    try:
        model = official(path)
    except InputError:
        return
    assert np.isfinite([*model.weight_, *model.value_, model.intercept_]).all()


def test_the_module_offers_what_a_family_must() -> None:
    family: Family = pit
    assert family_of(SAMPLE) is family


def test_predictions_become_labels_and_four_decimals() -> None:
    assert (
        pit.format_predictions([0.5, 0.49999, 1.0])
        == b"true\t0.5000\nfalse\t0.5000\ntrue\t1.0000\n"
    )


def test_score_and_check_from_the_command_line(tmp_path: Path) -> None:
    lines = "".join(f"{'true' if n % 2 else 'false'}\t0.{n:02}00\n" for n in range(12))
    path = written(tmp_path, lines)
    done = run_command(["score", "sample-pit", str(path)])
    assert "F1" in done.stdout
    assert "test(10/12)" in done.stdout
    assert run_command(["check", "sample-pit", str(path)]).returncode == 0
    other = written(tmp_path, lines, "mine.output")
    done = run_command(["check", "sample-pit", str(other)])
    assert done.returncode == 2
    assert "expected a name such as" in done.stderr
    done = run_command(["score", "sample-pit", str(tmp_path)])
    assert "found 2 files" in done.stderr
