"""Reports of a comparison and their figures."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
import shutil
import subprocess
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation.comparison import compare
from stsbaselines.evaluation.results import (
    BASELINE,
    BOOTSTRAP,
    FISHER,
    SYSTEM,
    WILLIAMS,
    Comparison,
    ConventionResult,
    LargeError,
    MeasureResult,
    SignificanceTest,
)
from stsbaselines.reference.published import table, table_names
from stsbaselines.reference.ranking import main_column, name_of, rank_of, ranked_rows
from stsbaselines.reports import plots
from stsbaselines.reports.comparison import in_latex, report, sheets, summary
from stsbaselines.scoring.significance import Interval
from stsbaselines.tasks.base import ScorePairs, Scores

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
HOSTILE = "<b>&_%$#{}~^\\ |`*[x]</script> \udce9\x01"
SHOWN = "<b>&_%$#{}~^\\ |`*[x]</script> é\ufffd"
PLAIN = "plain \u4e2d"


def score_pairs(seed: int = 0) -> ScorePairs:
    generator = np.random.RandomState(seed)
    gold = generator.randint(0, 6, size=40).astype(float)
    return ScorePairs(gold + generator.randn(40), gold, np.arange(1, 41))


def measured(system: str, name: str, value: float | None) -> MeasureResult:
    of = table("sts2015-english")
    if value is None:
        return MeasureResult(system, name, None, 750)
    interval = Interval(value - 0.05, value + 0.05)
    annotator_agreement = Decimal("0.888") if name == "images" else None
    return MeasureResult(
        system, name, value, 750, interval, rank_of(of, name, value), annotator_agreement
    )


def comparison(names: tuple[str, str] = (HOSTILE, PLAIN)) -> Comparison:
    one, other = names
    scores = {
        name: Scores("sts2015", name, {}, {"Mean": 0.62}, "pearson", f"task:sts2015|n:{place}")
        for place, name in enumerate(names)
    }
    tests = (
        SignificanceTest(
            one, "Baseline-tokencos", BASELINE, "Mean", FISHER, 0.0329, 1.9, 0.0287, True
        ),
        SignificanceTest(one, other, SYSTEM, "Mean", FISHER, 0.32, 2.5, 0.0062, True),
        SignificanceTest(one, other, SYSTEM, "Mean", BOOTSTRAP, 0.32, None, 0.012, True, True),
        SignificanceTest(one, other, SYSTEM, "images", WILLIAMS, 0.1, np.inf, 0.0, True, True),
    )
    return Comparison(
        task=find_task("sts2015"),
        systems=names,
        scores=scores,
        measured=(
            measured(one, "images", 0.8),
            measured(one, "Mean", 0.62),
            measured(other, "images", None),
            measured(other, "Mean", 0.3),
        ),
        tests=tests,
        conventions=(
            ConventionResult(one, "official Mean", 0.62, "task:sts2015|n:0"),
            ConventionResult(other, "official Mean", 0.3, "task:sts2015|n:1"),
        ),
        score_pairs={(one, "images"): score_pairs(), (other, "images"): score_pairs(1)},
        errors=(
            LargeError(one, "images", 7, "score", -1.5, 4.0, 3.21, (HOSTILE, "A cat sleeps.")),
            LargeError(other, "images", 9, "score", 0.5, 0.0, 2.0, None),
        ),
        notes=(f"{one}: a note",),
    )


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


@pytest.fixture
def written(tmp_path: Path) -> Path:
    files = report(comparison(), tmp_path / "new" / "report")
    names = ["index.html", "comparison.md", "comparison.tex", "comparison.json"]
    assert [path.name for path in files] == names
    assert sorted(path.name for path in (tmp_path / "new" / "report").iterdir()) == sorted(names)
    return tmp_path / "new" / "report"


def test_the_page_is_one_file_and_takes_no_text_for_html(written: Path) -> None:
    text = (written / "index.html").read_text("utf-8")
    page = Page(text)
    assert not [tag for tag, _ in page.elements if tag in ("b", "script", "link", "img")]
    assert not re.search(r'(?:src|href)="(?!#|data:image/png;base64)', text)
    assert "@import" not in text
    words = " ".join(page.text)
    assert SHOWN in words
    assert "A cat sleeps." in words
    assert PLAIN in words


def test_the_page_is_accessible(written: Path) -> None:
    page = Page((written / "index.html").read_text("utf-8"))
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


@pytest.mark.parametrize("width", [360, 1280])
def test_the_page_fits_the_width_of_a_window(written: Path, width: int) -> None:
    if BROWSER is None:
        pytest.skip("needs Chromium")
    probe = written / "probe.html"
    inner = (written / "index.html").read_text("utf-8").replace("&", "&amp;").replace('"', "&quot;")
    probe.write_text(
        f'<iframe id="f" style="width:{width}px;height:900px;border:0" srcdoc="{inner}"></iframe>'
        "<pre></pre><script>onload = () => { const d = document.getElementById('f')"
        ".contentDocument.documentElement; document.querySelector('pre').textContent ="
        " d.scrollWidth + ' in ' + d.clientWidth; };</script>",
        "utf-8",
    )
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000",
         f"--user-data-dir={written / 'profile'}", "--dump-dom", probe.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    match = re.search(r"<pre>(\d+) in (\d+)</pre>", done.stdout)
    assert match, done.stderr
    assert int(match[1]) <= int(match[2])


def test_the_colours_of_text_contrast(written: Path) -> None:
    text = (written / "index.html").read_text("utf-8")
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


def test_a_summary_in_sentences() -> None:
    (name, first), (_, second), (_, third) = summary(comparison(("ours", "theirs")))
    assert name == "ours"
    assert first.replace("\xa0", " ") == (
        "reaches Mean = 0.62000 (95 % interval 0.570 to 0.670) on 750 pairs: rank 56 of 74, with"
        " MiniExperts-Run3 (0.6353) above and ASAP-SECONDRUN (0.6152) below. It differs"
        " significantly from Baseline-tokencos (+0.0329, p = .029)."
    )
    assert second.startswith("reaches Mean = 0.30000")
    assert third.replace("\xa0", " ") == (
        "ours is significantly better than theirs (paired bootstrap, p = .012)."
    )


def test_the_tables() -> None:
    found = {each.key: each for each in sheets(comparison(("ours", "theirs")))}
    assert [*found] == ["overview", "numbers", "published", "systems", "conventions"]
    overview = found["overview"]
    assert overview.header[:3] == ("number", "ours", "theirs")
    assert overview.header[-2:] == ("best run", "agreement")
    assert overview.rows[0][1:3] == ("0.80000", "undefined")
    assert overview.rows[0][-1] == "0.888"
    assert overview.numeric == [False, *[True] * (len(overview.header) - 1)]
    assert found["published"].rows == (("ours", "Mean", "+0.0329* (.029)"),)
    assert [row[-1] for row in found["systems"].rows] == [
        "yes (paired bootstrap)",
        "yes (Williams)",
    ]


def test_a_number_is_bold_if_it_is_of_the_test_to_quote(written: Path) -> None:
    text = (written / "index.html").read_text("utf-8")
    quoted = re.findall(r'<td class="number quoted">(.*?)</td>', text)
    assert quoted == [".012", "&lt;\xa0.001"]


def test_markdown_and_latex_escape(written: Path) -> None:
    text = (written / "comparison.md").read_text("utf-8")
    assert "\\<b\\>\\&\\_%\\$\\#\\{\\}\\~^\\\\ \\|\\`\\*\\[x\\]" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= set(range(3, 12))
    latex = (written / "comparison.tex").read_text("ascii")
    assert r"\textless{}b\textgreater{}\&\_\%\$\#\{\}\textasciitilde{}" in latex
    assert "plain [U+4E2D]" in latex
    for row in re.findall(r"^.*\\\\$", latex, re.M):
        assert row.startswith("{}")
    tables = re.findall(r"\\begin{tabular}{(.*?)}(.*?)\\end{tabular}", latex, re.S)
    assert len(tables) == 6
    for columns, content in tables:
        rows = re.findall(r"^(.*)\\\\$", content, re.M)
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(columns)}


@given(st.text())
def test_latex_is_ascii_with_balanced_braces(text: str) -> None:
    latex = in_latex(text)
    assert latex.isascii()
    assert latex.isprintable()
    bare = re.sub(r"\\[{}]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[&%#_]", latex)


ESCAPES = st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF)  # bytes that are not UTF-8


@given(st.text(alphabet=st.one_of(st.characters(codec="utf-8"), ESCAPES)))
def test_any_text_can_be_shown(text: str) -> None:
    shown = plots.printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert plots.printable(shown) == shown


def test_json_has_everything_unrounded(written: Path) -> None:
    found = json.loads((written / "comparison.json").read_text("utf-8"))
    assert found["measured"][1]["value"] == 0.62
    assert found["measured"][2]["value"] is None
    assert found["measured"][0]["system"] == SHOWN.replace("\ufffd", "\x01")
    assert found["tests"][-1]["statistic"] is None  # infinite
    assert len(found["errors"]) == 2


def test_the_same_comparison_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (report(comparison(), tmp_path / name) for name in ("one", "other"))
    for path, again in zip(one, other, strict=True):
        assert path.read_bytes() == again.read_bytes()


def test_what_there_is_not_is_left_out(tmp_path: Path) -> None:
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
    text = report(alone, tmp_path)[0].read_text("utf-8")
    page = Page(text)
    assert [each["id"] for each in page.all("section")] == [
        "overview", "numbers", "scatter", "signatures",
    ]  # fmt: skip
    assert page.all("svg") == []
    assert "there is nothing to plot" in text
    assert "has no Mean: it is undefined." in text


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a folder that can be made"):
        report(comparison(), tmp_path / "file")


def _overlap(left: list[str], right: list[str]) -> list[float]:
    return [float(len({*a.split()} & {*b.split()})) for a, b in zip(left, right, strict=True)]


def _constant(left: list[str], right: list[str]) -> list[float]:
    return [1.0] * len(left)


def _huge(left: list[str], right: list[str]) -> list[float]:
    return [1e300 * len(a) for a in left]


@pytest.mark.parametrize("task", ["sample-sts", "sample-pit"])
def test_real_comparisons(task: str, tmp_path: Path) -> None:
    found = compare(task, {"overlap": _overlap, "constant": _constant, "huge": _huge})
    files = report(found, tmp_path)
    page = Page(files[0].read_text("utf-8"))
    assert len(page.all("svg")) == 1 + len(found.score_pairs)
    assert len(page.all("table")) == len(sheets(found)) + len(
        {each.system for each in found.errors}
    )


@pytest.mark.official
def test_a_page_of_a_whole_year_is_small(official_data: Path, tmp_path: Path) -> None:
    systems = {"overlap": _overlap, "huge": _huge, "constant": _constant}
    found = compare("sts2015", systems, data_dir=official_data, resamples=100)
    page = report(found, tmp_path)[0]
    assert page.stat().st_size < 2_000_000
    assert len(Page(page.read_text("utf-8")).all("svg")) == 2 + len(found.score_pairs)


@pytest.mark.parametrize("name", [each for each in table_names() if each != "agreement"])
def test_every_table_can_be_plotted(name: str, tmp_path: Path) -> None:
    of = table(name)
    column = main_column(of)
    figure = plots.rank_plot(of, column, {"ours": 0.5, "none": float("nan")})
    axes = figure.axes[0]
    best_first = [float(row.values[column]) for row in ranked_rows(of, column)]
    assert np.array_equal(axes.lines[0].get_ydata(), best_first)
    labels = [each.get_text() for each in axes.texts]
    assert any(label.startswith("ours  0.500") for label in labels)
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
        plots.plot_table(table("sts2015-english"), path)
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
        plots.plot_table(table(name), tmp_path / file)
    assert not (tmp_path / file).exists()


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


def test_settings_of_the_program_are_left_alone() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    with matplotlib.rc_context({"font.size": 40, "text.usetex": True}):
        figure = plots.rank_plot(table("sts2015-english"), "Mean", {"$x_1": 0.5})
        svg = plots.to_svg(figure)
    assert "$x_1" in svg
    assert svg == plots.to_svg(plots.rank_plot(table("sts2015-english"), "Mean", {"$x_1": 0.5}))
    assert dict(matplotlib.rcParams) == before


def test_styles_of_many_systems_differ() -> None:
    styles = [plots.style_of(place) for place in range(35)]
    assert len(set(styles)) == 35
    assert len({style.colour for style in styles[:7]}) == 7


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_labels_are_apart(places: list[float]) -> None:
    moved = plots._spread(sorted(places, reverse=True), 0, 1, 0.05)
    assert all(high - low >= 0.05 - 1e-9 for high, low in itertools.pairwise(moved))
    assert min(moved) >= 0
    assert max(moved) <= 1 + 1e-9
