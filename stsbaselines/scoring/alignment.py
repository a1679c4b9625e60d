r"""Measures of interpretable STS: how well a system aligns and labels the chunks of two sentences.

They follow the organisers' `evalF1` of 2015 and 2016, after Melamed (1998): an aligned pair of
chunks is split into links between tokens, and each link is weighted by how many others its tokens
have.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NOT_COUNTED = frozenset([".", ",", ":", "'", "`", "?", ";", '"', "-"])
HIGHEST_SCORE = 5
UNALIGNED = "not aligned"
_SPECIFIC = frozenset({"SIMI", "SPE1", "SPE2"})
_RELATED = _SPECIFIC | {"REL"}

Alignment = tuple[Sequence[int], Sequence[int], Sequence[str], float | None]
Penalty = Callable[["Link", "Link"], float]


class Link(NamedTuple):
    """A link between a token of the left and a token of the right sentence.

    Attributes
    ----------
    types : frozenset of str
        In upper case.
    score : float
        From 0 to 5.
    weight : float
        1 / the larger number of links that one of its tokens has.
    """

    types: frozenset[str]
    score: float
    weight: float


Links = Mapping[tuple[int, int], Link]


def links_of(
    alignments: Iterable[Alignment], left: Sequence[str], right: Sequence[str]
) -> dict[tuple[int, int], Link]:
    """Split the aligned chunks of a sentence pair into links between tokens.

    Parameters
    ----------
    alignments : iterable of (left, right, types, score)
        Token numbers from 1, none where a chunk is not aligned; if two alignments have the same
        link, the last one counts. A score of None (NIL) counts as 0.
    left, right : sequence of str
        Tokens of the gold standard's sentences: those that are punctuation have no links.

    Examples
    --------
    >>> links = links_of([((1, 2), (1,), ("SPE1",), 4.0)], ["a", "cat"], ["animals"])
    >>> {tokens: link.weight for tokens, link in links.items()}
    {(1, 1): 0.5, (2, 1): 0.5}
    """
    found: dict[tuple[int, int], tuple[frozenset[str], float]] = {}
    for left_tokens, right_tokens, types, score in alignments:
        if left_tokens and right_tokens:
            label = frozenset(map(str.upper, types)), score or 0.0
            others = [j for j in right_tokens if right[j - 1] not in NOT_COUNTED]
            for i in left_tokens:
                if left[i - 1] not in NOT_COUNTED:
                    for j in others:
                        found[i, j] = label
    of_left, of_right = Counter(i for i, _ in found), Counter(j for _, j in found)
    return {
        (i, j): Link(*label, 1 / max(of_left[i], of_right[j])) for (i, j), label in found.items()
    }


def type_overlap(system: Link, gold: Link) -> float:
    """Return the Jaccard overlap of the types of two links: what +T multiplies by.

    Examples
    --------
    >>> one, other = frozenset({"SIMI", "FACT"}), frozenset({"SIMI"})
    >>> type_overlap(Link(one, 4, 1), Link(other, 4, 1))
    0.5
    """
    if system.types == gold.types:
        return 1.0
    return len(system.types & gold.types) / len(system.types | gold.types)


def score_nearness(system: Link, gold: Link) -> float:
    """Return ``1 - |difference of the scores| / 5``: what +S multiplies by.

    Examples
    --------
    >>> score_nearness(Link(frozenset(), 4, 1), Link(frozenset(), 3, 1))
    0.8
    """
    return 1 - abs(system.score - gold.score) / HIGHEST_SCORE


def lenient_type_overlap(system: Link, gold: Link) -> float:
    """Return `type_overlap` with the two special cases of the script's second version of 2015.

    Types that are nearly the same count as equal: EQUI and, with a score of 4 or more, SIMI, SPE1
    or SPE2; and different ones of SIMI, SPE1, SPE2 and REL whose scores are both below 3. The
    published rows of 2015 were computed without them.

    Examples
    --------
    >>> lenient_type_overlap(Link(frozenset({"EQUI"}), 5, 1), Link(frozenset({"SPE1"}), 4, 1))
    1.0
    """
    if not (_nearly_equivalent(system, gold) or _weakly_related(system, gold)):
        return type_overlap(system, gold)
    common, union = system.types & gold.types, system.types | gold.types
    return (1 + len(common)) / (len(union) - 1)


def _nearly_equivalent(system: Link, gold: Link) -> bool:
    return any(
        "EQUI" in one.types and other.types & _SPECIFIC and other.score >= 4
        for one, other in ((system, gold), (gold, system))
    )


def _weakly_related(system: Link, gold: Link) -> bool:
    mine, theirs = system.types & _RELATED, gold.types & _RELATED
    return bool(mine and theirs and not mine & theirs and max(system.score, gold.score) < 3)


PENALTIES: Mapping[str, Sequence[Penalty]] = {
    "F": (),
    "T": (type_overlap,),
    "S": (score_nearness,),
    "TS": (type_overlap, score_nearness),
}
SECOND_VERSION: Sequence[Penalty] = (lenient_type_overlap, score_nearness)


@dataclass(frozen=True)
class Agreement:
    """Precision and recall of links, pooled over sentence pairs.

    Attributes
    ----------
    precision, recall : float or None
        None where the system, or the gold standard, has no link.
    """

    precision: float | None
    recall: float | None

    @property
    def f(self) -> float | None:
        """Their harmonic mean; 0 if nothing is shared, None if there are no links at all."""
        if self.precision is None and self.recall is None:
            return None
        total = (self.precision or 0) + (self.recall or 0)
        return 2 * (self.precision or 0) * (self.recall or 0) / total if total else 0.0


def agreement(pairs: Sequence[tuple[Links, Links]], penalties: Sequence[Penalty] = ()) -> Agreement:
    """Compare the links of a system with those of the gold standard.

    Parameters
    ----------
    pairs : sequence of (system's links, gold standard's links)
        One for each sentence pair.
    penalties : sequence of callable
        A shared link is multiplied by them; see `PENALTIES` for the official measures.

    Examples
    --------
    >>> gold = links_of([((1,), (1,), ("EQUI",), 5.0), ((2,), (2,), ("OPPO",), 4.0)], "ab", "cd")
    >>> system = links_of([((1,), (1,), ("EQUI",), 5.0)], "ab", "cd")
    >>> agreement([(system, gold)])
    Agreement(precision=1.0, recall=0.5)
    """
    return _pooled([_weights(*pair, penalties) for pair in pairs])


def agreements(
    pairs: Sequence[tuple[Links, Links]], measures: Mapping[str, Sequence[Penalty]]
) -> dict[str, tuple[Agreement, list[Agreement]]]:
    """Return the `agreement` over all sentence pairs, and that of each, by several measures.

    The measures are penalties by name, such as `PENALTIES`.

    Examples
    --------
    >>> links = links_of([((1,), (1,), ("EQUI",), 5.0)], "a", "b")
    >>> whole, each = agreements([(links, links), ({}, links)], PENALTIES)["TS"]
    >>> [found.f for found in (whole, *each)]
    [0.6666666666666666, 1.0, 0.0]
    """
    found = {}
    for name, penalties in measures.items():
        weights = [_weights(*pair, penalties) for pair in pairs]
        found[name] = _pooled(weights), [_pooled([each]) for each in weights]
    return found


_Weights = tuple[list[float], list[float], list[float], list[float]]


def _weights(system: Links, gold: Links, penalties: Sequence[Penalty]) -> _Weights:
    """Return the weights of a system's right links and of all its links, then the gold's."""
    of_system: list[float] = []
    of_gold: list[float] = []
    for place in system.keys() & gold.keys():
        mine, theirs = system[place], gold[place]
        factor = math.prod([penalty(mine, theirs) for penalty in penalties])
        of_system.append(factor * mine.weight)
        of_gold.append(factor * theirs.weight)
    every_system, every_gold = ([link.weight for link in side.values()] for side in (system, gold))
    return of_system, every_system, of_gold, every_gold


def _pooled(weights: Sequence[_Weights]) -> Agreement:
    of_system, system, of_gold, gold = (
        math.fsum(weight for each in weights for weight in each[kind]) for kind in range(4)
    )
    return Agreement(of_system / system if system else None, of_gold / gold if gold else None)


def by_type(pairs: Sequence[tuple[Links, Links]], types: Iterable[str]) -> dict[str, Agreement]:
    """Return the `agreement` of the links of each type: not official, for error analysis.

    Examples
    --------
    >>> gold = links_of([((1,), (1,), ("EQUI",), 5.0)], "a", "b")
    >>> system = links_of([((1,), (1,), ("SIMI",), 5.0)], "a", "b")
    >>> by_type([(system, gold)], ["EQUI"])
    {'EQUI': Agreement(precision=None, recall=0.0)}
    """

    def of_type(links: Links, name: str) -> Links:
        return {place: link for place, link in links.items() if name in link.types}

    return {
        name: agreement([(of_type(system, name), of_type(gold, name)) for system, gold in pairs])
        for name in types
    }


def confusion(
    pairs: Sequence[tuple[Links, Links]], types: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Return the weight of the links by main type in the gold standard, then in the system.

    Not official, for error analysis. ``not aligned`` stands for links that one of them lacks.
    Links weigh as in the gold standard, those it lacks as in the system.

    Examples
    --------
    >>> gold = links_of([((1,), (1,), ("EQUI",), 5.0)], "a", "b")
    >>> confusion([({}, gold)], ["EQUI", "SIMI"])["EQUI"]
    {'EQUI': 0.0, 'SIMI': 0.0, 'not aligned': 1.0}
    """

    def type_of(link: Link | None) -> str:
        return next(name for name in types if name in link.types) if link else UNALIGNED

    names = [*types, UNALIGNED]
    table = {row: dict.fromkeys(names, 0.0) for row in names}
    for system, gold in pairs:
        for place in sorted(system.keys() | gold.keys()):
            mine, theirs = system.get(place), gold.get(place)
            weight = (theirs or system[place]).weight
            table[type_of(theirs)][type_of(mine)] += weight
    return table
