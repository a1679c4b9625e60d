"""Official baselines and scorers of the STS and PIT (Twitter paraphrase) shared tasks."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from stsbaselines.errors import InputError as InputError
    from stsbaselines.predictor import Predictor as Predictor
    from stsbaselines.predictor import create as create
    from stsbaselines.predictor import load as load
    from stsbaselines.reference import table as table
    from stsbaselines.standing import compare as compare
    from stsbaselines.submission import score as score

_PUBLIC = {
    "InputError": "stsbaselines.errors",
    "Predictor": "stsbaselines.predictor",
    "compare": "stsbaselines.standing",
    "create": "stsbaselines.predictor",
    "load": "stsbaselines.predictor",
    "score": "stsbaselines.submission",
    "table": "stsbaselines.reference",
}
__all__ = ["InputError", "Predictor", "__version__", "compare", "create", "load", "score", "table"]


def __getattr__(name: str) -> Any:
    """Load public names when they are used, so that importing the package stays cheap."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'stsbaselines' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)
