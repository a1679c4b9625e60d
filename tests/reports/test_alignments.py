"""The page that shows alignments, in a real browser."""

from __future__ import annotations

import json
import re
from pathlib import Path

from stsbaselines.data.find import SAMPLES
from stsbaselines.evaluation.alignment import inspect_alignments
from stsbaselines.reports.alignments import alignment_page
from tests.helpers import command_refusal, run_command
from tests.reports.samples import in_browser

GOLD = SAMPLES / "sample-ists" / "STSint.testinput.garden.wa"
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


def run_script(page: Path, script: str) -> tuple[str, list[object]]:
    """Return the page's content, and what a script reports that runs in it."""
    probed = page.with_suffix(".probed.html")
    probed.write_text(page.read_text().replace("</body>", PROBE % script + "</body>"))
    content = in_browser(probed)
    match = re.search('<pre class="report">(.*?)</pre>', content)
    assert match, content
    found = json.loads(match[1].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
    assert found["errors"] == []
    return content, found["report"]


def test_a_page_with_the_gold_standard(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run = str(system_output(tmp_path))
    done = run_command(["show", "sample-ists", run, "--gold", "-o", str(page)])
    assert (done.returncode, done.stdout) == (0, f"wrote {page}\n"), done.stderr
    assert not re.search("(src|href)=|https?://(?!www.w3.org/2000/svg)|@import", page.read_text())
    content, report = run_script(
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
    content, report = run_script(
        Path("STSint.output.garden.html").absolute(), "report.push(state());"
    )
    assert report == [["1 of 10", "1"]]
    assert "Gold standard" not in content.split("<script")[0]
    assert 'id="error"' not in content.split("<script")[0]


def test_the_page_has_the_notes_of_the_scorer(tmp_path: Path) -> None:
    path = system_output(tmp_path)
    path.write_text(path.read_text().replace("// Two children plant", "// Two gnomes plant", 1))
    page = alignment_page(inspect_alignments("sample-ists", path, with_gold=True))
    assert "which the official scorer ignores: 1" in page
    assert "which the official scorer ignores" not in alignment_page(
        inspect_alignments("sample-ists", path)
    )


def test_the_input_is_not_overwritten(tmp_path: Path) -> None:
    path = system_output(tmp_path)
    before = path.read_bytes()
    for arguments in (["show", "sample-ists"], ["predict", "chunk-aligner"]):
        refused = command_refusal(*arguments, str(path), "-o", str(path))
        assert "is the input; name another file" in refused
        assert path.read_bytes() == before


def test_markup_in_a_file_is_escaped(tmp_path: Path) -> None:
    path = system_output(tmp_path).rename(tmp_path / "STSint.output.garden.wa")
    hostile = "</script><script>document.title='hacked'</script> &lt;/script&gt; <!-- \u2028 '\""
    text = path.read_text().replace("// The old gardener", f"// {hostile} old gardener", 1)
    path.write_text(text)
    page = tmp_path / "page.html"
    page.write_text(alignment_page(inspect_alignments("sample-ists", path)))
    content, report = run_script(page, "report.push(document.title);")
    assert report == ["STSint.output.garden.wa on sample-ists, garden"]
    assert "&lt;/script&gt;" in content
    named = path.rename(tmp_path / "<script>document.title='hacked'<script>.wa")
    page.write_text(alignment_page(inspect_alignments("sample-ists", named)))
    _, report = run_script(page, "report.push(document.querySelector('h1').textContent);")
    assert report == [f"{named.name} on sample-ists, garden"]
