"""Training on labelled pairs: what is read, what is told to a baseline, one model a data set."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stsbaselines import compare, load
from stsbaselines.baselines import create
from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.systems import no_progress, predictor_named
from stsbaselines.evaluation.trained_models import load_model, ready
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import (
    BaselineConfig,
    Deviation,
    ExperimentConfig,
    PublishedRun,
    Training,
    config_names,
    read_config,
)
from stsbaselines.experiments.ledger import LedgerEntry, cells_of, published_row
from stsbaselines.experiments.models import LabelledPairs, read_labelled, train_on_pairs
from stsbaselines.experiments.training import DEFAULT, BaselineSetup, fitted
from stsbaselines.predictor import Predictor
from stsbaselines.reports.text import Format, ledger_text
from stsbaselines.tasks.base import Scores
from tests.helpers import run_command

KITCHEN, JOURNEYS = find_task("sample-sts").datasets
PAIRS = [("a cat", "a cat"), ("a cat", "a dog"), ("one", "two")]


@pytest.mark.parametrize(
    ("sources", "counts", "source"),
    [
        ([Training(task="sample-sts")], {"kitchen": 11, "journeys": 9}, "sample-sts (20"),
        (
            [Training(task="sample-sts", datasets=["journeys"])],
            {"journeys": 9},
            "sample-sts, journeys (9",
        ),
        (
            [Training(task="sample-sts", first_of=["kitchen", "journeys"])],
            {"kitchen": 11},
            "sample-sts, kitchen (11",
        ),
        (
            [Training(task="sample-sts", datasets=[name]) for name in ("journeys", "kitchen")],
            {"kitchen": 11, "journeys": 9},
            "sample-sts, journeys (9 labelled pairs) and sample-sts, kitchen (11",
        ),
    ],
)
def test_labelled_pairs_are_joined(
    sources: list[Training], counts: dict[str, int], source: str
) -> None:
    found = read_labelled(sources)
    assert {name: found.sets.count(f"sample-sts/{name}") for name in counts} == counts
    assert len(found.pairs) == len(found.labels) == len(found.sets) == sum(counts.values())
    assert found.source == f"{source} labelled pairs)"
    assert np.isfinite(found.labels).all()


def test_labels_that_are_no_array_are_joined_too() -> None:
    found = read_labelled([Training(task="sample-ists")])
    assert isinstance(found.labels, list)
    assert len(found.labels) == len(found.pairs) == 10


class Told(Predictor):
    """Remembers what it was told."""

    name = "told"

    def fit(self, pairs: Any, gold: Any = None, sets: Any = None) -> Any:
        self.told_ = list(zip(pairs, gold, sets, strict=True))
        return self


class Mean(Predictor):
    """Predicts the mean of the scores that it was trained on."""

    name = "mean"

    def fit(self, pairs: Any, gold: Any = None) -> Any:
        self.mean_ = sum(gold) / len(gold)
        return self


def test_a_baseline_is_told_the_data_sets_if_it_asks() -> None:
    given = LabelledPairs(PAIRS[:2], [5.0, 2.0], ["a", "b"])
    told: Any = given.fit(Told())
    assert told.told_ == [(PAIRS[0], 5.0, "a"), (PAIRS[1], 2.0, "b")]
    mean: Any = given.fit(Mean())
    assert mean.mean_ == 3.5


def test_each_data_set_has_the_model_of_its_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stsbaselines.experiments.training.create", lambda name, **_: Mean())
    given = {
        "journeys": LabelledPairs(PAIRS, [1.0, 1.0, 1.0]),
        DEFAULT: LabelledPairs(PAIRS, [4.0, 4.0, 4.0]),
    }
    baseline = BaselineConfig(baseline="mean", train_for={"journeys": [Training(task="x")]})
    seen: list[int] = []
    runs = list(fitted(baseline, BaselineSetup({}, given=given), [KITCHEN, JOURNEYS], seen.append))
    [(folder, models)] = runs
    assert folder == ""
    assert {name: model.mean_ for name, model in models.items()} == {  # type: ignore[attr-defined]
        "kitchen": 4.0,
        "journeys": 1.0,
    }
    assert seen == [3, 3]


def test_seeds_of_a_trained_baseline_are_numbers() -> None:
    seen = []

    class Seeded(Mean):
        name = "seeded"

        def __init__(self, random_state: Any = None) -> None:
            self.random_state = random_state
            seen.append(random_state)

    baseline = BaselineConfig(baseline="seeded", seeds=3, train=[Training(task="sample-sts")])
    prepared = BaselineSetup({}, given={DEFAULT: LabelledPairs(PAIRS, [1.0, 2.0, 3.0])})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "stsbaselines.experiments.training.create", lambda name, **each: Seeded(**each)
        )
        folders = [folder for folder, _ in fitted(baseline, prepared, [KITCHEN], no_progress)]
    assert folders == ["seed-0", "seed-1", "seed-2"]
    assert seen == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train_for": {"OnWM": [Training(task="sts2012-train")]}}, "did you mean 'OnWN'"),
        (
            {"train_for": {"OnWN": [Training(task="sts2012-train")]}},
            "nothing is said of MSRpar, MSRvid, SMTeuroparl, SMTnews",
        ),
        ({"train": [Training(task="sts2012-train", datasets=["MSRpa"])]}, "did you mean 'MSRpar'"),
        ({"train": [Training(task="sts2013"), Training(task="sts2012")]}, "must be another task"),
        ({"train": []}, "dkpro-string must be trained: say on what by `train`"),
        ({"train": [Training(task="sts2014-es")]}, "from 0 to 4, those of sts2012 from 0 to 5"),
        ({"train": [Training(task="sts2013"), Training(task="sts2013")]}, "named twice"),
        ({"baseline": "token-cosine", "train": [Training(task="sts2013")]}, "does not learn"),
        ({"baseline": "dkpro-string", "seeds": 2}, "no parameter 'random_state'"),
    ],
)
def test_faulty_training_is_found_before_it_runs(change: dict[str, Any], message: str) -> None:
    baseline = BaselineConfig(baseline="dkpro-string").model_copy(update=change)
    with pytest.raises(InputError, match=message):
        experiment.validate(ExperimentConfig(task="sts2012", baselines=[baseline]))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"train": {"task": "a", "datasets": ["b"], "first_of": ["c"]}}, "either datasets or"),
        ({"train_for": {"OnWN": []}}, "something to train on for each data set"),
        ({"train_for": {"OnWN": {"task": "a"}}, "fit_on_inputs": True}, "only one of"),
        ({"train_for": {"OnWN": {"task": "a"}}, "model": "m"}, "a model without"),
    ],
)
def test_contradictions_in_training_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BaselineConfig(baseline="dkpro-string", **fields)


@pytest.mark.parametrize(
    ("tolerance", "status"), [(0.5, "close"), (0.01, "differs"), (None, "not reproducible")]
)
def test_a_system_that_was_made_anew_is_never_exact(tolerance: float | None, status: str) -> None:
    baseline = BaselineConfig(
        baseline="dkpro",
        substitutes="Brown for Wikipedia",
        published=[PublishedRun(table="sts2013-core", run="DKPro")],
        explained={
            "all": Deviation(reason="why", tolerance=tolerance),
            "SMT": Deviation(reason="not to be read"),
        },
    )
    task = find_task("sts2013")
    scores = Scores(
        task="sts2013",
        run="dkpro",
        main="pearson",
        datasets={name: {"pearson": 0.75, "n": 1} for name in task.dataset_names},
        aggregates={"Mean": 0.75},
        signature="",
    )
    row = published_row(task, baseline)
    cells = {
        each.name: each for each in cells_of(task, baseline, [scores], row, "", "trained on it")
    }
    assert cells["OnWN"].status == status
    assert cells["OnWN"].reason == "trained on it; Brown for Wikipedia; why"
    assert cells["SMT"].status == "illegible"
    assert cells["headlines"].status == ""


def test_train_and_predict_from_the_command_line(tmp_path: Path) -> None:
    done = run_command(["train", "dkpro-string", "--on", "sample-sts", "-o", "model"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "sample-sts/kitchen: 11 pairs",
        "sample-sts/journeys: 9 pairs",
        "wrote model",
    ]
    model: Any = load("model")
    assert model.trained_on_ == {"sample-sts/kitchen": 11, "sample-sts/journeys": 9}
    assert model.n_jobs == 1
    Path("pair.tsv").write_text("a cat sat\ta cat sat!\n")
    assert run_command(["predict", "model", "pair.tsv"]).stdout == "5.0000000000\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--on", "sample-sts/kitchn", "-o", "m"], "did you mean 'kitchen'"),
        (["--on", "sample-st", "-o", "m"], "did you mean 'sample-sts'"),
        (["--on", "sample-pit-train", "-o", "m"], "no pairs with scores from 0 to 5"),
        (
            ["--on", "sample-sts", "--on", "sample-sts/kitchen", "-o", "m"],
            "named twice to train on",
        ),
        (["--on", "sts2014-es", "-o", "m"], "no pairs with scores from 0 to 5"),
        (["--on", "sample-sts", "-o", "m", "--set", "sources=1"], "no parameter 'sources'"),
        (["--on", "sample-sts", "-o", "m", "--set", "baseline=1"], "no parameter 'baseline'"),
        (["--on", "sts2013/SMT", "--on", "sample-sts", "-o", "m"], "STS.input.SMT.txt"),
        (["--on", "sample-sts/kitchen"], "name a folder by -o"),
        (["--on", "sample-sts", "--set", "idf=predicted"], "name a folder by -o"),
        (["--on", "sts2012-train"], "sts2012-train is not here"),
        (["--on", "sample-sts", "-o", "m", "--set", "idfs=1"], "did you mean 'idf'"),
    ],
)
def test_faulty_training_from_the_command_line(arguments: list[str], message: str) -> None:
    done = run_command(["train", "dkpro-string", *arguments])
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not Path("m").exists()


def test_a_missing_corpus_stops_one_baseline_only(tmp_path: Path) -> None:
    def no_corpus(self: Any, predictor: Predictor) -> Predictor:
        if predictor.name == "dkpro":
            raise MissingDataError("The corpus gcide is not here.")
        return predictor.fit(self.pairs, self.labels)

    config = ExperimentConfig(
        task="sample-sts",
        group="some-group",
        baselines=[
            BaselineConfig(baseline="dkpro", fit_on_inputs=True),
            BaselineConfig(baseline="token-cosine"),
        ],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LabelledPairs, "fit", no_corpus)
        results = experiment.run(config, tmp_path)
    dkpro, cosine = results.baselines
    assert {cell.status for cell in dkpro.cells} == {"no data"}
    assert cosine.runs
    assert "dkpro did not run. The corpus gcide is not here." in results.notes
    assert (tmp_path / "some-group/sample-sts/results.json").is_file()


def test_training_leaves_the_parameters_as_they_were(tmp_path: Path) -> None:
    chosen = {"features": ["strings"]}
    model = train_on_pairs("dkpro-string", ["sample-sts"], n_jobs=2, parameters=chosen)
    assert model.get_params() == create("dkpro-string", **chosen).get_params()
    own = train_on_pairs("dkpro-string", ["sample-sts"], parameters={"n_jobs": 2})
    assert own.n_jobs == 2


def a_model(folder: Path, name: str) -> Path:
    """Train the usual model of dkpro-string on the samples, and put it into a data directory."""
    target = folder / "models" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    train_on_pairs("dkpro-string", ["sample-sts"]).save(target)
    return folder


def test_a_name_stands_for_the_usual_model(tmp_path: Path) -> None:
    data = a_model(tmp_path / "data", "dkpro-string-sts2012-train")
    found = ready(create("dkpro-string"), data)
    assert found.predict([("a cat", "a cat!")]).tolist() == [5.0]
    assert ready(found, data) is found
    with pytest.raises(InputError, match="other parameters than the usual ones must be trained"):
        ready(create("dkpro-string", idf="predicted"), data)
    with pytest.raises(MissingDataError, match="`stsbaselines train dkpro` trains it"):
        ready(create("dkpro"), data)
    with pytest.raises(MissingDataError, match="`stsbaselines train wtmf` trains it"):
        ready(predictor_named("wtmf"), data)
    assert predictor_named("random").get_params()["random_state"] is not None


def test_predict_and_compare_find_the_usual_model(tmp_path: Path) -> None:
    a_model(tmp_path / "work" / "data", "dkpro-string-sts2012-train")
    (tmp_path / "work" / "pairs.tsv").write_text("a cat\ta cat!\n")
    done = run_command(["predict", "dkpro-string", "pairs.tsv"])
    assert (done.stdout, done.stderr) == ("5.0000000000\n", "")
    compared = run_command(["compare", "sample-sts", "--predictor", "dkpro-string"])
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout.startswith("dkpro-string on sample-sts")


def test_a_model_that_is_scored_on_what_it_was_trained_on_is_said_to_be(tmp_path: Path) -> None:
    model = train_on_pairs("dkpro-string", ["sample-sts/kitchen"])
    found = compare("sample-sts", {"mine": model, "other": create("token-cosine")}, resamples=100)
    [note] = [each for each in found.notes if "trained on" in each]
    assert "dkpro-string was trained on sample-sts/kitchen" in note
    assert "no test result" in note


@pytest.mark.official
def test_a_data_set_that_is_left_out_of_training_is_said_to_be(
    official_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "mine"
    (data / "sts2013-test").mkdir(parents=True)
    for path in (official_data / "sts2013-test").iterdir():
        if path.name != "STS.input.SMT.txt":
            (data / "sts2013-test" / path.name).symlink_to(path)
    options = ["-o", "m", "--set", 'features=["words"]', "--data-dir", str(data)]
    monkeypatch.setenv("STSBASELINES_DATA", str(data))
    done = run_command(["train", "dkpro-string", "--on", "sts2013", *options])
    assert done.stdout.splitlines() == [
        "sts2013/headlines: 750 pairs",
        "sts2013/OnWN: 561 pairs",
        "sts2013/FNWN: 189 pairs",
        "sts2013/SMT: left out, as it is not here",
        "wrote m",
    ], done.stderr


def test_a_loaded_model_looks_where_it_was_found(tmp_path: Path) -> None:
    model: Any = create("dkpro", features=["strings"]).fit(PAIRS, [5.0, 2.0, 0.0])
    (tmp_path / "models").mkdir()
    model.save(tmp_path / "models" / "mine")
    loaded = load_model(type(model), "mine", tmp_path)
    assert loaded.data_dir == tmp_path


def test_the_ledger_has_a_part_for_each_group() -> None:
    cells = [
        LedgerEntry(
            "sts2012", "dkpro", "ALL", 0.8, Decimal("0.8239"), "close", group="strong-systems"
        ),
        LedgerEntry("sts2012", "token-cosine", "ALL", 0.311, Decimal("0.3110"), "exact"),
    ]
    text = ledger_text(cells)
    first, second = text.split("\n\nStrong systems\n\n")
    assert "token-cosine" in first
    assert "1 published cells: 1 exact." in first
    assert "dkpro" in second
    assert second.endswith("1 published cells: 1 close.")
    assert "## Strong systems" in ledger_text(cells, Format.markdown)
    assert len(ledger_text(cells, Format.csv).splitlines()) == 3


def test_reproduce_takes_names_of_configurations(tmp_path: Path) -> None:
    unknown = run_command(["reproduce", "sts2012", "sts201"])
    assert unknown.returncode == 2
    assert "did you mean" in unknown.stderr
    nothing = run_command(["reproduce", "sample-sts"])
    assert nothing.stderr == "sample-sts: no baseline has a published row.\n"
    missing = run_command(["reproduce", "strong-sts2013"])
    assert missing.returncode == 2
    assert "is not here" in missing.stderr


def test_slow_configurations_are_in_the_ledger_only_by_name() -> None:
    slow = [name for name in config_names() if read_config(name).slow]
    assert slow == ["strong-sts2012-grid"]


@pytest.mark.slow
@pytest.mark.official
def test_the_strong_systems_of_2012_are_strong(official_data: Path, tmp_path: Path) -> None:
    config = read_config("strong-sts2012")
    once = [
        each.model_copy(update={"seeds": 1}) if each.seeds else each for each in config.baselines
    ]
    results = experiment.run(config.model_copy(update={"baselines": once}), tmp_path, official_data)
    ours = {(cell.baseline, cell.name): cell.ours or 0.0 for cell in results.cells}
    for name in ("dkpro", "dkpro-dictionary-free"):
        assert ours[name, "Mean"] >= 0.67
        assert ours[name, "ALL"] >= 0.80
    for name in ("takelab-simple", "takelab-dictionary-free"):
        assert ours[name, "Mean"] >= 0.69
        assert ours[name, "ALL"] >= 0.81
        assert ours[name, "MSRvid"] >= 0.86
    assert ours["dkpro-string", "Mean"] < ours["dkpro", "Mean"]
    assert not [cell for cell in results.cells if cell.status in ("differs", "no data")]
