"""Every fenced block of the documentation is run or checked, or is named here with a reason."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

import stsbaselines
from stsbaselines import __version__
from tests.helpers import ROOT
from tests.plugin import EXAMPLES
from tools.pages import counts, draw_rank, fill_in

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(
    r"^(?P<skip>[ \t]*<!--+ *skip: next *--+>\n+)?"
    r"^(?P<indent>[ \t]*)(?P<fence>```+|~~~+)(?P<language>.*)\n"
    r"(?P<content>(?:.*\n)*?)(?P=indent)(?P=fence)[ \t]*$",
    re.MULTILINE,
)

# A page and how a block on it begins, with the reason why nothing is tested.
NOT_TESTED = {
    ("docs/conventions.md", "task:sts2013|sets:"): "what a signature looks like, with its version",
    ("docs/extending.md", "[project.entry-points"): "a part of a pyproject.toml",
    ("docs/fetching.md", "$ stsbaselines data fetch sts2013"): "needs network",
    ("docs/gate.md", "on: pull_request"): "a workflow of GitHub; test_gate.py runs the command",
    ("docs/own-system.md", "# minilm.py"): "its package is 87 MB; test_systems.py uses it",
    ("docs/reports.md", r"\input{comparison.tex}"): "LaTeX is not installed",
    ("docs/typed.md", "$ export EUROPEANA_API_KEY"): "needs network and your own key",
}


class Block(NamedTuple):
    page: str
    line: int
    first: str
    is_tested: bool


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, and whether sybil runs or checks them."""
    text = page.read_text(encoding="utf-8")
    tested = {example.line for example in EXAMPLES.parse(page).examples()}
    found = []
    for match in BLOCK.finditer(text):
        if match["language"] == "{eval-rst}":  # no code: Sphinx reads it
            continue
        line = text.count("\n", 0, match.start("fence")) + 1
        first = match["content"].strip().partition("\n")[0]
        end = line + match[0].count("\n")
        is_tested = not match["skip"] and not tested.isdisjoint(range(line, end))
        found.append(Block(str(page.relative_to(ROOT)), line, first, is_tested))
    return found


def test_every_block_is_tested_or_named_as_an_exception(pytestconfig: pytest.Config) -> None:
    blocks = [block for page in PAGES for block in blocks_of(page)]
    assert len(blocks) > 60
    unused = set(NOT_TESTED)
    for block in blocks:
        if not block.is_tested:
            named = {
                key for key in unused if block.page == key[0] and block.first.startswith(key[1])
            }
            assert named, (
                f"{block.page}, line {block.line}: this block is not tested: {block.first}"
            )
            unused -= named
    assert not unused, "these blocks are gone or tested, so they need no exception"
    places = pytestconfig.getini("testpaths")
    untested = {block.page for block in blocks if not block.page.startswith(tuple(places))}
    assert not untested, "pyproject.toml does not name these pages in testpaths"


def lines_of_code(page: Path) -> list[str]:
    """Return the lines of all fenced blocks of a page."""
    blocks = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [line for block in blocks for line in block["content"].splitlines()]


def test_code_fits_its_page() -> None:
    wide = [(page.name, line) for page in PAGES for line in lines_of_code(page) if len(line) > 110]
    assert not wide  # at 1280 px


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(name: str) -> None:
    """Sphinx checks those of docs/."""
    text = (ROOT / name).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text)
    assert len(links) > 1
    for path, anchor in links:
        page = ROOT / (path or name)
        if path.startswith("stsbaselines/"):  # which may be installed elsewhere
            page = Path(stsbaselines.__file__).parents[1] / path
        assert page.exists(), path
        if anchor:
            headings = re.findall("^#+ (.*)", page.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings]
            assert anchor in slugs, f"{path}#{anchor}"


def test_the_citation_is_that_of_this_version() -> None:
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 180


@pytest.mark.official
def test_the_picture_shows_the_quick_start(tmp_path: Path, official_data: Path) -> None:
    draw_rank(tmp_path / "rank.svg")
    drawn, shown = (path.read_text() for path in (tmp_path / "rank.svg", ROOT / "docs/rank.svg"))
    labels = re.compile("<!-- (.*) -->")
    assert labels.findall(drawn) == labels.findall(shown)
    assert "mine  0.7065" in labels.findall(drawn)


def test_the_table_of_the_ledger_counts_published_numbers(tmp_path: Path) -> None:
    entries = [
        {"group": group, "task": "t", "baseline": name, "status": status, "accepted": accepted}
        for group, name, status, accepted in [
            ("", "b", "exact", False),
            ("", "b", "differs", True),
            ("", "c", "not published", False),
            ("strong", "d", "close", False),
        ]
    ]
    page = tmp_path / "page.md"
    page.write_text("Above\n<!-- begin counts -->\nold\n<!-- end counts -->\nBelow\n")
    fill_in(page, "counts", counts(entries))
    lines = [" ".join(line.replace("|", " ").split()) for line in page.read_text().splitlines()]
    assert [lines[0], lines[1], lines[3], lines[-2], lines[-1]] == [
        "Above",
        "<!-- begin counts -->",
        "task baseline entries exact close differs (accepted)",
        "<!-- end counts -->",
        "Below",
    ]
    assert lines[5:9] == [
        "t b 2 1 1",
        "t d 1 1",
        "**official baselines** 2 1 1",
        "**strong systems** 1 1",
    ]
