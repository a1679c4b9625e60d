"""The logistic regression baseline of PIT-2015: overlap of n-grams of words and stems.

SemEval-2015 task 1, section 5, after Das and Smith (2009). The organisers' classifier
(NLTK's, trained by megam) does not use the 18 overlap features as numbers: each exact
value of a feature is an indicator with its own weight.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from stsbaselines.baselines._official_weights import read_weights
from stsbaselines.baselines._pair_features import Pair, PairFeatures, ngrams
from stsbaselines.baselines._parameters import check_booleans, check_choices, gold_array, is_number
from stsbaselines.errors import InputError, unknown
from stsbaselines.predictor import Predictor
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.words import porter_stem, treebank_words_of

Grams = set[tuple[str, ...]]
Encoding = Literal["official-weights", "one-hot", "real"]
FOLDS = 5
LOWEST_C, HIGHEST_C = 1e-8, 1e8
ORDERS = (1, 2, 3)
FEATURE_NAMES = tuple(
    f"{measure}{order}{kind}"
    for kind in ("gram", "stem")
    for order in ORDERS
    for measure in ("precision", "recall", "f")
)


class NgramOverlap(PairFeatures):
    """Precision ``|A & B| / |A|``, recall ``|A & B| / |B|`` and F of the sets A and B of n-grams.

    The 18 features are those of n = 1, 2, 3, of words and of stems. They are 0 if a sentence has
    fewer than n words (the official code divides by zero).
    """

    names = FEATURE_NAMES

    def __init__(self, official_bigram_f: bool = True) -> None:
        self.official_bigram_f = official_bigram_f

    def _rows(self, pairs: Sequence[Pair]) -> list[list[float]]:
        words = treebank_words_of(side for pair in pairs for side in pair)
        grams = {sentence: _grams(tokens) for sentence, tokens in words.items()}
        official = self.official_bigram_f
        return [_overlaps(grams[left], grams[right], official) for left, right in pairs]


def _grams(words: list[str]) -> list[Grams]:
    """Return the sets of n-grams: words n = 1, 2, 3, stems n = 1, 2, 3."""
    stems = [porter_stem(word) for word in words]
    return [ngrams(tokens, order) for tokens in (words, stems) for order in ORDERS]


def _overlaps(left: list[Grams], right: list[Grams], official_bigram_f: bool) -> list[float]:
    features: list[float] = []
    for position, (a, b) in enumerate(zip(left, right, strict=True)):
        shared = len(a & b)
        precision = shared / len(a) if a else 0.0
        recall = shared / len(b) if b else 0.0
        is_word_bigram = position == 1
        numerator = features[0] if is_word_bigram and official_bigram_f else precision
        f = 2 * numerator * recall / (precision + recall) if shared else 0.0
        features += [precision, recall, f]
    return features


class NgramLogisticRegression(Predictor):
    """Probability that two sentences are paraphrases, from the overlap of their n-grams.

    Parameters
    ----------
    encoding : {'official-weights', 'one-hot', 'real'}
        ``official-weights`` reads the organisers' weights and needs no training pairs; ``one-hot``
        trains a weight for each value of each feature, as they did; ``real`` trains one
        weight per feature.
    weights : path or None
        For ``official-weights``: the organisers' model, as a table of its weights or as
        the released file.
    C : float
        Inverse strength of the regularisation of scikit-learn's `LogisticRegression`.
    grid : sequence of float or None
        Values of C to choose from by 5-fold cross-validation of F1 on the training pairs.
    official_bigram_f : bool
        Whether the F of word bigrams is 2 P1 R2 / (P2 + R2), with the precision of unigrams, as in
        the official code by mistake, instead of 2 P2 R2 / (P2 + R2).

    Examples
    --------
    >>> pairs = [("a b c", "a b d"), ("a b c", "a b"), ("a b", "c d"), ("a", "b")] * 5
    >>> model = NgramLogisticRegression().fit(pairs, [1, 1, 0, 0] * 5)
    >>> (model.predict([("we go home", "we go away"), ("yes", "no")]) > 0.5).tolist()
    [True, False]
    """

    name: ClassVar[str] = "ngram-logreg"
    value_: FloatArray | None

    def __init__(
        self,
        encoding: Encoding = "one-hot",
        weights: str | Path | None = None,
        C: float = 1.0,  # noqa: N803 - scikit-learn's name
        grid: Sequence[float] | None = None,
        official_bigram_f: bool = True,
    ) -> None:
        self.encoding = encoding
        self.weights = weights
        self.C = C
        self.grid = grid
        self.official_bigram_f = official_bigram_f

    def pipeline(self) -> Pipeline:
        """Return an unfitted scikit-learn classifier: features, encoder, regression."""
        encoders = {"one-hot": OneHotEncoder(handle_unknown="ignore"), "real": "passthrough"}
        if self.encoding not in encoders:
            raise unknown("encoding to train", str(self.encoding), encoders)
        classifier = LogisticRegression(C=self.C, solver="newton-cg", tol=1e-8, max_iter=1000)
        overlap = NgramOverlap(self.official_bigram_f)
        encoder = encoders[self.encoding]
        steps = [("overlap", overlap), ("encoder", encoder), ("classifier", classifier)]
        return Pipeline(steps)

    def fit(
        self, pairs: Sequence[tuple[str, str]], gold: Sequence[float] | None = None
    ) -> NgramLogisticRegression:
        """Train on pairs, or read the official weights.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
            Pairs of identical sentences are left out, as in the official program.
        gold : sequence of bool or float of length n_pairs, optional
            True or 1 for a paraphrase, False or 0 for none.
        """
        check_choices(self, encoding=get_args(Encoding))
        check_booleans(self, "official_bigram_f")
        if self.encoding == "official-weights":
            if not isinstance(self.weights, str | os.PathLike):
                raise InputError("ngram-logreg: official-weights needs `weights`, their file.")
            weights = read_weights(Path(self.weights), FEATURE_NAMES)
            self.feature_, self.value_, self.weight_, self.intercept_ = weights
            return self
        labels = _labels(gold, len(pairs))
        distinct = [number for number, (left, right) in enumerate(pairs) if left != right]
        kinds = np.bincount(labels[distinct], minlength=2)
        fewest = 1 if self.grid is None else FOLDS
        if kinds.min() < fewest:
            raise InputError(
                f"ngram-logreg must be trained on at least {fewest} paraphrases and as many other"
                f" pairs of different sentences, but has {kinds[1]} and {kinds[0]}."
            )
        overlap, *steps = self.pipeline().steps
        features = overlap[1].transform([pairs[number] for number in distinct])
        self._learn_from(self._trained(Pipeline(steps), features, labels[distinct]))
        return self

    def _trained(
        self, steps: Pipeline, features: FloatArray, labels: npt.NDArray[np.bool_]
    ) -> Pipeline:
        tried = [self.C] if self.grid is None else self.grid
        is_list = isinstance(tried, list | tuple | np.ndarray) and len(tried) > 0
        if not is_list or not all(map(_is_strength, tried)):
            raise InputError(
                f"ngram-logreg: C must be from {LOWEST_C:g} to {HIGHEST_C:g}, and a grid a list of"
                f" such numbers, but they are {self.C!r} and {self.grid!r}."
            )
        if self.grid is None:
            return steps.fit(features, labels)
        search = GridSearchCV(steps, {"classifier__C": list(tried)}, scoring="f1", cv=FOLDS)
        return search.fit(features, labels).best_estimator_

    def _learn_from(self, pipeline: Pipeline) -> None:
        """Take the weights out of a fitted pipeline, so that they can be saved and read."""
        classifier = pipeline["classifier"]
        self.weight_, self.intercept_ = classifier.coef_[0], float(classifier.intercept_[0])
        if self.encoding == "one-hot":
            categories = pipeline["encoder"].categories_
            self.feature_ = np.repeat(np.arange(len(categories)), list(map(len, categories)))
            self.value_ = np.concatenate(categories)
        else:
            self.feature_, self.value_ = np.arange(len(self.weight_)), None
        self.C_ = float(classifier.C)

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the probability that each pair is a paraphrase, of shape (n_pairs,)."""
        check_is_fitted(self)
        features = NgramOverlap(self.official_bigram_f).transform(pairs)
        if self.value_ is None:
            return np.asarray(expit(features @ self.weight_ + self.intercept_))
        odds = np.full(len(pairs), self.intercept_)
        for number, column in enumerate(features.T.tolist()):
            mine = self.feature_ == number
            weights = dict(zip(self.value_[mine].tolist(), self.weight_[mine], strict=True))
            odds += [weights.get(value, 0.0) for value in column]
        return np.asarray(expit(odds))


def _is_strength(value: object) -> bool:
    return is_number(value) and LOWEST_C <= value <= HIGHEST_C  # type: ignore[operator]


def _labels(gold: Sequence[float] | None, count: int) -> npt.NDArray[np.bool_]:
    if gold is None:
        raise InputError(
            "ngram-logreg must be trained on labelled pairs, or read its `weights`, before it"
            " predicts."
        )
    labels = gold_array("ngram-logreg", gold)
    is_numeric = labels.dtype.kind in "biuf"
    if labels.shape != (count,) or not is_numeric or not np.isin(labels, [0, 1]).all():
        raise InputError(
            f"ngram-logreg: {count} pairs need as many labels, true or false (1 or 0)."
        )
    return labels.astype(np.bool_)
