"""Plots of ranks in published tables."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from stsbaselines.errors import InputError
from stsbaselines.reference.published import table, table_names
from stsbaselines.reference.ranking import main_column, name_of, rank_of, ranked_rows
from stsbaselines.reports import plots, rank_plot


@pytest.mark.parametrize("name", [each for each in table_names() if each != "agreement"])
def test_every_table_can_be_plotted(name: str, tmp_path: Path) -> None:
    of = table(name)
    column = main_column(of)
    figure = rank_plot.rank_plot(of, column, {"ours": 0.5, "none": float("nan")})
    axes = figure.axes[0]
    best_first = [float(row.values[column]) for row in ranked_rows(of, column)]
    assert np.array_equal(axes.lines[0].get_ydata(), best_first)
    labels = [each.get_text() for each in axes.texts]
    assert any(label.startswith("ours  0.50") for label in labels)
    assert not any(label.startswith("none") for label in labels)
    baselines = [name_of(row) for row in rank_of(of, column, 0.5).baselines]
    assert sum("ours" not in label and "agreement" not in label for label in labels) == len(
        baselines
    )
    heights = [each.get_position()[1] for each in axes.texts]
    assert heights == sorted(heights, reverse=True)
    assert len(set(heights)) == len(heights)


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "PDF"])
def test_a_plot_is_saved_the_same_each_time(suffix: str, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.{suffix}" for name in ("one", "other")]
    for path in paths:
        rank_plot.plot_table(table("sts2015-english"), path)
    one, other = (path.read_bytes() for path in paths)
    assert one == other
    signs = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    assert one.startswith(signs[suffix.lower()])


@pytest.mark.parametrize(
    ("name", "file", "message"),
    [
        ("sts2015-english", "ranks.jpg", "ends in .svg, .png or .pdf"),
        ("sts2015-english", "ranks", "ends in .svg, .png or .pdf"),
        ("agreement", "ranks.svg", "table agreement has no runs to plot"),
    ],
)
def test_what_cannot_be_plotted(name: str, file: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        rank_plot.plot_table(table(name), tmp_path / file)
    assert not (tmp_path / file).exists()


def test_settings_of_the_program_are_left_alone() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 40, "text.usetex": True}):
        figure = rank_plot.rank_plot(table("sts2015-english"), "Mean", {"$x_1": 0.5})
        svg = plots.to_svg(figure)
    assert "$x_1" in svg
    assert svg == plots.to_svg(rank_plot.rank_plot(table("sts2015-english"), "Mean", {"$x_1": 0.5}))
    assert dict(matplotlib.rcParams) == before
