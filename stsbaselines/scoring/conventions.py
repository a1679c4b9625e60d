"""What papers call "the" STS score of a year: the correlation, its aggregate, the data sets.

The official number of a year may be another one, weighted by confidence. `docs/conventions.md` has
the sources.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from stsbaselines.scoring import correlation, resampling
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.resampling import Counts

Pair = tuple[npt.ArrayLike, npt.ArrayLike]


@dataclass(frozen=True)
class Convention:
    """A way to compute one number from a year's data sets.

    ``weighted mean`` is weighted by scored pairs; ``ALL`` is one correlation over the concatenated
    data sets, ``ALLnrm`` the same after fitting each data set's scores to its gold.
    """

    name: str
    correlation: Literal["pearson", "spearman"]
    aggregate: Literal["mean", "weighted mean", "ALL", "ALLnrm"]  # ALLnrm only of Pearson
    excluded: tuple[str, ...] = ()  # data sets that do not count
    measure: str = ""  # name of the same number among the aggregates of `score`

    @property
    def english_only(self) -> bool:
        """Whether it is that of a program that has only the English data sets of 2012 to 2016."""
        return self.excluded == _RESTRICTED

    def counts(self, dataset: str) -> bool:
        """Return whether a data set counts."""
        return dataset not in self.excluded


_RESTRICTED = ("SMT",)  # of 2013: its sentences are distributed only by the LDC
CONVENTIONS = (
    Convention("Pearson mean", "pearson", "mean", measure="plain_mean"),
    Convention("Pearson weighted mean", "pearson", "weighted mean", measure="Mean"),
    Convention("Pearson ALL", "pearson", "ALL", measure="ALL"),
    Convention("Pearson ALLnrm", "pearson", "ALLnrm", measure="ALLnrm"),
    Convention("Spearman mean", "spearman", "mean"),
    Convention("Spearman weighted mean", "spearman", "weighted mean", measure="spearman_Mean"),
    Convention("Spearman ALL", "spearman", "ALL", measure="spearman_ALL"),
    Convention("SentEval Pearson mean", "pearson", "mean", _RESTRICTED),
    Convention("SentEval Pearson wmean", "pearson", "weighted mean", _RESTRICTED),
    Convention("SentEval Spearman mean", "spearman", "mean", _RESTRICTED),
    Convention("SentEval Spearman wmean", "spearman", "weighted mean", _RESTRICTED),
    Convention("SimCSE", "spearman", "ALL", _RESTRICTED),
    Convention("MTEB cosine_spearman", "spearman", "ALL", _RESTRICTED),
    Convention("MTEB cosine_pearson", "pearson", "ALL", _RESTRICTED),
)
_NO_AVERAGE = "its authors give no average of the seven sets; this one is of unrounded columns"
_NAMED = {each.name: each for each in CONVENTIONS}


@dataclass(frozen=True)
class RowConvention:
    """A way to compute the row STS12 to STS16, STS-B, SICK-R and Avg of papers.

    Attributes
    ----------
    column : Convention
        Gives each column from its data sets.
    rounds : bool
        Whether Avg is the mean of the columns as they are printed: times 100, with two decimals.
    has_head : bool
        Whether STS-B and SICK-R are those of a trained regression head, not of cosines.
    whole_sick : bool
        Whether SICK-R has the pairs of all three parts, instead of the test part.
    note : str
        What its reader must know.
    """

    name: str
    column: Convention
    rounds: bool = False
    has_head: bool = False
    whole_sick: bool = False
    note: str = ""

    def average(self, values: Sequence[float | None]) -> float | None:
        """Return Avg of the columns, None if there are none or a column has no value.

        Examples
        --------
        >>> round(ROW_CONVENTIONS["simcse"].average([0.33254, 0.43069]), 6)
        0.3816
        """
        if self.rounds:
            values = [None if each is None else float(f"{100 * each:.2f}") / 100 for each in values]
        return correlation.mean(values)


ROW_CONVENTIONS = {
    each.name: each
    for each in (
        RowConvention("simcse", _NAMED["SimCSE"], rounds=True),
        RowConvention("consert", _NAMED["SimCSE"]),
        RowConvention("wmean-spearman", _NAMED["SentEval Spearman wmean"], note=_NO_AVERAGE),
        RowConvention("senteval", _NAMED["SentEval Pearson wmean"], has_head=True),
        RowConvention("senteval-mean", _NAMED["SentEval Pearson mean"], has_head=True),
        RowConvention(
            "mteb",
            _NAMED["MTEB cosine_spearman"],
            whole_sick=True,
            note="MTEB has tokenised texts of STS12 to STS16: a system gets other numbers for the"
            f" texts as they were distributed; {_NO_AVERAGE}",
        ),
    )
}
_CORRELATIONS = {"pearson": correlation.pearson, "spearman": correlation.spearman}
_RESAMPLED = {"pearson": resampling.pearson, "spearman": resampling.spearman}


def value(convention: Convention, parts: Mapping[str, Pair]) -> float | None:
    """Return the number by a convention, None where it is undefined.

    `parts` are the scores and gold scores of the scored pairs of each data set.
    """
    used = _counted(convention, parts)
    if not used:
        return None
    all_scores, all_gold = zip(*used.values(), strict=True)
    if convention.aggregate == "ALLnrm":
        return correlation.pearson_all_normalized(all_scores, all_gold)
    correlate = _CORRELATIONS[convention.correlation]
    if convention.aggregate == "ALL":
        return correlate(np.concatenate(all_scores), np.concatenate(all_gold))
    pairs = [np.size(gold) for gold in all_gold]
    weights = pairs if convention.aggregate == "weighted mean" else None
    return correlation.mean([correlate(*part) for part in used.values()], weights)


def resampled(convention: Convention, parts: Mapping[str, Pair], counts: Counts) -> FloatArray:
    """Return the number by a convention on each resample; NaN where it is undefined.

    `counts` are those of the pairs of each data set, as in `stsbaselines.scoring.resampling`.
    """
    used = _counted(convention, parts)
    drawn = [counts[name] for name in used]
    all_scores, all_gold = zip(*used.values(), strict=True)
    if convention.aggregate == "ALLnrm":
        return resampling.pearson_all_normalized(all_scores, all_gold, drawn)
    correlate = _RESAMPLED[convention.correlation]
    if convention.aggregate == "ALL":
        every = np.concatenate(drawn, axis=1)
        return correlate(np.concatenate(all_scores), np.concatenate(all_gold), every)
    found = [correlate(*part, each) for part, each in zip(used.values(), drawn, strict=True)]
    pairs = [np.size(gold) for gold in all_gold]
    weights = pairs if convention.aggregate == "weighted mean" else None
    return np.asarray(np.average(found, axis=0, weights=weights))


def _counted(convention: Convention, parts: Mapping[str, Pair]) -> dict[str, Pair]:
    """Return the data sets that count."""
    for name, (scores, gold) in parts.items():
        if np.shape(scores) != np.shape(gold):
            raise ValueError(f"{name}: scores and gold have different lengths")
    return {name: part for name, part in parts.items() if convention.counts(name)}
