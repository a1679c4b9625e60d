"""Trained models: their names, what they are usually trained on, and getting them ready."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from stsbaselines.errors import InputError

if TYPE_CHECKING:  # the command line takes names from here before it knows what it needs
    from stsbaselines.predictor import Predictor

CORPORA = ("wordnet", "brown")
PAIRS = ("sts2012-train",)
TRAINED_ON_CORPORA = ("wtmf", "lsa", "lda")
TRAINED_ON_PAIRS = ("dkpro-string", "dkpro", "takelab-simple")

P = TypeVar("P", bound="Predictor")


def model_name(baseline: str, sources: Sequence[str | Path]) -> str:
    """Return what a trained model is called by default.

    Parameters
    ----------
    baseline : str
    sources : sequence of str or Path
        What it is trained on: corpora, or tasks.

    Examples
    --------
    >>> model_name("wtmf", ["wordnet", "my/sentences.txt"])
    'wtmf-wordnet+sentences'
    """
    return f"{baseline}-{'+'.join(Path(source).stem for source in sources)}"


def usual_model(baseline: str) -> str:
    """Return the name of the model that stands for a baseline that must be trained, or "".

    Examples
    --------
    >>> usual_model("dkpro"), usual_model("token-cosine")
    ('dkpro-sts2012-train', '')
    """
    if baseline in TRAINED_ON_CORPORA:
        return model_name(baseline, CORPORA)
    return model_name(baseline, PAIRS) if baseline in TRAINED_ON_PAIRS else ""


def how_to_train(baseline: str, model: str) -> str:
    """Say how a model of a baseline is trained.

    Examples
    --------
    >>> how_to_train("wtmf", "wtmf-wordnet+brown")
    '`stsbaselines train wtmf` trains it'
    >>> how_to_train("wtmf", "wtmf-brown")
    '`stsbaselines train wtmf --corpus brown` trains it'
    >>> how_to_train("wtmf", "mine")
    'train it'
    """
    from stsbaselines.data.corpora import corpus_names

    if model == usual_model(baseline):
        return f"`stsbaselines train {baseline}` trains it"
    corpora = model.removeprefix(f"{baseline}-").split("+")
    if baseline in TRAINED_ON_CORPORA and set(corpora) <= set(corpus_names()):
        options = " ".join(f"--corpus {corpus}" for corpus in corpora)
        return f"`stsbaselines train {baseline} {options}` trains it"
    return "train it"


def ready(predictor: Predictor, data_dir: str | Path | None = None) -> Predictor:
    """Return a predictor that can predict: itself, or the usual model of its baseline.

    Parameters
    ----------
    predictor : Predictor
        One that is not fitted is fitted on nothing, which does for baselines that do not learn.
    data_dir : path, optional
        Where the model, and what it needs, is looked for first.

    Raises
    ------
    InputError
        If it must be trained first.

    Examples
    --------
    >>> from stsbaselines import create
    >>> ready(create("token-cosine"))
    TokenCosine()
    """
    if predictor.__sklearn_is_fitted__():
        return predictor
    model = usual_model(getattr(predictor, "name", ""))
    if not model:
        return predictor.fit([])
    if predictor.get_params(deep=False) != type(predictor)().get_params(deep=False):
        raise InputError(
            f"{predictor.name} with other parameters than the usual ones must be trained first:"
            f" see `stsbaselines train {predictor.name} --help`."
        )
    return load_model(type(predictor), model, data_dir)


def load_model(baseline: type[P], model: str, data_dir: str | Path | None = None) -> P:
    """Load a trained model by its name; it looks for what it needs where it was found.

    Raises
    ------
    MissingDataError
        If it is not here; the message says how to train it.
    InputError
        If it is one of another baseline, or damaged.
    """
    from stsbaselines.data.find import require_model

    path = require_model(model, how_to_train(baseline.name, model), data_dir)
    loaded = baseline.load(path)
    loaded.set_params(**supported_params(loaded, data_dir=data_dir))
    return loaded


def supported_params(predictor: Predictor, **usual: Any) -> dict[str, Any]:
    """Return those of the parameters that a predictor has, such as `data_dir` and `n_jobs`.

    Examples
    --------
    >>> from stsbaselines import create
    >>> supported_params(create("dkpro-string"), data_dir="data", n_jobs=2)
    {'n_jobs': 2}
    """
    known = predictor.get_params(deep=False)
    return {name: value for name, value in usual.items() if name in known}
