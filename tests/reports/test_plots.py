"""Scatter plots, bars and how figures are written."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from stsbaselines.reports import plots
from stsbaselines.tasks.base import ScorePairs
from tests.reports.samples import HOSTILE, comparison, score_pairs


def test_a_regression_is_the_least_squares_one() -> None:
    found = score_pairs()
    line = plots.scatter(found, "a").axes[0].lines[1]
    slope, intercept = np.polyfit(found.gold, found.scores, 1)
    assert np.allclose(line.get_ydata(), intercept + slope * np.asarray(line.get_xdata()))
    weights = np.arange(40.0)
    line = plots.scatter(found._replace(weights=weights), "a").axes[0].lines[1]
    slope, intercept = np.polyfit(found.gold, found.scores, 1, w=np.sqrt(weights))
    assert np.allclose(line.get_ydata(), intercept + slope * np.asarray(line.get_xdata()))


@pytest.mark.parametrize(
    ("scores", "gold", "said"),
    [
        ([1.0, 1.0], [1.0, 2.0], "r = undefined, n = 2"),
        ([1.0, 2.0], [1.0, 1.0], "r = undefined, n = 2"),
        ([2.0, 1.0], [1.0, 2.0], "r = \u22121.000, n = 2"),
        ([-1e308, 1e308], [0.0, 5.0], "r = 1.000, n = 2"),
        ([-1e-300, 1e-300], [0.0, 5.0], "r = 1.000, n = 2"),
    ],
)
def test_scatter_plots_of_unusual_scores(scores: list[float], gold: list[float], said: str) -> None:
    found = ScorePairs(np.array(scores), np.array(gold), np.arange(1, 3))
    figure = plots.scatter(found, HOSTILE)
    assert figure.texts[1].get_text() == said
    ElementTree.fromstring(plots.to_svg(figure).replace("xlink:", ""))


def test_bars_leave_out_what_is_undefined() -> None:
    from matplotlib.patches import Rectangle

    found = comparison(("ours", "theirs")).measured
    figure = plots.bars(found)
    widths = [bar.get_width() for bar in figure.axes[0].patches if isinstance(bar, Rectangle)]
    assert widths == [0.8, 0.62, 0.3]
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["ours", "theirs", "annotators' agreement"]


def test_figures_in_a_page_share_no_ids() -> None:
    figure = plots.scatter(score_pairs(), "a")
    one, other = (plots.to_svg(figure, name) for name in ("one", "other"))
    ids = [set(re.findall(' id="([^"]+)"', svg)) for svg in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]


def test_styles_of_many_systems_differ() -> None:
    styles = [plots.style_of(place) for place in range(35)]
    assert len(set(styles)) == 35
    assert len({style.colour for style in styles[:7]}) == 7
