"""Trained models: their names, their default training data, and loading them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from stsbaselines.errors import InputError

if TYPE_CHECKING:  # slow to import
    from stsbaselines.predictor import Predictor

CORPORA = ("wordnet", "brown")
PAIRS = ("sts2012-train",)
TRAINED_ON_CORPORA = ("wtmf", "lsa", "lda")
TRAINED_ON_PAIRS = ("dkpro-string", "dkpro", "takelab-simple")

P = TypeVar("P", bound="Predictor")


def model_name(baseline: str, sources: Sequence[str | Path]) -> str:
    """Return the default name of a model trained on some corpora or tasks."""
    return f"{baseline}-{'+'.join(Path(source).stem for source in sources)}"


def usual_model(baseline: str) -> str:
    """Return the name of the default model of a baseline that must be trained, or ""."""
    if baseline in TRAINED_ON_CORPORA:
        return model_name(baseline, CORPORA)
    return model_name(baseline, PAIRS) if baseline in TRAINED_ON_PAIRS else ""


def how_to_train(baseline: str, model: str) -> str:
    """Return how to train a model of a baseline, for error messages."""
    from stsbaselines.data.corpora import corpus_names

    if model == usual_model(baseline):
        return f"`stsbaselines train {baseline}` trains it"
    corpora = model.removeprefix(f"{baseline}-").split("+")
    if baseline in TRAINED_ON_CORPORA and set(corpora) <= set(corpus_names()):
        options = " ".join(f"--corpus {corpus}" for corpus in corpora)
        return f"`stsbaselines train {baseline} {options}` trains it"
    return "train it"


def ready(predictor: Predictor, data_dir: str | Path | None = None) -> Predictor:
    """Return a predictor that can predict: itself, fitted on nothing, or its default model."""
    from stsbaselines.predictor import user_code  # slow to import

    if predictor.__sklearn_is_fitted__():
        return predictor
    model = usual_model(getattr(predictor, "name", ""))
    if not model:
        name = type(predictor).__name__
        try:
            with user_code(f"{name}.fit"):
                return predictor.fit([])
        except InputError as error:
            if error.__cause__ is None:
                raise
            why = f"{name} is not fitted yet, and cannot be fitted without pairs: {error}"
            raise InputError(why) from error.__cause__
    if predictor.get_params(deep=False) != type(predictor)().get_params(deep=False):
        raise InputError(
            f"{predictor.name} with other parameters than the default ones must be trained first:"
            f" see `stsbaselines train {predictor.name} --help`."
        )
    return load_model(type(predictor), model, data_dir)


def load_model(baseline: type[P], model: str, data_dir: str | Path | None = None) -> P:
    """Load a trained model by its name; it searches `data_dir` for its own resources too."""
    from stsbaselines.data.find import require_model

    path = require_model(model, how_to_train(baseline.name, model), data_dir)
    loaded = baseline.load(path)
    loaded.set_params(**supported_params(loaded, data_dir=data_dir))
    return loaded


def supported_params(predictor: Predictor, **params: Any) -> dict[str, Any]:
    """Return those of the parameters that a predictor has, such as `data_dir` and `n_jobs`."""
    known = predictor.get_params(deep=False)
    return {name: value for name, value in params.items() if name in known}
