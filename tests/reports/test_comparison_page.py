"""The HTML page of a comparison."""

from __future__ import annotations

import dataclasses
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from stsbaselines.evaluation.comparison import compare
from stsbaselines.evaluation.results import MeasureResult
from stsbaselines.reports.comparison import comparison_page
from stsbaselines.reports.comparison_tables import report_tables
from tests.evaluation.test_comparison import constant, overlap
from tests.reports.samples import PLAIN, SHOWN, comparison, in_browser


class Page(HTMLParser):
    """The elements of a page, and the text outside of styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] != "style":
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def text() -> str:
    return comparison_page(comparison())


def test_the_page_is_one_file_and_escapes_markup(text: str) -> None:
    page = Page(text)
    assert not [tag for tag, _ in page.elements if tag in ("b", "script", "link", "img")]
    assert not re.search(r'(?:src|href)="(?!#|data:image/png;base64)', text)
    assert "@import" not in text
    words = " ".join(page.text)
    assert SHOWN in words
    assert "A cat sleeps." in words
    assert PLAIN in words


def test_the_page_is_accessible(text: str) -> None:
    page = Page(text)
    assert page.all("html") == [{"lang": "en"}]
    figures = page.all("svg")
    assert len(figures) == 4  # ranks, bars, two scatter plots
    assert all(each["role"] == "img" and each["aria-label"] for each in figures)
    assert len(page.all("caption")) == len(page.all("table")) == 7
    assert all(each.get("scope") for each in page.all("th"))
    ids = [each["id"] for _, each in page.elements if each.get("id")]
    assert len(ids) == len(set(ids))
    targets = {str(each["href"])[1:] for each in page.all("a")}
    assert targets <= set(ids)
    used = {str(each["xlink:href"])[1:] for each in page.all("use")}
    assert used <= set(ids)


@pytest.mark.parametrize(
    ("part", "width"), [("html", 360), ("html", 1280), ("#numbers .scroll", 1280)]
)
def test_the_page_fits_the_width_of_a_window(
    text: str, part: str, width: int, tmp_path: Path
) -> None:
    probe = tmp_path / "probe.html"
    inner = text.replace("&", "&amp;").replace('"', "&quot;")
    probe.write_text(
        f'<iframe id="f" style="width:{width}px;height:900px;border:0" srcdoc="{inner}"></iframe>'
        "<pre></pre><script>onload = () => { const d = document.getElementById('f')"
        f".contentDocument.querySelector('{part}'); document.querySelector('pre').textContent ="
        " d.scrollWidth + ' in ' + d.clientWidth; };</script>",
        "utf-8",
    )
    content = in_browser(probe)
    match = re.search(r"<pre>(\d+) in (\d+)</pre>", content)
    assert match, content
    assert int(match[1]) <= int(match[2])


def test_the_colours_of_text_contrast(text: str) -> None:
    themes = [
        dict(re.findall(r"--(\w+): (#\w+)", block))
        for block in re.findall(":root {(.*?)}", text, re.S)
    ]
    assert len(themes) == 3
    for theme in themes:
        for colour in ("ink", "faint", "link"):
            assert _contrast(theme[colour], theme["back"]) >= 4.5, (colour, theme)


def _contrast(one: str, other: str) -> float:
    def luminance(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
        parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
        linear = [
            each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
        ]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))

    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_the_p_value_of_the_test_to_quote_is_bold(text: str) -> None:
    quoted = re.findall(r'<td class="number quoted">(.*?)</td>', text)
    assert quoted == [".012", "&lt;\xa0.001"]


def test_empty_parts_are_left_out() -> None:
    whole = comparison(("ours", "theirs"))
    alone = dataclasses.replace(
        whole,
        systems=("ours",),
        scores={"ours": whole.scores["ours"]},
        measured=(MeasureResult("ours", "Mean", None, 0),),
        tests=(),
        conventions=(),
        score_pairs={},
        errors=(),
        notes=(),
    )
    text = comparison_page(alone)
    page = Page(text)
    assert [each["id"] for each in page.all("section")] == [
        "overview", "numbers", "scatter", "signatures",
    ]  # fmt: skip
    assert page.all("svg") == []
    assert "there is nothing to plot" in text
    assert "has no Mean: it is undefined." in text


def _huge(left: list[str], right: list[str]) -> list[float]:
    return [1e300 * len(a) for a in left]


@pytest.mark.parametrize("task", ["sample-sts", "sample-pit"])
def test_real_comparisons(task: str) -> None:
    found = compare(task, {"overlap": overlap, "constant": constant, "huge": _huge})
    page = Page(comparison_page(found))
    assert len(page.all("svg")) == 1 + len(found.score_pairs)
    assert len(page.all("table")) == len(report_tables(found)) + len(
        {each.system for each in found.errors}
    )


@pytest.mark.official
def test_a_page_of_a_whole_year_is_small(official_data: Path) -> None:
    systems = {"overlap": overlap, "huge": _huge, "constant": constant}
    found = compare("sts2015", systems, data_dir=official_data, resamples=100)
    page = comparison_page(found)
    assert len(page.encode()) < 2_000_000
    assert len(Page(page).all("svg")) == 2 + len(found.score_pairs)
