"""The TF-IDF baseline of typed similarity."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from stsbaselines.baselines import create, load
from stsbaselines.baselines.typed_tfidf import TypedTfidf
from stsbaselines.errors import InputError
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.experiments.models import train_on_catalogues
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks import typed
from stsbaselines.tasks.records import Record
from stsbaselines.text import annotate

MILL = Record(title=("The water mill",), creator=("Smith, John",), date=("c. 1850",))
VIEW = Record(title=("View of a mill",), creator=("John Smith",), date=("1850",))
PARIS = Record(title=("A street in Paris",), description=("A man is walking in Paris.",))
PAIRS = [(MILL, VIEW), (VIEW, PARIS), (PARIS, PARIS)]
records = st.builds(Record, *[st.lists(st.text(max_size=20), max_size=2).map(tuple)] * 6)


def by_type(scores: FloatArray) -> dict[str, float]:
    return dict(zip(typed.TYPES, scores.tolist(), strict=True))


def test_similarities_of_small_records() -> None:
    model = TypedTfidf().fit(PAIRS)
    alike, other, same = map(by_type, model.predict(PAIRS))
    assert alike["author"] == pytest.approx(5)
    assert alike["people_involved"] == pytest.approx(5)
    assert 0 < alike["time"] < 5
    years = by_type(TypedTfidf(dates="years").fit(PAIRS).predict(PAIRS)[0])
    assert years["time"] == pytest.approx(5)
    assert 0 < alike["general"] < 5
    assert other["author"] == other["time"] == 0
    assert same["general"] == pytest.approx(5)
    assert same["location"] == pytest.approx(5)
    assert same["event"] == pytest.approx(5)


def test_tfidf_by_hand() -> None:
    """Two of three records have "mill": smooth idf is ln(4 / 3) + 1, of other words ln 2 + 1."""
    records = [Record(subject=(each,)) for each in ("mill", "mill pond", "sea")]
    model = TypedTfidf().fit_background(records)
    score = by_type(model.predict([(records[0], records[1])])[0])["subject"]
    mill, pond = math.log(4 / 3) + 1, math.log(2) + 1
    assert score == pytest.approx(5 * mill / math.hypot(mill, pond))
    plain = TypedTfidf(idf="plain").fit_background(records)
    mill, pond = math.log(3 / 2), math.log(3)
    score = by_type(plain.predict([(records[0], records[1])])[0])["subject"]
    assert score == pytest.approx(5 * mill / math.hypot(mill, pond))


def test_records_without_a_value_do_not_count() -> None:
    records = [Record(subject=("mill",)), Record(subject=("mill pond",))]
    empty = [Record(), Record(title=()), Record(description=())]
    model = TypedTfidf().fit_background([*records, *empty])
    assert model.n_records_ == 2
    assert (model.predict(PAIRS) == TypedTfidf().fit_background(records).predict(PAIRS)).all()
    assert TypedTfidf().fit([(records[0], Record()), (records[1], Record())]).n_records_ == 2


def test_evidence_names_what_matched_and_adds_up_to_the_scores() -> None:
    model = TypedTfidf().fit(PAIRS)
    evidence = {each.type: each for each in model.explain(PAIRS)[0]}
    assert set(evidence["author"].matched) == {"john", "smith"}
    assert evidence["time"].matched == ("1850",)
    scores = [[each.score for each in row] for row in model.explain(PAIRS)]
    assert model.predict(PAIRS).tolist() == scores


def test_parameters_for_what_the_paper_does_not_say() -> None:
    left = Record(creator=("Smith, John",), date=("c. 1850-1860",), subject=("sea sea SHIP",))
    right = Record(creator=("John Brown",), date=("c. 1855",), subject=("sea ship ship",))

    def scores(**parameters: object) -> dict[str, float]:
        return by_type(TypedTfidf(**parameters).fit([]).predict([(left, right)])[0])  # type: ignore[arg-type]

    usual = scores()
    assert usual["people_involved"] > 0 == scores(entities="whole")["people_involved"]
    assert usual["time"] > scores(dates="years")["time"] == 0
    assert scores(term_frequency="binary")["subject"] == pytest.approx(5)
    assert usual["subject"] < scores(term_frequency="log")["subject"] < 5
    assert scores(lowercase=False)["subject"] < usual["subject"]
    assert scores(empty=2.5)["location"] == 2.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"entities": "hole"}, "entities is 'hole', but must be tokens or whole"),
        ({"idf": ""}, "idf is '', but must be smooth or plain"),
        ({"lowercase": 1}, "lowercase is 1, but must be true or false"),
        ({"empty": 6}, "empty is 6, but must be a number from 0 to 5"),
        ({"annotator": "stanfort"}, "there is no annotator 'stanfort'"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        create("typed-tfidf", **parameters).fit(PAIRS).predict(PAIRS)
    assert message in str(error.value)


def test_pairs_that_are_no_records_are_refused() -> None:
    with pytest.raises(InputError, match=r"pairs\[1\]: .* expected a Record"):
        TypedTfidf().fit([]).predict([PAIRS[0], ("a", "b")])  # type: ignore[list-item]


def test_it_is_cloned_saved_and_loaded(tmp_path: Path) -> None:
    model = clone(TypedTfidf(entities="whole")).fit(PAIRS)
    model.save(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(PAIRS), model.predict(PAIRS))


@given(st.lists(st.tuples(records, records), min_size=1, max_size=3))
def test_scores_are_symmetric_and_in_range(pairs: list[tuple[Record, Record]]) -> None:
    model = TypedTfidf().fit(pairs)
    scores = model.predict(pairs)
    assert scores.shape == (len(pairs), 8)
    assert ((scores >= 0) & (scores <= 5)).all()
    assert scores == pytest.approx(model.predict([(right, left) for left, right in pairs]))


def test_a_background_is_counted_and_run_as_a_model(tmp_path: Path) -> None:
    things = tmp_path / "things.jsonl"
    things.write_text('{"id": "1", "title": "A mill"}\n{"title": "A pond", "medium": ["oil"]}\n')
    model = train_on_catalogues([things])
    assert model.document_frequencies_ == {"a": 2, "mill": 1, "oil": 1, "pond": 1}
    (tmp_path / "models").mkdir()
    model.save(tmp_path / "models" / "things")
    baseline = BaselineConfig(baseline="typed-tfidf", model="things")
    config = ExperimentConfig(task="sample-typed", baselines=[baseline])
    cells = experiment.run(config, tmp_path / "out", tmp_path).cells
    assert {cell.reason for cell in cells} == {"trained on the records of things.jsonl (2)"}


def test_years_are_weighed_by_how_many_records_name_them() -> None:
    common = [Record(date=("19th century",))] * 9 + [Record(date=("1850",))]
    model = TypedTfidf(dates="years").fit_background(common)
    assert model.document_frequencies_["1801"] == model.document_frequencies_["1900"] == 9
    assert set(TypedTfidf().fit_background(common).document_frequencies_) == {
        "19th",
        "century",
        "1850",
    }
    left = Record(date=("19th century", "1850"))
    score = by_type(model.predict([(left, common[0])])[0])["time"]
    often, rare = math.log(11 / 10) + 1, math.log(11 / 2) + 1
    both = math.sqrt(2) * often
    assert score == pytest.approx(5 * both * both / (both * math.hypot(both, rare)))


def test_records_with_strings_for_tuples_are_refused() -> None:
    wrong = Record(title="The mill")  # type: ignore[arg-type]
    for call in (
        lambda: TypedTfidf().fit([(wrong, MILL)]),
        lambda: TypedTfidf().fit_background([wrong]),
        lambda: TypedTfidf().fit([]).predict([(MILL, wrong)]),
    ):
        with pytest.raises(
            InputError, match=r"\.title: found 'The mill', expected a tuple of text"
        ):
            call()


def test_the_annotator_is_loaded_once_per_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []
    real = annotate.annotator_named

    def counting(name: str) -> annotate.Annotator:
        loaded.append(name)
        return real(name)

    monkeypatch.setattr("stsbaselines.baselines.typed_tfidf.annotator_named", counting)
    experiment.run(read_config("sample-typed"), tmp_path)
    assert loaded == ["builtin"]
