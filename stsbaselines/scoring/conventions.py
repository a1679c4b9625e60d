"""What papers call "the" STS score of a year: the correlation, its aggregate, the data sets.

The official number of a year may be another one, weighted by confidence. `docs/conventions.md` has
the sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from stsbaselines.scoring import correlation

Pair = tuple[npt.ArrayLike, npt.ArrayLike]


@dataclass(frozen=True)
class Convention:
    """A way to compute one number from a year's data sets.

    Attributes
    ----------
    name : str
    correlation : {"pearson", "spearman"}
    aggregate : {"mean", "weighted mean", "ALL", "ALLnrm"}
        ``weighted mean`` is weighted by scored pairs; ``ALL`` is one correlation over the
        concatenated data sets, ``ALLnrm`` the same after fitting each data set's scores to its
        gold (of Pearson only).
    used_by : str
        Papers or tools; empty for what is used only without SMT of 2013.
    excluded : tuple of str
        Data sets that do not count.
    measure : str
        Name of the same number among the aggregates of `stsbaselines.score`, if it has one.
    """

    name: str
    correlation: Literal["pearson", "spearman"]
    aggregate: Literal["mean", "weighted mean", "ALL", "ALLnrm"]
    used_by: str
    excluded: tuple[str, ...] = ()
    measure: str = ""

    @property
    def english_only(self) -> bool:
        """Whether it is that of a program that has only the English data sets of 2012 to 2016."""
        return self.excluded == _RESTRICTED

    def counts(self, dataset: str) -> bool:
        """Return whether a data set counts."""
        return dataset not in self.excluded


_RESTRICTED = ("SMT",)  # of 2013: its sentences are distributed only by the LDC
CONVENTIONS = (
    Convention("Pearson mean", "pearson", "mean", "SIF", measure="plain_mean"),
    Convention(
        "Pearson weighted mean", "pearson", "weighted mean", "the task papers", measure="Mean"
    ),
    Convention("Pearson ALL", "pearson", "ALL", "the task paper of 2012", measure="ALL"),
    Convention("Pearson ALLnrm", "pearson", "ALLnrm", "the task paper of 2012", measure="ALLnrm"),
    Convention("Spearman mean", "spearman", "mean", ""),
    Convention("Spearman weighted mean", "spearman", "weighted mean", "", measure="spearman_Mean"),
    Convention("Spearman ALL", "spearman", "ALL", "", measure="spearman_ALL"),
    Convention("SentEval Pearson mean", "pearson", "mean", "SentEval", _RESTRICTED),
    Convention("SentEval Pearson wmean", "pearson", "weighted mean", "SentEval", _RESTRICTED),
    Convention("SentEval Spearman mean", "spearman", "mean", "SentEval", _RESTRICTED),
    Convention(
        "SentEval Spearman wmean",
        "spearman",
        "weighted mean",
        "SentEval, BERT-whitening",
        _RESTRICTED,
    ),
    Convention("SimCSE", "spearman", "ALL", "SimCSE", _RESTRICTED),
    Convention("MTEB cosine_spearman", "spearman", "ALL", "MTEB", _RESTRICTED),
    Convention("MTEB cosine_pearson", "pearson", "ALL", "MTEB", _RESTRICTED),
)
_CORRELATIONS = {"pearson": correlation.pearson, "spearman": correlation.spearman}


def value(convention: Convention, parts: Mapping[str, Pair]) -> float | None:
    """Return the number by a convention, None where it is undefined.

    Parameters
    ----------
    convention : Convention
    parts : mapping of str to (array-like, array-like), both of shape (n_pairs,)
        Scores and gold scores of the scored pairs of each data set. Data sets that the convention
        excludes may be missing.

    Examples
    --------
    >>> parts = {"a": ([1, 2, 3], [1, 2, 4]), "b": ([1, 2], [2, 1])}
    >>> [round(value(each, parts), 3) for each in CONVENTIONS[:4]]
    [-0.009, 0.189, 0.732, 0.986]
    """
    for name, (scores, gold) in parts.items():
        if np.shape(scores) != np.shape(gold):
            raise ValueError(f"{name}: scores and gold are not of the same length")
    used = [part for name, part in parts.items() if convention.counts(name)]
    if not used:
        return None
    all_scores, all_gold = zip(*used, strict=True)
    if convention.aggregate == "ALLnrm":
        return correlation.pearson_all_normalized(all_scores, all_gold)
    correlate = _CORRELATIONS[convention.correlation]
    if convention.aggregate == "ALL":
        return correlate(np.concatenate(all_scores), np.concatenate(all_gold))
    pairs = [np.size(gold) for gold in all_gold]
    weights = pairs if convention.aggregate == "weighted mean" else None
    return correlation.mean([correlate(*part) for part in used], weights)
