"""The page that shows alignments, in a real browser, and aligning two sentences."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from stsbaselines.data.find import SAMPLES
from stsbaselines.reports import alignments as show
from stsbaselines.reports.alignments import compared
from stsbaselines.tasks.alignment_file import ChunkAlignment, read_alignments
from tests.helpers import COMMAND, run_command

GOLD = SAMPLES / "sample-ists" / "STSint.testinput.garden.wa"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
PROBE = """<script>
const press = key => document.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
const choose = (name, value) => { field(name).value = value; field(name).onchange(); };
const state = () => [field("count").textContent, field("number").value];
const report = [];
const errors = [];
window.onerror = message => errors.push(message);
%s
document.body.append(make("pre", "report", JSON.stringify({report, errors})));
</script>"""


def system_output(folder: Path) -> Path:
    """Write the gold standard with some faults as the output of a system."""
    text = GOLD.read_text()
    for old, new in [
        ("1 2 3 <==> 1 2 // SPE1 // 4", "1 2 3 <==> 1 2 // EQUI // 4"),
        ("4 <==> 3 4 // EQUI // 5", "4 <==> 3 4 // EQUI // 3"),
        ("1 2 <==> 1 2 // EQUI // 5 // Two", "1 <==> 1 2 // EQUI // 5 // Two"),
    ]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    path = folder / "STSint.output.garden.wa"
    path.write_text(text)
    return path


def in_browser(page: Path, script: str) -> tuple[str, list[object]]:
    """Return the page's content, and what a script reports that runs in it."""
    if BROWSER is None:
        pytest.skip("needs Chromium")
    probed = page.with_suffix(".probed.html")
    probed.write_text(page.read_text().replace("</body>", PROBE % script + "</body>"))
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000",
         f"--user-data-dir={page.parent / 'profile'}", "--dump-dom", probed.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    match = re.search('<pre class="report">(.*?)</pre>', done.stdout)
    assert match, done.stderr
    found = json.loads(match[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert found["errors"] == []
    return done.stdout, found["report"]


def test_a_page_with_the_gold_standard(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run = str(system_output(tmp_path))
    done = run_command(["show", "sample-ists", run, "--gold", "-o", str(page)])
    assert (done.returncode, done.stdout) == (0, f"wrote {page}\n"), done.stderr
    assert not re.search("(src|href)=|https?://(?!www.w3.org/2000/svg)|@import", page.read_text())
    content, report = in_browser(
        page,
        """
        report.push(state());
        press("ArrowRight"); report.push(state());
        press("j"); press("k"); press("k"); report.push(state());
        press("End"); report.push(state());
        press("ArrowRight"); report.push(state());
        press("Home"); report.push(state());
        choose("error", "any"); report.push(state());
        press("End"); report.push(state());
        choose("error", "spurious"); report.push(state());
        choose("error", "missed"); report.push(state());
        choose("error", "wrong score"); report.push(state());
        choose("error", ""); choose("type", "OPPO"); report.push(state());
        choose("type", "POL"); report.push(state());
        choose("type", "ALIC"); report.push(state());
        choose("type", ""); choose("error", "");
        field("number").value = "4"; field("number").onchange(); report.push(state());
        press("Home");
        """,
    )
    assert report == [
        ["1 of 10", "1"],
        ["2 of 10", "2"],
        ["1 of 10", "1"],
        ["10 of 10", "10"],
        ["10 of 10", "10"],
        ["1 of 10", "1"],
        ["1 of 2", "1"],
        ["2 of 2", "2"],
        ["1 of 1", "2"],
        ["1 of 1", "2"],
        ["1 of 1", "1"],
        ["1 of 2", "2"],
        ["1 of 1", "8"],
        ["no pair", "8"],
        ["4 of 10", "4"],
    ]
    assert content.count("<h2>System</h2>") == content.count("<h2>Gold standard</h2>") == 1
    assert len(re.findall('<path class="link error"', content)) == 4
    assert len(re.findall('<path class="link"', content)) == 2
    assert "EQUI 4 ✗ wrong type" in content
    assert "EQUI 3 ✗ wrong score" in content
    assert "SPE1 4 ✓" in content


def test_a_page_of_the_output_alone(tmp_path: Path) -> None:
    path = system_output(tmp_path)
    done = run_command(["show", "sample-ists", str(path)])
    assert done.stdout == "wrote STSint.output.garden.html\n"
    content, report = in_browser(
        Path("STSint.output.garden.html").absolute(), "report.push(state());"
    )
    assert report == [["1 of 10", "1"]]
    assert "Gold standard" not in content.split("<script")[0]
    assert 'id="error"' not in content.split("<script")[0]


def test_what_is_unusual_is_said_on_the_page(tmp_path: Path) -> None:
    path = system_output(tmp_path)
    path.write_text(path.read_text().replace("// Two children plant", "// Two gnomes plant", 1))
    page = show.page("sample-ists", path, with_gold=True)
    assert "which the official scorer ignores: 1" in page
    assert "which the official scorer ignores" not in show.page("sample-ists", path)


def test_the_run_itself_is_not_overwritten(tmp_path: Path) -> None:
    path = system_output(tmp_path)
    before = path.read_bytes()
    done = run_command(["show", "sample-ists", str(path), "-o", str(path)])
    assert (done.returncode, path.read_bytes()) == (2, before)
    assert "is the input; name another file" in done.stderr
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("a\tb\n")
    done = run_command(["predict", "chunk-aligner", str(pairs), "-o", str(pairs)])
    assert (done.returncode, pairs.read_text()) == (2, "a\tb\n")


def test_what_stands_in_a_file_is_never_taken_for_html(tmp_path: Path) -> None:
    path = system_output(tmp_path).rename(tmp_path / "STSint.output.garden.wa")
    hostile = "</script><script>document.title='hacked'</script> &lt;/script&gt; <!-- \u2028 '\""
    text = path.read_text().replace("// The old gardener", f"// {hostile} old gardener", 1)
    path.write_text(text)
    page = tmp_path / "page.html"
    page.write_text(show.page("sample-ists", path))
    content, report = in_browser(page, "report.push(document.title);")
    assert report == ["STSint.output.garden.wa on sample-ists, garden"]
    assert "&lt;/script&gt;" in content
    named = path.rename(tmp_path / "<script>document.title='hacked'<script>.wa")
    page.write_text(show.page("sample-ists", named))
    _, report = in_browser(page, "report.push(document.querySelector('h1').textContent);")
    assert report == [f"{named.name} on sample-ists, garden"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample-sts", "x.wa"], "sample-sts has no alignments to show"),
        (["sample-ists", "missing.wa"], "missing.wa: found nothing there, expected a file"),
        (["sample-ists", "."], ". is a folder; name one of its files"),
        (["ists2016", str(GOLD)], "expected --dataset with one of images, headlines"),
        (["ists2016", str(GOLD), "--dataset", "images"], "10 sentence pairs"),
    ],
)
def test_what_cannot_be_shown(arguments: list[str], message: str) -> None:
    done = run_command(["show", *arguments])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert list(Path().iterdir()) == []


def test_verdicts_on_alignments() -> None:
    def line(left: int, right: int, types: str = "EQUI", score: float | None = 5) -> ChunkAlignment:
        return ChunkAlignment((left,), (right,), tuple(types.split("_")), score)

    words = list("abcd."), list("efgh.")
    system = [line(1, 1), line(2, 2, "SIMI"), line(3, 3, score=None), line(4, 1)]
    gold = [line(1, 1), line(2, 2), line(3, 3, score=2), line(4, 4)]
    assert compared(system, gold, words) == (
        ["right", "wrong type", "wrong score", "spurious"],
        ["right", "wrong type", "wrong score", "missed"],
    )
    with_stop = line(1, 1)._replace(left=(1, 5))
    assert compared([with_stop], [line(1, 1)], words) == (["right"], ["right"])
    alone = ChunkAlignment((1,), (), ("NOALI",), None)
    assert compared([alone], [], words) == ([""], [])
    stops = line(5, 5)
    assert compared([stops, line(1, 1)], [line(1, 1)], words) == (["", "right"], ["right"])


def test_aligning_two_sentences() -> None:
    sentences = ["A man plays a guitar.", "The man plays golf."]
    text = run_command(["align", *sentences])
    assert text.stdout.splitlines() == [
        "[ A man ]     [ The man ]  EQUI 5",
        "[ plays ]     [ plays ]    EQUI 5",
        "[ a guitar ]  -            NOALI NIL",
        "-             [ golf ]     NOALI NIL",
    ]
    assert run_command(["align", ".", "!"]).stdout == "no chunks\n"
    found = json.loads(run_command(["align", *sentences, "--format", "json"]).stdout)
    assert found["sentences"] == ["A man plays a guitar .", "The man plays golf ."]
    assert found["alignments"][0]["left"] == [1, 2]
    quoted = run_command(["align", 'He said "no".', "He left.", "--format", "json"])
    assert json.loads(quoted.stdout)["sentences"][0] == 'He said " no " .'
    latin = subprocess.run(
        [COMMAND, "align", b"caf\xe9 opens", "it opens", "--format", "wa"],
        capture_output=True, check=True,
    )  # fmt: skip
    assert b"// caf\xe9 opens\n" in latin.stdout
    block = run_command(["align", *sentences, "--format", "wa"])
    Path("one.wa").write_text(block.stdout)
    assert len(read_alignments(Path("one.wa"), 1, strict=True).pairs[0].alignments) == 4


def test_colours_are_for_terminals() -> None:
    arguments = ["align", "A man sings.", "A man sings."]
    plain = run_command(arguments)
    coloured = run_command(arguments, env={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
    assert "\x1b[" not in plain.stdout
    assert "\x1b[32mEQUI 5" in coloured.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["", "a"], "a sentence must have at least one word"),
        (["a", "b", "--format", "xml"], "there is no format 'xml'"),
        (["a", "b", "--set", "lowercas=true"], "did you mean 'lowercase'?"),
        (["a", "b", "--set", "chunker=nowhere"], "nowhere/model-card.json: found nothing there"),
    ],
)
def test_what_cannot_be_aligned(arguments: list[str], message: str) -> None:
    done = run_command(["align", *arguments])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_aligned_words_are_shown_with_escapes() -> None:
    done = run_command(["align", "a \x1b[31mcat", "a cat"])
    assert "\x1b" not in done.stdout
    assert r"\x1b" in done.stdout
