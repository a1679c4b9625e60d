"""The TF-IDF baseline of typed similarity: one cosine for each of eight types.

*SEM 2013 shared task, section 4.2. What a type compares: all fields (general), the creator
(author), person names, dates and places found in all fields (people involved, time, location),
the verbs of all fields (event), the subject, the description. The paper does not say how terms
are tokenized, weighted and smoothed, and what an empty field scores: `TypedTfidf` has parameters
for them.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted

from stsbaselines.baselines._parameters import check_booleans, check_choices, check_numbers
from stsbaselines.predictor import Predictor
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.records import Record, check_record
from stsbaselines.tasks.typed import TYPES, check_records
from stsbaselines.text.annotate import Annotator, annotator_named, check_name, text_sentences
from stsbaselines.text.annotation import Annotation
from stsbaselines.text.dates import Date, find_dates
from stsbaselines.text.words import is_word, treebank_tokens

HIGHEST = 5.0
Entities = Literal["tokens", "whole"]
Dates = Literal["written", "years"]
Frequency = Literal["count", "log", "binary"]
Smoothing = Literal["smooth", "plain"]
Terms = dict[str, "Counter[str]"]


class Evidence(NamedTuple):
    """A score from 0 to 5 for one type, and the terms of both items, most important first."""

    type: str
    score: float
    matched: tuple[str, ...]


class TypedTfidf(Predictor):
    """Cosine of the TF-IDF vectors of two item records, for each of eight types, times 5.

    Parameters
    ----------
    annotator : str
        What finds verbs, names and dates: ``builtin``, ``stanza``, ``corenlp``,
        ``spacy:MODEL``; see `stsbaselines.text.annotate`.
    entities : 'tokens' or 'whole'
        Whether names are compared token by token or as a whole. The weight of a whole name is the
        sum of its tokens' weights.
    dates : 'written' or 'years'
        Whether the tokens of a date are compared, as in the paper, or its first and last year.
    term_frequency : 'count', 'log' or 'binary'
        For a term that occurs n times: n, 1 + ln n, or 1.
    idf : 'smooth' or 'plain'
        ln((1 + N) / (1 + df)) + 1, or ln(N / max(df, 1)), for N records.
    lowercase : bool
        Whether tokens are compared in lower case.
    empty : float
        Score of a type for which one of the items has no term, or only terms of weight 0 (terms
        of all records with plain IDF); from 0 to 5.

    References
    ----------
    Agirre, Cer, Diab, Gonzalez-Agirre and Guo (2013), section 4.2.

    Examples
    --------
    >>> mill = Record(title=("A water mill",), creator=("Smith, John",), date=("c. 1850",))
    >>> view = Record(title=("View of a mill",), creator=("John Smith",), date=("1850",))
    >>> model = TypedTfidf().fit([(mill, view)])
    >>> scores = dict(zip(TYPES, model.predict([(mill, view)])[0].round(2).tolist()))
    >>> scores["author"], scores["time"], scores["location"]
    (5.0, 2.9, 0.0)
    """

    name: ClassVar[str] = "typed-tfidf"
    predicts: ClassVar[str] = "typed scores"

    def __init__(
        self,
        annotator: str = "builtin",
        entities: Entities = "tokens",
        dates: Dates = "written",
        term_frequency: Frequency = "count",
        idf: Smoothing = "smooth",
        lowercase: bool = True,
        empty: float = 0.0,
    ) -> None:
        self.annotator = annotator
        self.entities = entities
        self.dates = dates
        self.term_frequency = term_frequency
        self.idf = idf
        self.lowercase = lowercase
        self.empty = empty

    def fit(self, pairs: Iterable[tuple[Record, Record]], gold: object = None) -> TypedTfidf:
        """Count the records of the pairs that have each term; an item counts once.

        The paper counts the records of a background collection: see `fit_background`.

        Parameters
        ----------
        pairs : iterable of (Record, Record)
            Records without any value do not count.
        gold : ignored
            The baseline does not learn from gold scores.
        """
        chosen = list(pairs)
        check_records(chosen)
        return self.fit_background(dict.fromkeys(each for pair in chosen for each in pair))

    def fit_background(self, records: Iterable[Record]) -> TypedTfidf:
        """Count the records of a background that have each token, or year of a date.

        Parameters
        ----------
        records : iterable of Record
            Read one by one. Records without any value do not count.
        """
        self._check_parameters()
        frequencies: Counter[str] = Counter()
        number = 0
        for place, record in enumerate(records):
            check_record(record, f"records[{place}]")
            values = [value for values in record for value in values]
            terms: set[str] = set()
            for value in values:
                for _, part in text_sentences(value):
                    terms.update(self._words(part))
                if self.dates == "years":
                    terms.update(*map(years_of_date, find_dates(value)))
            frequencies.update(terms)
            number += bool(values)
        self.document_frequencies_ = dict(sorted(frequencies.items()))
        self.n_records_ = number
        return self

    def predict(self, pairs: Sequence[tuple[Record, Record]]) -> FloatArray:
        """Return the eight similarities of each pair, as an array of shape (n_pairs, 8)."""
        scores = [[each.score for each in evidence] for evidence in self.explain(pairs)]
        return np.array(scores, dtype=np.float64).reshape(len(scores), len(TYPES))

    def explain(self, pairs: Sequence[tuple[Record, Record]]) -> list[list[Evidence]]:
        """Return the eight `Evidence` of each pair: a score and the terms behind it."""
        check_is_fitted(self)
        check_records(pairs)
        self._check_parameters()
        annotator = annotator_named(self.annotator)
        terms = self._terms((record for pair in pairs for record in pair), annotator)
        idf = functools.cache(self._idf)
        return [
            [self._compared(name, terms[left][name], terms[right][name], idf) for name in TYPES]
            for left, right in pairs
        ]

    def _compared(
        self, name: str, left: Counter[str], right: Counter[str], idf: Callable[[str], float]
    ) -> Evidence:
        x, y = self._weighted(left, idf), self._weighted(right, idf)
        products = {term: x[term] * y[term] for term in x.keys() & y.keys()}
        lengths = math.hypot(*x.values()) * math.hypot(*y.values())
        if not lengths:
            return Evidence(name, float(self.empty), ())
        cosine = math.fsum(products.values()) / lengths
        matched = sorted(products, key=lambda term: (-products[term], term))
        return Evidence(name, HIGHEST * min(1.0, cosine), tuple(matched))

    def _weighted(self, terms: Counter[str], idf: Callable[[str], float]) -> dict[str, float]:
        return {term: self._frequency(count) * idf(term) for term, count in terms.items()}

    def _frequency(self, count: int) -> float:
        if self.term_frequency == "binary":
            return 1.0
        return 1 + math.log(count) if self.term_frequency == "log" else float(count)

    def _idf(self, term: str) -> float:
        """Return the weight of a term; for a whole name, the sum over its tokens."""
        number, frequencies = self.n_records_, self.document_frequencies_
        found = [frequencies.get(token, 0) for token in term.split(" ")]
        if self.idf == "plain":
            return sum(math.log(max(number, 1) / max(each, 1)) for each in found)
        return sum(math.log((1 + number) / (1 + each)) + 1 for each in found)

    def _terms(self, records: Iterable[Record], annotator: Annotator) -> dict[Record, Terms]:
        """Return the terms of records for each type; the texts of a field are annotated at once."""
        annotated: dict[Record, dict[str, list[Annotation]]] = {each: {} for each in records}
        for field in Record._fields:
            texts = [text for record in annotated for text in getattr(record, field)]
            found = iter(annotator.annotate(texts, field) if texts else ())
            for record, fields in annotated.items():
                fields[field] = list(itertools.islice(found, len(getattr(record, field))))
        return {record: self._terms_of(fields) for record, fields in annotated.items()}

    def _terms_of(self, fields: dict[str, list[Annotation]]) -> Terms:
        every = [each for annotations in fields.values() for each in annotations]
        parts: dict[str, Iterable[str]] = {
            "general": self._tokens(every),
            "author": self._tokens(fields["creator"]),
            "people_involved": self._names(name for each in every for name in each.persons),
            "time": (term for each in every for date in each.dates for term in self._date(date)),
            "location": self._names(name for each in every for name in each.locations),
            "event": self._cased(word for each in every for word in each.verbs),
            "subject": self._tokens(fields["subject"]),
            "description": self._tokens(fields["description"]),
        }
        return {name: Counter(terms) for name, terms in parts.items()}

    def _tokens(self, annotations: Iterable[Annotation]) -> Iterator[str]:
        tokens = (token for each in annotations for token in each.tokens)
        return self._cased(filter(is_word, tokens))

    def _words(self, text: str) -> Iterator[str]:
        return self._cased(filter(is_word, treebank_tokens(text)))

    def _cased(self, terms: Iterable[str]) -> Iterator[str]:
        return (term.lower() if self.lowercase else term for term in terms)

    def _names(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            words = [*self._words(name)]
            yield from [" ".join(words)] if self.entities == "whole" and words else words

    def _date(self, date: Date) -> Iterable[str]:
        return self._words(date.text) if self.dates == "written" else years_of_date(date)

    def _check_parameters(self) -> None:
        check_choices(
            self,
            entities=get_args(Entities),
            dates=get_args(Dates),
            term_frequency=get_args(Frequency),
            idf=get_args(Smoothing),
        )
        check_name(self.annotator)
        check_booleans(self, "lowercase")
        check_numbers(self, empty=(0, HIGHEST))


def years_of_date(date: Date) -> set[str]:
    """Return the first and the last year of a date, as terms."""
    return {str(year) for year in date.years if year is not None}
