"""What must come out on the official data."""

from __future__ import annotations

import functools
import json
import shutil
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from stsbaselines.baselines import create
from stsbaselines.baselines.random import RandomScores
from stsbaselines.data import find
from stsbaselines.data.catalogue import Task, find_task, task_names
from stsbaselines.evaluation import submission
from stsbaselines.evaluation.comparison import compare
from stsbaselines.evaluation.trained_models import model_name
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import read_config
from stsbaselines.experiments.ledger import cells_of
from stsbaselines.experiments.models import train_on_corpora
from stsbaselines.reference import published as reference
from stsbaselines.scoring import correlation
from stsbaselines.scoring.rounding import agrees
from stsbaselines.tasks import ists, pit, sts
from stsbaselines.tasks.alignment_file import read_alignments
from stsbaselines.tasks.base import Scores
from tests.helpers import command_refusal, needs, run_command

pytestmark = pytest.mark.official

# The published baselines: our numbers as the official program would print them, by status.
ROWS = {
    "sts2012": {
        ("token-cosine", "exact"): "MSRpar .4334 MSRvid .2996 SMTeuroparl .4542 OnWN .5864"
        " SMTnews .3908 ALL .3110 ALLnrm .6732 Mean .4356",
        ("random", "differs"): "ALLnrm .5876",
    },
    "sts2013": {
        ("token-cosine", "exact"): "headlines .5399 OnWN .2828 Mean .3639",
        ("token-cosine", "illegible"): "FNWN .2146 SMT .2861",
    },
    "sts2014": {
        ("token-cosine", "exact"): "deft-forum .353 deft-news .596 headlines .510 images .513"
        " OnWN .406 tweet-news .654 Mean .507",
    },
    "sts2015": {
        ("token-cosine", "exact"): "answers-forums .4453 answers-students .6647 belief .6517"
        " headlines .5312 images .6039 Mean .5871",
    },
    "sts2015-es": {("token-cosine", "exact"): "wikipedia .529 newswire .495 Mean .506"},
    "sts2016": {
        ("token-cosine", "exact"): "answer-answer .41133 headlines .54073 plagiarism .69601"
        " postediting .82615 question-question .03844 Mean .51334",
    },
    "sts2017": {
        ("token-cosine-treebank", "exact"): "track3.es-es .7117",
        ("token-cosine-treebank", "close"): "track1.ar-ar .6055 track5.en-en .7261",
        ("token-cosine-treebank", "differs"): "track2.ar-en .1989 track4a.es-en .1072"
        " track4b.es-en -.0553 track6.tr-en .1516 Mean .3494",
    },
    "pit2015": {
        ("logistic-regression", "exact"): "F1 .589 precision .679 recall .520 pearson .511"
        " maxF1 .601 mPrecision .674 mRecall .543",
        ("random", "close"): "F1 .294 precision .208 recall .499 pearson -.001 maxF1 .349"
        " mPrecision .214 mRecall .959",
        ("trained-one-hot", "trained"): "F1 .618 precision .698 recall .554 pearson .531"
        " maxF1 .625 mPrecision .682 mRecall .577",
        ("trained-real", "trained"): "precision .708 recall .554",
        ("trained-real", "differs"): "F1 .622 pearson .542 maxF1 .648 mPrecision .649 mRecall .646",
    },
    "ists2015": {
        ("gold-chunks", "exact"): "headlines_F .8448 headlines_T .5556 headlines_S .7551"
        " headlines_TS .5556 images_F .8388 images_T .4328 images_S .7210 images_TS .4326",
        ("system-chunks", "close"): "headlines_T .4615 headlines_TS .4615 images_F .7091"
        " images_S .6141",
        ("system-chunks", "differs"): "headlines_F .6821 headlines_S .6152 images_T .3766"
        " images_TS .3764",
    },
    "ists2016": {
        ("gold-chunks", "exact"): "images_F .856 images_T .480 images_S .746 images_TS .480"
        " headlines_F .846 headlines_T .546 headlines_S .761 headlines_TS .546"
        " answers-students_F .820 answers-students_T .557 answers-students_S .746"
        " answers-students_TS .557 Mean_TS .528",
        ("system-chunks", "close"): "images_F .7199 images_T .4117 images_S .6331"
        " images_TS .4117 headlines_F .6536 headlines_T .4433 headlines_S .5955"
        " headlines_TS .4432 answers-students_T .4490 answers-students_TS .4490 Mean_TS .4346",
        ("system-chunks", "differs"): "answers-students_F .6361 answers-students_S .5835",
    },
}
# The row of WTMF: published, that of the model trained on WordNet and Brown, and the status.
WTMF = {
    "F1": (".536", 0.516, "close"),
    "precision": (".450", 0.416, "close"),
    "recall": (".663", 0.680, "close"),
    "pearson": (".350", 0.322, "close"),
    "maxF1": (".587", 0.544, "close"),
    "mPrecision": (".570", 0.627, "close"),
    "mRecall": (".606", 0.480, "close"),
}
TRAINED = 0.01  # how far the numbers of a model may lie apart that another version trained
NO_MODEL = {"wtmf", "lsa", "lda"}
TASKS = [each for each in map(find_task, task_names()) if not each.is_sample]
STS_TASKS = [each for each in TASKS if each.family == "sts"]
STS = [name for name in ROWS if find_task(name).family == "sts"]
REGENERATED = [*filter("sts2017".__ne__, STS), "sts2014-es"]  # by the official program
# Pairs, Pearson and Spearman of token-cosine, by an independent program.
PARTS = {
    ("stsbenchmark", "dev"): (1500, 0.5511713310110202, 0.5536975548296947),
    ("stsbenchmark", "test"): (1379, 0.4294365610607551, 0.4316945007209432),
    ("sick-r", "test"): (4927, 0.5681508232574096, 0.5342496669285155),
}
ISTS = ["ists2015", "ists2016"]
ALIGNMENT_FILES = [
    (name, dataset.name)
    for name in (*ISTS, *(f"{each}-train" for each in ISTS))
    for dataset in find_task(name).datasets
]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the runs of all tests write to."""
    return tmp_path_factory.mktemp("out")


@functools.cache
def run(name: str, data: Path, out: Path) -> experiment.Results:
    return experiment.run(read_config(name), out, data)


@pytest.mark.parametrize("name", ROWS)
def test_every_published_row_comes_out(name: str, official_data: Path, out: Path) -> None:
    needs(official_data, name)
    cells = {
        (cell.baseline, cell.name): cell
        for cell in run(name, official_data, out).cells
        if cell.baseline not in NO_MODEL and cell.status
    }
    seen = set()
    for (baseline, status), row in ROWS[name].items():
        words = row.split()
        for cell_name, number in zip(words[::2], words[1::2], strict=True):
            cell = cells[baseline, cell_name]
            seen.add((baseline, cell_name))
            assert (cell.status, cell.accepted) == (status, status == "differs"), cell
            if baseline.startswith("trained"):
                assert cell.ours == pytest.approx(float(number), abs=TRAINED), cell
                assert "trained on pit2015-train" in cell.reason
            else:
                assert agrees(cell.ours, Decimal(number), find_task(name).decimals), cell
    assert seen == cells.keys()


def test_the_published_row_of_wtmf_is_judged_by_its_tolerance() -> None:
    task = find_task("pit2015")
    config = next(each for each in read_config("pit2015").baselines if each.baseline == "wtmf")
    ours = {name: number for name, (_, number, _) in WTMF.items()}
    scores = Scores("pit2015", "wtmf", {"test": {**ours, "n": 838}}, {}, "F1", "")
    cells = {cell.name: cell for cell in cells_of(task, config, [scores]) if cell.published}
    assert cells.keys() == WTMF.keys()
    for name, (published, _, status) in WTMF.items():
        assert cells[name].published == Decimal(published)
        assert cells[name].status == status
        assert "trained on WordNet and Brown" in cells[name].reason


@pytest.mark.slow
def test_the_published_row_of_wtmf_is_approached(official_data: Path, tmp_path: Path) -> None:
    needs(official_data, "pit2015")
    corpora = ["wordnet", "brown"]
    (tmp_path / "models").mkdir()
    model = train_on_corpora("wtmf", corpora, official_data, {"random_state": 0})
    model.save(tmp_path / "models" / model_name("wtmf", corpora))
    found = experiment.run(read_config("pit2015"), tmp_path, tmp_path)
    cells = {cell.name: cell for cell in found.cells if cell.baseline == "wtmf"}
    for name, (_, ours, status) in WTMF.items():
        assert cells[name].ours == pytest.approx(ours, abs=TRAINED)
        assert cells[name].status == status


@pytest.mark.parametrize("name", REGENERATED)
def test_outputs_equal_those_of_the_official_program(
    name: str, official_data: Path, out: Path
) -> None:
    needs(official_data, name, folder="system-outputs")
    run(name, official_data, out)
    year = name.removeprefix("sts")
    expected = official_data / "system-outputs" / year / "baseline-tokencos-regenerated"
    written, official = (
        {path.name: path.read_bytes() for path in folder.iterdir()}
        for folder in (out / name / "token-cosine", expected)
    )
    assert written == official


@pytest.mark.parametrize("system", ["MLP", "SVM"])
def test_submissions_of_2015_get_their_printed_row(system: str, official_data: Path) -> None:
    needs(official_data, "sts2015", folder="system-outputs")
    folder = official_data / "system-outputs" / "2015" / f"SopaLipnIimas-{system}"
    refused = command_refusal("score", "sts2015", str(folder))
    assert "--map answers-forums=STS.output.answers-forum.txt" in refused
    mapped = ["--map", "answers-forums=STS.output.answers-forum.txt", "--json"]
    scores = json.loads(run_command(["score", "sts2015", str(folder), *mapped]).stdout)
    row = reference.published("sts2015-english", f"SopaLipnIimas-{system}")
    for name, measures in scores["datasets"].items():
        assert agrees(measures["pearson"], row[name]), name
    assert agrees(scores["aggregates"]["Mean"], row["Mean"])
    checked = command_refusal("check", "sts2015", str(folder), *mapped[:2])
    assert "expected a score from 0 to 5" in checked


@pytest.mark.parametrize(("task", "part"), PARTS)
def test_parts_of_benchmarks_are_scored(task: str, part: str, official_data: Path) -> None:
    needs(official_data, task)
    arguments = ["compare", task, "--dataset", part, "--predictor", "token-cosine", "--json"]
    found = json.loads(run_command(arguments).stdout)
    pairs, pearson, spearman = PARTS[task, part]
    [measured], [convention] = found["measured"], found["conventions"]
    assert (found["official"], measured["pairs"]) == (part, pairs)
    assert measured["value"] == pytest.approx(pearson, abs=1e-9)
    assert convention["value"] == pytest.approx(spearman, abs=1e-9)


def test_the_header_of_korsts_is_no_pair(official_data: Path) -> None:
    needs(official_data, "korsts")
    found = compare("korsts", create("token-cosine"), data_dir=official_data)
    assert [each.pairs for each in found.measured] == [1500, 1379]
    assert found.measured[1].value == pytest.approx(0.44437690801110824, abs=1e-9)


def test_the_index_of_2016_leads_to_the_annotated_sentences(official_data: Path) -> None:
    needs(official_data, "sts2016-es-en", folder="sts2016-es-en/STS.input.multisource.txt")
    task = find_task("sts2016-es-en")
    dataset = task.dataset("multisource")
    files = find.require_all(task, dataset, official_data)
    pairs, _, lines = sts.FAMILY.read_training(files, task, dataset)
    by_line = dict(zip(lines, pairs, strict=True))
    annotated = sts.read_pairs(official_data / "sts2016-es-en" / "STS.input.multisource.txt")
    assert [by_line[line] for line in dataset.gold_lines] == list(annotated)


def test_an_output_for_all_pairs_of_2016_is_scored_on_the_annotated_ones(
    official_data: Path, tmp_path: Path
) -> None:
    needs(official_data, "sts2016-es-en")
    values = np.random.RandomState(0).rand(2973)
    path = tmp_path / "STS.output.multi.txt"
    path.write_text("".join(f"{each!r}\n" for each in values.tolist()))
    task = find_task("sts2016-es-en")
    [gold] = submission.read_gold(task, [task.dataset("multisource")], official_data).values()
    scores = submission.score("sts2016-es-en", path, "multisource", data_dir=official_data)
    found = scores.datasets["multisource"]
    scored = np.isfinite(gold)
    assert found["n"] == 294
    assert found["pearson"] == pytest.approx(np.corrcoef(values[scored], gold[scored])[0, 1])


def test_a_system_is_ranked_among_the_runs_of_2016(official_data: Path) -> None:
    needs(official_data, "sts2016")
    found = compare("sts2016", create("token-cosine"), data_dir=official_data)
    assert found.rank == {"token-cosine": 100}


@pytest.mark.parametrize("task", STS_TASKS, ids=lambda task: task.task)
def test_the_catalogue_describes_the_official_files(task: Task, official_data: Path) -> None:
    needs(official_data, task.task)
    assert {each.status for each in find.locate_all(task, official_data)} == {"ok"}
    gold = submission.read_gold(task, task.datasets, official_data)
    for dataset in task.datasets:
        files = find.require_all(task, dataset, official_data)
        pairs = sts.FAMILY.read_inputs(files, task, dataset)
        assert sum(1 for _ in pairs) == dataset.pairs == len(gold[dataset.name])
        assert np.isfinite(gold[dataset.name]).sum() == dataset.scored


def test_the_random_baseline_of_2012_over_a_thousand_seeds(official_data: Path) -> None:
    needs(official_data, "sts2012")
    task = find_task("sts2012")
    gold = submission.read_gold(task, task.datasets, official_data)
    values = []
    for seed in range(1000):
        random = RandomScores(random_state=np.random.RandomState(seed))
        outputs = [random.predict([("", "")] * len(each)) for each in gold.values()]
        values.append(correlation.pearson_all_normalized(outputs, [*gold.values()]))
    mean, deviation = np.mean(np.array(values)), np.std(np.array(values))
    assert (round(float(mean), 4), round(float(deviation), 4)) == (0.5878, 0.0006)


def test_weights_that_cannot_be_verified_are_pointed_out(
    official_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(official_data, "pit2015")
    weights = find.require_resource(find_task("pit2015"), "official-weights", official_data)
    monkeypatch.delenv(find.ENVIRONMENT, raising=False)
    folder = tmp_path / "mine" / "pit2015"
    folder.mkdir(parents=True)
    for name in ("test.data", "test.label"):
        shutil.copy(official_data / "pit2015" / name, folder)
    shutil.copy(weights, folder / "baseline_logisticregression.model")
    config = read_config("pit2015")
    single = config.model_copy(update={"baselines": config.baselines[:1]})
    notes = experiment.run(single, tmp_path / "out", tmp_path / "mine").notes
    assert "baseline_logisticregression.model is not verified by a checksum." in notes[0]


def test_official_weights_write_the_official_output(official_data: Path) -> None:
    needs(official_data, "pit2015", folder="system-outputs")
    expected = official_data / "system-outputs/pit2015/PIT2015_BASELINE_02_LG.output"
    task = find_task("pit2015")
    weights = find.require_resource(task, "official-weights", official_data)
    model = create("ngram-logreg", encoding="official-weights", weights=weights).fit([])
    data = find.require(task, task.datasets[0], "input", official_data)
    pairs = [each.sentences for each in pit.read_data(data)]
    written = pit.FAMILY.format_predictions(model.predict(pairs))
    assert written == expected.read_bytes()
    assert written.count(b"\n") == 972


@pytest.mark.parametrize(
    ("file", "run"), [("01_random", "random"), ("02_LG", "logistic reg."), ("03_WTMF", "WTMF")]
)
def test_official_outputs_of_pit_get_their_printed_row(
    file: str, run: str, official_data: Path
) -> None:
    needs(official_data, "pit2015", folder="system-outputs")
    path = official_data / f"system-outputs/pit2015/PIT2015_BASELINE_{file}.output"
    cells = submission.score("pit2015", path, data_dir=official_data).cells()
    for column, value in reference.published("pit2015", run).items():
        if not column.endswith("rank"):
            assert agrees(cells[column], value), column


def test_labels_of_pit_agree_with_each_other(official_data: Path) -> None:
    needs(official_data, "pit2015", folder="pit2015/train.nodebatable.csv")
    task = find_task("pit2015")
    gold = submission.read_gold(task, task.datasets, official_data)["test"]
    data = list(pit.read_data(find.require(task, task.datasets[0], "input", official_data)))
    assert [pair.label.degree for pair in data] == gold.degree.tolist()
    assert [pair.label.is_paraphrase is None for pair in data] == gold.is_debatable.tolist()
    assert [pair.label.is_paraphrase is True for pair in data] == gold.is_paraphrase.tolist()
    assert (~gold.is_debatable).sum() == task.datasets[0].scored
    assert gold.is_paraphrase.sum() == 175
    training = find_task("pit2015-train")
    for name in ("train-nodebatable", "dev"):
        dataset = training.dataset(name)
        files = {"input": find.require(training, dataset, "input", official_data)}
        pairs, _, _ = pit.FAMILY.read_training(files, training, dataset)
        assert len(pairs) == dataset.scored


def alignment_file(task: str, dataset: str, official_data: Path) -> Path:
    entry = find_task(task)
    return find.require(entry, entry.dataset(dataset), "gold", official_data)


@pytest.mark.parametrize(("task", "dataset"), ALIGNMENT_FILES)
def test_gold_alignments_score_1_and_pass_the_checker(
    task: str, dataset: str, official_data: Path
) -> None:
    needs(official_data, task)
    path = alignment_file(task, dataset, official_data)
    measures = submission.score(task, path, dataset, data_dir=official_data).datasets[dataset]
    assert [f"{measures[name]:.4f}" for name in ("F", "T", "S", "TS")] == ["1.0000"] * 4
    assert measures.get("TS_second_version") == (1 if task.startswith("ists2015") else None)
    assert measures["n"] == find_task(task).dataset(dataset).pairs
    notes = read_alignments(path, one_to_one=True).notes
    assert not any("upper case" in note for note in notes)
    assert any("repeated" in note for note in notes) == task.startswith("ists2016")


@pytest.mark.parametrize(("task", "dataset"), ALIGNMENT_FILES)
def test_sentences_and_chunks_are_read_byte_for_byte(
    task: str, dataset: str, official_data: Path
) -> None:
    needs(official_data, task)
    entry = find_task(task)
    description = entry.dataset(dataset)
    files = {
        role: find.require(entry, description, role, official_data) for role in description.files
    }
    pairs = list(ists.FAMILY.read_inputs(files, entry, description))
    assert len(pairs) == description.pairs
    lines = files["gold"].read_bytes().split(b"\n")
    sentences = [line[3:] for line in lines if line.startswith(b"// ")]
    read = read_alignments(files["gold"]).pairs
    assert sentences == [
        text.encode("utf-8", "surrogateescape") for pair in read for text in pair[:2]
    ]
    different = [
        number
        for number, (pair, gold) in enumerate(zip(pairs, read, strict=True), 1)
        if [list(pair.left.tokens), list(pair.right.tokens)] != [*gold.tokens]
    ]
    assert different == ([252] if (task, dataset) == ("ists2016", "answers-students") else [])


@pytest.mark.parametrize(("dataset", "expected"), [("headlines", "0.6859"), ("images", "0.6447")])
def test_the_second_version_of_the_script_of_2015(
    dataset: str, expected: str, official_data: Path, out: Path
) -> None:
    needs(official_data, "ists2015")
    scores = run("ists2015", official_data, out).baselines[0].runs[0]
    value = scores.datasets[dataset]["TS_second_version"]
    assert agrees(value, Decimal(expected), find_task("ists2015").decimals)
