"""Ways to score pairs by the cosine of their sets of words, each from file to file.

``python benchmarks/ways.py WAY SOURCE OUT`` reads two TAB-separated sentences a line and writes one
score a line. A way is written as a user of its library would write it. Words are what the official
program takes for words: what stands between runs of ASCII white space, and one empty word if a
sentence begins with white space.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROWS = 20_000
WHITE_SPACE = " \t\n\r\f\v"


class Way(NamedTuple):
    """One way: its function, its package if it has one, and whether its measure is the cosine."""

    run: Callable[[Path, Path], None]
    package: str | None = None
    is_cosine: bool = True


def words(sentence: bytes) -> list[bytes]:
    """Return the words of a sentence."""
    found = sentence.split()
    return [b"", *found] if found and sentence[:1].isspace() else found


def chunks(source: Path) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Yield the left and the right sentences of some thousand pairs at a time."""
    with source.open("rb") as stream:
        while lines := list(itertools.islice(stream, ROWS)):
            rows = [line[:-1].split(b"\t", 2) for line in lines]
            yield [row[0] for row in rows], [row[1] for row in rows]


def read_and_write(source: Path, out: Path) -> None:
    """Read each line and write a line as long as a score, without a score."""
    with source.open("rb") as stream, out.open("wb") as target:
        for _ in stream:
            target.write(b"0.0000000000\n")


def loop_over_sets(source: Path, out: Path) -> None:
    """Score with Python's sets, line by line."""
    sqrt = math.sqrt
    with source.open("rb") as stream, out.open("wb") as target:
        write = target.write
        for line in stream:
            columns = line[:-1].split(b"\t")
            first, second = columns[0], columns[1]
            left = set(first.split())
            right = set(second.split())
            if first[:1].isspace() and left:
                left.add(b"")
            if second[:1].isspace() and right:
                right.add(b"")
            shared = len(left & right)
            score = shared / (sqrt(len(left)) * sqrt(len(right))) if shared else 0.0
            write(b"%.10f\n" % score)


def scikit_learn(source: Path, out: Path) -> None:
    """Score with scikit-learn's binary vectors and products of sparse rows."""
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer

    with out.open("wb") as target:
        for left, right in chunks(source):
            vectorizer = CountVectorizer(analyzer=list, binary=True)
            vectors = vectorizer.fit_transform(map(words, left + right))
            lengths = np.sqrt(np.diff(vectors.indptr))
            a, b = vectors[: len(left)], vectors[len(left) :]
            products = lengths[: len(left)] * lengths[len(left) :]
            shared = np.asarray(a.multiply(b).sum(axis=1)).ravel()
            np.savetxt(target, shared / np.maximum(products, 1), fmt="%.10f")


def polars(source: Path, out: Path) -> None:
    """Score with polars' lists, streaming."""
    import polars as pl

    def distinct(column: str) -> pl.Expr:
        text = pl.col(column).str.strip_chars_end(WHITE_SPACE)
        runs = text.str.replace_all(f"[{WHITE_SPACE}]+", " ")
        unusual = text.str.contains(f"[\t\n\r\f\v]|[{WHITE_SPACE}]{{2}}")
        return pl.when(unusual).then(runs).otherwise(text).str.split(" ").list.unique()

    columns = {"left": pl.String, "right": pl.String}
    pairs = pl.scan_csv(
        source, separator="\t", quote_char=None, has_header=False, schema=columns,
        truncate_ragged_lines=True,
    )  # fmt: skip
    left, right = pl.col("left"), pl.col("right")
    shared = left.list.set_intersection(right).list.len()
    lengths = left.list.len().sqrt() * right.list.len().sqrt()
    score = pl.when(shared > 0).then(shared / lengths).otherwise(0.0)
    sets = pairs.select(distinct("left"), distinct("right"))
    sets.select(score).sink_csv(out, include_header=False, float_precision=10)


def duckdb(source: Path, out: Path) -> None:
    """Score with DuckDB's lists."""
    import duckdb as database

    def distinct(column: str) -> str:
        text = f"""translate("{column}", '\t\n\r\f\v', '     ')"""
        found = f"list_filter(string_split({text}, ' '), lambda word: word <> '')"
        leads = f"starts_with({text}, ' ') AND trim({text}) <> ''"
        return f"list_distinct(CASE WHEN {leads} THEN list_append({found}, '') ELSE {found} END)"

    score = "CASE WHEN shared > 0 THEN shared / (sqrt(a) * sqrt(b)) ELSE 0 END"
    database.sql(f"""
        COPY (
            WITH sets AS (
                SELECT {distinct("left")} AS a, {distinct("right")} AS b
                FROM read_csv(
                    '{source}', delim = '\t', quote = '', escape = '', header = false,
                    columns = {{'left': 'VARCHAR', 'right': 'VARCHAR'}}
                )
            ), counts AS (
                SELECT len(list_intersect(a, b)) AS shared, len(a) AS a, len(b) AS b FROM sets
            )
            SELECT printf('%.10f', {score}) FROM counts
        ) TO '{out}' (FORMAT csv, HEADER false)
    """)


def rapidfuzz(source: Path, out: Path) -> None:
    """Score with RapidFuzz's ratio of the sorted sets of words, which is another measure."""
    from rapidfuzz import fuzz, process

    with out.open("wb") as target:
        for left, right in chunks(source):
            scores = process.cpdist(
                [each.decode() for each in left], [each.decode() for each in right],
                scorer=fuzz.token_set_ratio,
            )  # fmt: skip
            target.writelines(b"%.10f\n" % (score / 100) for score in scores.tolist())


def textdistance(source: Path, out: Path) -> None:
    """Score with textdistance's cosine of sets."""
    from textdistance import Cosine

    cosine = Cosine(as_set=True, external=False).similarity
    with out.open("wb") as target:
        for left, right in chunks(source):
            pairs = zip(map(words, left), map(words, right), strict=True)
            target.writelines(b"%.10f\n" % cosine(a, b) for a, b in pairs)


def gensim(source: Path, out: Path) -> None:
    """Score with gensim's bags of words, row by row."""
    from gensim.corpora import Dictionary
    from gensim.matutils import cossim

    with out.open("wb") as target:
        for left, right in chunks(source):
            dictionary = Dictionary()
            for pair in zip(left, right, strict=True):
                a, b = (dictionary.doc2bow(set(words(side)), allow_update=True) for side in pair)
                target.write(b"%.10f\n" % cossim(a, b))


WAYS = {
    "read and write only": Way(read_and_write, is_cosine=False),
    "loop over sets": Way(loop_over_sets),
    "scikit-learn": Way(scikit_learn, "scikit-learn"),
    "polars": Way(polars, "polars"),
    "DuckDB": Way(duckdb, "duckdb"),
    "RapidFuzz": Way(rapidfuzz, "rapidfuzz", is_cosine=False),
    "textdistance": Way(textdistance, "textdistance"),
    "gensim": Way(gensim, "gensim"),
}


if __name__ == "__main__":
    name, source_name, out_name = sys.argv[1:]
    WAYS[name].run(Path(source_name), Path(out_name))
