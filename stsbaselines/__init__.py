"""Official baselines and scorers of the STS and PIT (Twitter paraphrase) shared tasks."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from stsbaselines.version import __version__

if TYPE_CHECKING:
    from stsbaselines.baselines import create, load
    from stsbaselines.errors import InputError
    from stsbaselines.evaluation.arrays import load_pairs
    from stsbaselines.evaluation.comparison import compare
    from stsbaselines.evaluation.description import describe
    from stsbaselines.evaluation.gate import gate
    from stsbaselines.evaluation.row import row
    from stsbaselines.evaluation.submission import score
    from stsbaselines.predictor import Predictor
    from stsbaselines.reference.published import table
    from stsbaselines.reports.comparison import report
    from stsbaselines.scoring.scorers import pearson_scorer, spearman_scorer
    from stsbaselines.tasks.labelled import read_task

_PUBLIC = {
    "InputError": "errors",
    "Predictor": "predictor",
    "compare": "evaluation.comparison",
    "create": "baselines",
    "describe": "evaluation.description",
    "gate": "evaluation.gate",
    "load": "baselines",
    "load_pairs": "evaluation.arrays",
    "pearson_scorer": "scoring.scorers",
    "read_task": "tasks.labelled",
    "report": "reports.comparison",
    "row": "evaluation.row",
    "score": "evaluation.submission",
    "spearman_scorer": "scoring.scorers",
    "table": "reference.published",
}
__all__ = [
    "InputError",
    "Predictor",
    "__version__",
    "compare",
    "create",
    "describe",
    "gate",
    "load",
    "load_pairs",
    "pearson_scorer",
    "read_task",
    "report",
    "row",
    "score",
    "spearman_scorer",
    "table",
]


def __getattr__(name: str) -> Any:
    """Load public names when they are used, so that importing the package stays cheap."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'stsbaselines' has no attribute {name!r}")
    return getattr(importlib.import_module(f"stsbaselines.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__]
