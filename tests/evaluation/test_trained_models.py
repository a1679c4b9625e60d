"""Trained models by name: for `predict` and `compare`, and where they look for their corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stsbaselines import compare
from stsbaselines.baselines import create
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.systems import predictor_named
from stsbaselines.evaluation.trained_models import how_to_train, load_model, ready, supported_params
from stsbaselines.experiments.models import train_on_pairs
from tests.helpers import run_command

PAIRS = [("a cat", "a cat"), ("a cat", "a dog"), ("one", "two")]


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
    with pytest.raises(InputError, match="other parameters than the default ones must be trained"):
        ready(create("dkpro-string", idf="predicted"), data)
    with pytest.raises(MissingDataError, match="`stsbaselines train dkpro` trains it"):
        ready(create("dkpro"), data)
    with pytest.raises(MissingDataError, match="`stsbaselines train wtmf` trains it"):
        ready(predictor_named("wtmf"), data)
    assert predictor_named("random").get_params()["random_state"] is not None


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("wtmf-wordnet+brown", "`stsbaselines train wtmf` trains it"),
        ("wtmf-brown", "`stsbaselines train wtmf --corpus brown` trains it"),
        ("mine", "train it"),
    ],
)
def test_how_a_missing_model_is_trained(model: str, said: str) -> None:
    assert how_to_train("wtmf", model) == said


def test_only_parameters_that_a_predictor_has_are_set() -> None:
    found = supported_params(create("dkpro-string"), data_dir="data", n_jobs=2)
    assert found == {"n_jobs": 2}


def test_predict_and_compare_find_the_usual_model(tmp_path: Path) -> None:
    a_model(tmp_path / "work" / "data", "dkpro-string-sts2012-train")
    (tmp_path / "work" / "pairs.tsv").write_text("a cat\ta cat!\n")
    done = run_command(["predict", "dkpro-string", "pairs.tsv"])
    assert (done.stdout, done.stderr) == ("5.0000000000\n", "")
    compared = run_command(["compare", "sample-sts", "--predictor", "dkpro-string"])
    assert compared.returncode == 0, compared.stderr
    assert compared.stdout.startswith("dkpro-string on sample-sts")


def test_scoring_a_model_on_its_training_data_is_noted(tmp_path: Path) -> None:
    model = train_on_pairs("dkpro-string", ["sample-sts/kitchen"])
    found = compare("sample-sts", {"mine": model, "other": create("token-cosine")}, resamples=100)
    [note] = [each for each in found.notes if "trained on" in each]
    assert "dkpro-string was trained on sample-sts/kitchen" in note
    assert "no test result" in note


def test_a_loaded_model_looks_where_it_was_found(tmp_path: Path) -> None:
    model: Any = create("dkpro", features=["strings"]).fit(PAIRS, [5.0, 2.0, 0.0])
    (tmp_path / "models").mkdir()
    model.save(tmp_path / "models" / "mine")
    loaded = load_model(type(model), "mine", tmp_path)
    assert loaded.data_dir == tmp_path
