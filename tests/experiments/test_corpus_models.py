"""Models that are trained on corpora, by command and in a configuration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from stsbaselines.baselines import load
from stsbaselines.baselines.wtmf import WTMF
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.trained_models import load_model, model_name
from stsbaselines.experiments import models as training
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.experiments.reproduce import ledger
from stsbaselines.reports.ledger import ledger_text
from tests.helpers import CORPUS, command_refusal


def test_training_from_the_command_line(tmp_path: Path, command_output: Callable[..., str]) -> None:
    corpus = tmp_path / "mine.txt"
    corpus.write_text("\n".join(CORPUS) + "\n")
    out = tmp_path / "model"
    sizes = ["--set", "n_components=3", "--set", "regularization=0.5"]
    options = ["--corpus", str(corpus), *sizes, "-o", str(out)]
    expected = f"mine.txt: 21 sentences\nwrote {out}\n"
    assert command_output("train", "wtmf", *options) == expected
    model = load(out)
    assert model.predict([("cat", "cats"), ("zebra", "cat")]) == pytest.approx([1, 0])
    assert model.get_params()["random_state"] == 0
    assert model.get_params()["n_jobs"] == 1
    again = command_refusal("train", "wtmf", *options)
    assert "found something there, expected a new folder" in again


def test_two_corpora_are_described(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text("a cat\na dog\n")
    model = training.train_on_corpora(
        "lsa", [tmp_path / "one", tmp_path / "two"], None, {"n_components": 1}
    )
    sentences = {Path(name).name: each["sentences"] for name, each in model.corpora_.items()}
    assert sentences == {"one": 2, "two": 2}
    assert model_name("lsa", ["brown", "wordnet"]) == "lsa-brown+wordnet"
    with pytest.raises(InputError, match="a corpus is named twice"):
        training.train_on_corpora("lsa", [tmp_path / "one", f"{tmp_path}/./one"])


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
    assert ledger_text(cells).endswith("3 other numbers without a published counterpart.")
    missing = "Not run, because their models were not found (see `stsbaselines train`): wtmf."
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
