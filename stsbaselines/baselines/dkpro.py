"""DKPro's system of 2012 with WordNet and explicit semantic analysis.

It adds Resnik's similarity, with intrinsic information content, and explicit semantic analysis to
the features of ``dkpro-string``. In 2012, explicit semantic analysis used WordNet, Wikipedia and
Wiktionary; here it uses any corpora, with stems instead of lemmas.

Pairs of OnWN and FNWN contain definitions of WordNet word for word. A model that has read WordNet,
or GCIDE, which copies from it, has seen them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from stsbaselines.baselines._esa import SemanticAnalysis, pack_spaces, unpack_spaces
from stsbaselines.baselines._pair_features import Pair
from stsbaselines.baselines._parameters import check_corpora, check_paths
from stsbaselines.baselines._resnik import WordNetSimilarity
from stsbaselines.baselines.dkpro_string import DKProString, Idf, Transformers
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import FloatArray

CORPORA = ("wordnet", "gcide", "brown")


class DKPro(DKProString):
    r"""Linear regression on the logarithm of similarities of strings, words and meanings.

    Parameters
    ----------
    corpora : sequence of str or None
        Each gives one space of explicit semantic analysis; None means ``wordnet``, ``gcide``
        and ``brown``. See `stsbaselines.data.corpora.sentences_of`; files must have different
        names.
    idf : {'training', 'predicted'}
        See `stsbaselines.baselines.dkpro_string.DKProString`.
    wordnet : path or None
        Folder of WordNet; None to search for it. A saved model needs it too.
    features : sequence of str or None
        Groups of features to use; None means all: ``strings``, ``characters``, ``words``,
        ``resnik``, ``esa``.
    data_dir : path or None
        Folder that is searched first for corpora and WordNet.
    n_jobs : int
        Number of processes that compute features for `fit`.

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
    all_groups: ClassVar[tuple[str, ...]] = (*DKProString.all_groups, "resnik", "esa")

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
        pairs: Sequence[Pair],
        gold: Sequence[float] | FloatArray | None = None,
        sets: Sequence[object] | None = None,
    ) -> Any:
        """Read the corpora, and learn idf and the regression; see `DKProString.fit`."""
        super().fit(pairs, gold, sets)
        analysis = self._transformers().get("esa")
        self.esa_words_, arrays = pack_spaces(analysis.fit().spaces_ if analysis else [])
        self.esa_values_, self.esa_columns_, self.esa_ends_ = arrays
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_paths(self, "wordnet", "data_dir")
        if "esa" in self._groups() and self.corpora is not None:
            check_corpora(self)
            names = Counter(Path(corpus).stem for corpus in self.corpora)
            [(name, count)] = names.most_common(1)
            if count > 1:
                raise InputError(
                    f"{self.name}: {count} corpora are called {name!r}, but names must differ."
                )

    def _all_transformers(self) -> Transformers:
        corpora = CORPORA if self.corpora is None else self.corpora
        return {
            **super()._all_transformers(),
            "resnik": WordNetSimilarity(self.wordnet, self.data_dir, self.n_jobs),
            "esa": SemanticAnalysis(corpora, self.data_dir),
        }

    def _restored(self) -> Transformers:
        transformers = super()._restored()
        if "esa" in transformers:
            arrays = self.esa_values_, self.esa_columns_, self.esa_ends_
            transformers["esa"].spaces_ = unpack_spaces(self.esa_words_, arrays)
        return transformers
