"""DKPro's system of 2012 with WordNet and explicit semantic analysis.

To the features of ``dkpro-string`` it adds Resnik's similarity and explicit semantic analysis.
What differs from the system of 2012, beyond what ``dkpro-string`` says:

- Explicit semantic analysis had WordNet, Wikipedia and Wiktionary; here it has any corpora,
  by default WordNet, GCIDE (for Wiktionary) and Brown, with stems instead of lemmas. A word's
  vector has log(1 + count) in each sentence or definition, and the length 1.
- Resnik's similarity has intrinsic information content, words the tags of this package's
  tagger, and idf is that of pairs instead of a large corpus.

Pairs of OnWN and FNWN contain definitions of WordNet word for word. A model that has read WordNet,
or GCIDE, which copies from it, has seen them.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from stsbaselines.baselines._esa import SemanticAnalysis, packed, unpacked
from stsbaselines.baselines._pair_features import check_corpora, check_places
from stsbaselines.baselines._resnik import WordNetSimilarity
from stsbaselines.baselines.dkpro_string import DKProString, Idf
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import FloatArray

__all__ = ["DKPro", "SemanticAnalysis", "WordNetSimilarity"]

CORPORA = ("wordnet", "gcide", "brown")


class DKPro(DKProString):
    r"""Linear regression on the logarithm of similarities of strings, words and meanings.

    Parameters
    ----------
    corpora : sequence of str or None
        One space of explicit semantic analysis is made of each; None for ``wordnet``, ``gcide``
        and ``brown``. See `stsbaselines.data.corpora.sentences_of`; files must have different
        names.
    idf : {'training', 'predicted'}
        See `stsbaselines.baselines.dkpro_string.DKProString`.
    wordnet : path or None
        WordNet's files; None to look for them. A saved model needs them too.
    features : sequence of str or None
        Groups of features to use; None for all: ``strings``, ``characters``, ``words``,
        ``resnik``, ``esa``.
    data_dir : path or None
        Where corpora and WordNet are looked for first.
    n_jobs : int
        Processes that compute features for `fit`.

    Attributes
    ----------
    intercept_, coefficients_, frequencies_, n_sentences_
        As of `stsbaselines.baselines.dkpro_string.DKProString`.
    esa_words_ : list of list of str
        Stems of each space.
    esa_values_, esa_columns_, esa_ends_ : ndarray
        The sparse vectors of all stems, space below space.

    References
    ----------
    Baer, Biemann, Gurevych and Zesch (2012), UKP: Computing Semantic Textual Similarity by
    Combining Multiple Content Similarity Measures. \*SEM 2012.
    Gabrilovich and Markovitch (2007). Mihalcea, Corley and Strapparava (2006). Seco, Veale
    and Hayes (2004).

    Examples
    --------
    >>> pairs = [("a b c", "a b d"), ("a b c", "a b c"), ("a b", "c d"), ("a", "b")]
    >>> model = DKPro(features=["strings", "words"]).fit(pairs, [3, 5, 1, 0])
    >>> model.predict([("we go home", "we go home!")]).tolist()
    [5.0]
    """

    name: ClassVar[str] = "dkpro"
    files: ClassVar[tuple[str, ...]] = ("corpora", "wordnet")
    all_groups: ClassVar[tuple[str, ...]] = (*DKProString.all_groups, "resnik", "esa")
    groups_with_idf: ClassVar[tuple[str, ...]] = ("characters", "resnik")

    def __init__(
        self,
        corpora: Sequence[str | Path] | None = None,
        idf: Idf = "training",
        wordnet: str | Path | None = None,
        features: Sequence[str] | None = None,
        data_dir: str | Path | None = None,
        n_jobs: int = 1,
    ) -> None:
        super().__init__(idf, features, n_jobs)
        self.corpora = corpora
        self.wordnet = wordnet
        self.data_dir = data_dir

    def fit(
        self,
        pairs: Sequence[Sequence[str]],
        gold: Sequence[float] | FloatArray | None = None,
        sets: Sequence[object] | None = None,
    ) -> Any:
        """Read the corpora, and learn idf and the regression.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
        gold : sequence of float of length n_pairs
            From 0 to 5.
        sets : sequence of length n_pairs, optional
            The data set that each pair is of; see `DKProString.fit`.

        Raises
        ------
        InputError
            If there are fewer than 2 pairs, gold scores that do not fit, or wrong parameters.
        MissingDataError
            If WordNet or a corpus is not here; the message says how to get it.
        """
        super().fit(pairs, gold, sets)
        analysis = self._fitted.get("esa")
        self.esa_words_, arrays = packed(analysis.spaces_ if analysis else [])
        for name, array in arrays.items():
            setattr(self, f"esa_{name}_", array)
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_places(self.name, wordnet=self.wordnet, data_dir=self.data_dir)
        if "esa" in self._groups() and self.corpora is not None:
            check_corpora(self.name, self.corpora)
            names = Counter(Path(corpus).stem for corpus in self.corpora)
            [(name, count)] = names.most_common(1)
            if count > 1:
                raise InputError(
                    f"{self.name}: {count} corpora are called {name!r}, by which their features"
                    " cannot be told apart."
                )

    def _builders(self) -> dict[str, Callable[[], Any]]:
        corpora = CORPORA if self.corpora is None else self.corpora
        return {
            **super()._builders(),
            "resnik": functools.partial(
                WordNetSimilarity, self.wordnet, self.data_dir, self.n_jobs
            ),
            "esa": functools.partial(SemanticAnalysis, corpora, self.data_dir),
        }

    def _restore(self, group: str, transformer: Any) -> None:
        super()._restore(group, transformer)
        if group == "esa":
            learned = vars(self)
            arrays = {each: learned.get(f"esa_{each}_") for each in ("values", "columns", "ends")}
            transformer.spaces_ = unpacked(learned.get("esa_words_"), arrays)
