"""What SECURITY.md promises: hostile input runs no code, takes no file, and does not hang."""

from __future__ import annotations

import ast
import gzip
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import stsbaselines
from stsbaselines import baselines
from stsbaselines.data import corpora
from stsbaselines.data.catalogue import Task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import Fault, InputError, visible
from stsbaselines.evaluation import systems
from stsbaselines.evaluation.formats import pairs_of_json_lines
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig
from stsbaselines.io import LARGEST_MEMBER, open_zip, read_model, to_json
from stsbaselines.reports import alignments as show
from stsbaselines.reports.text import alignments_text
from stsbaselines.tasks import alignment_file, pit, records, sts
from stsbaselines.tasks.lines import LineError
from stsbaselines.text import chunker, dates, names, words
from stsbaselines.text.wordnet import WordNet
from tests.helpers import COMMAND, at_most, run_command
from tools import names_training

PACKAGE = Path(stsbaselines.__file__).parent

# Modules that run what they read, or that read XML with entities or start programs.
FORBIDDEN_MODULES = {
    *("pickle", "cloudpickle", "dill", "shelve", "marshal", "jsonpickle", "subprocess", "pty"),
    *("xml.etree", "xml.etree.ElementTree", "xml.dom", "xml.dom.minidom", "xml.sax", "lxml"),
}
FORBIDDEN_CALLS = {
    *("eval", "exec", "compile", "__import__", "execfile", "input"),
    *("os.system", "os.popen", "os.execv", "os.spawnv", "tempfile.mktemp"),
    *("yaml.load", "yaml.full_load", "yaml.unsafe_load", "yaml.load_all"),
    *("joblib.load", "torch.load", "pickle.load", "pickle.loads", "pandas.read_pickle"),
    *("shutil.unpack_archive", "pickle.Unpickler", "runpy.run_path", "runpy.run_module"),
}
FORBIDDEN_METHODS = {"extractall", "extract", "unsafe_load"}
ALLOWED = {
    ("baselines/_official_weights.py", "pickle"),  # its reader with all that runs code replaced
    ("evaluation/prediction.py", "pickle"),  # an exception
}


def used(path: Path) -> Iterator[str]:
    """Yield the dangerous things that a module imports or calls."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names if each.name in FORBIDDEN_MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in FORBIDDEN_MODULES:
            yield str(node.module)
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            options = {each.arg: ast.unparse(each.value) for each in node.keywords}
            is_numpy_load = name in ("np.load", "numpy.load")
            if name in FORBIDDEN_CALLS or name.split(".")[-1] in FORBIDDEN_METHODS:
                yield name
            elif is_numpy_load and options.get("allow_pickle") != "False":
                yield f"{name} without allow_pickle=False"
            elif options.get("shell") == "True" or options.get("allow_pickle") == "True":
                yield ast.unparse(node)


def test_the_package_uses_nothing_that_runs_what_it_reads() -> None:
    found = {
        (str(path.relative_to(PACKAGE)), name)
        for path in PACKAGE.rglob("*.py")
        for name in used(path)
    }
    assert found == ALLOWED


@pytest.mark.parametrize(
    "code",
    [
        "import pickle",
        "from pickle import loads",
        "eval('1')",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "yaml.load(text)",
        "archive.extractall()",
        "run(line, shell=True)",
        "import xml.etree.ElementTree as ET",
    ],
)
def test_what_is_dangerous_would_be_found(code: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(code)
    assert list(used(path))


def refused(read: Callable[[], Any], *expected: str) -> None:
    with pytest.raises(InputError) as error:
        read()
    for text in expected:
        assert text in str(error.value)


# YAML


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (BOMB + "task: *j\n", "over 100,000 values, with those"),
        ("task: &a [*a]\n", "over 100,000 values, with those"),
        ("task: " + "[" * 2000, "values nested too deeply"),
        ("task: !!python/object/apply:os.system [touch here]\n", "could not determine a constr"),
        ("task: !!python/name:os.system\n", "could not determine a constructor"),
        ("? [a]\n: b\n", "line 1: found a key that is no text"),
        ("task: !!int ''\n", "a fault"),
        ("task: !!bool x\n", "a fault"),
        ("task: !!timestamp x\n", "a fault"),
        ("task: " + "9" * 5000 + "\n", "a number of 5,000 digits"),
        ("task: 0x" + "f" * 5000 + "\n", "line 1: found a number of 5,002 digits"),
        ("task: !!float " + "1:" * 400 + "1\n", "a fault"),
        ("task: sts2013\n" + "#" * (1 << 18), "over 256 KiB"),
        ("".join(f"k{i}: 1\n" for i in range(20_000)), "key 'k17'"),
    ],
)
def test_a_configuration_that_is_an_attack_is_refused(
    text: str, found: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with at_most(60):
        refused(lambda: read_model(path, ExperimentConfig), "config.yaml", found)
    assert not Path("here").exists()


def test_a_list_that_is_too_short_is_said_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    text = (PACKAGE / "data" / "catalogue" / "sample-sts.yaml").read_text()
    path.write_text(text.replace("gold_range: [0, 5]", "gold_range: [0]"))
    refused(lambda: read_model(path, Task), "gold_range", "line ")


def test_aliases_of_usual_size_are_read(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(
        "task: sample-sts\nbaselines:\n"
        "  - {baseline: random, name: a, parameters: &p {low: 1}}\n"
        "  - {baseline: random, name: b, parameters: *p}\n"
    )
    assert read_model(path, ExperimentConfig).baselines[1].parameters == {"low": 1}


@pytest.mark.parametrize("name", ["../outside", "/etc", "a/b", "..", "a\n", "a\x1b[31m"])
def test_names_that_become_folders_are_no_paths(name: str) -> None:
    for field in ("name", "model"):
        with pytest.raises(ValueError, match=field):
            BaselineConfig.model_validate({"baseline": "random", field: name})
    with pytest.raises(ValueError, match="group"):
        ExperimentConfig.model_validate(
            {"task": "sts2013", "group": name, "baselines": [{"baseline": "random"}]}
        )


# Saved predictors, arrays and pickles


def changed_model(folder: Path, **change: Any) -> None:
    path = folder / "predictor.json"
    content = json.loads(path.read_text())
    for part, values in change.items():
        content[part].update(values)
    path.write_text(json.dumps(content))


@pytest.mark.parametrize(
    "learned",
    [
        {"document_frequencies_": {"bridge": -5}},
        {"document_frequencies_": {"bridge": 3}},
        {"document_frequencies_": {"bridge": "1"}},
        {"document_frequencies_": {"bridge": True}},
        {"document_frequencies_": []},
        {"n_records_": 1.5},
        {"n_records_": -1},
        {"n_records_": None},
    ],
)
def test_saved_counts_of_records_are_counts(learned: dict[str, Any], tmp_path: Path) -> None:
    record = records.Record(title=("The old bridge",))
    folder = tmp_path / "model"
    baselines.create("typed-tfidf").fit([(record, record)]).save(folder)
    assert baselines.load(folder).predict([(record, record)]).shape == (1, 8)
    changed_model(folder, attributes=learned)
    refused(lambda: baselines.load(folder), "expected a saved typed-tfidf")


# Archives


def test_a_zip_bomb_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stsbaselines.io.LARGEST_MEMBER", 1 << 20)
    path = tmp_path / "wordnet.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("wordnet/data.noun", b"\0" * (1 << 21))
    refused(lambda: WordNet(path), "'wordnet/data.noun' of 2,097,152 bytes")
    assert LARGEST_MEMBER == 256 << 20


def test_members_of_an_archive_are_never_written(tmp_path: Path) -> None:
    path = tmp_path / "brown.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../ca01", "a/at cat/nn")
        archive.writestr("/ca02", "a/at dog/nn")
    with open_zip(path) as archive:
        assert len(archive.namelist()) == 2
    assert len(list(corpora._members(path, corpora._BROWN_FILE.fullmatch))) == 2
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["brown.zip"]


def test_a_packed_line_without_end_is_refused_when_it_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress(b"a" * (1 << 26)))
    refused(lambda: list(sts.read_pairs(path)), "line 1: found over 1 MiB")


# JSON, XML and numbers


def test_json_that_is_nested_deeply_is_refused_everywhere(tmp_path: Path) -> None:
    deep = b'{"sentence1":' + b"[" * 100_000
    refused(lambda: list(pairs_of_json_lines(io.BytesIO(deep), "p.jsonl")), "nested too deeply")
    refused(lambda: records.record_of_json(deep, "a.json"), "nested too deeply")
    for name, read in [
        ("model-card.json", lambda path: chunker.read_card(path, "a chunker")),
        ("predictor.json", lambda path: baselines.load(path.parent)),
    ]:
        path = tmp_path / name
        path.write_bytes(deep)
        refused(lambda path=path, read=read: read(path), "found other content")  # type: ignore[misc]
    done = run_command(["predict", "random", "--set", "random_state=" + "[" * 100_000], input="")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><record><dcDate>&b;</dcDate></record>',
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><record>&a;</record>',
        '<!DOCTYPE record SYSTEM "http://localhost/x.dtd"><record/>',
        "<record><dcDate>&a;</dcDate></record>",
        '<record><xi:include href="/etc/passwd"/></record>',
    ],
)
def test_xml_with_entities_or_inclusions_is_refused(text: str) -> None:
    refused(lambda: records.record_of_xml(text.encode(), "a.xml"), "a.xml", "found")


def test_xml_in_another_encoding_hides_nothing() -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE r [<!ENTITY a "x">]><record/>'
    refused(lambda: records.record_of_xml(text.encode("utf-16"), "a.xml"), "not UTF-8")


def test_numbers_of_thousands_of_digits_are_refused_or_read(tmp_path: Path) -> None:
    digits = "9" * 5000
    path = tmp_path / "gum.conllu"
    path.write_text(f"1\tJane\t_\t_\tNNP\t_\t_\t_\t_\tEntity=(1-person-giv:act-{digits}-coref)\n")
    names_training.read_gum(path)
    with pytest.raises(LineError):
        alignment_file.parse_alignment(f"{digits} <==> 1 // EQUI // 5 // x", [3, 3])
    data = tmp_path / "test.data"
    data.write_text(f"1\tt\ta\tb\t({digits}, 0)\tx\ty\n")
    refused(lambda: list(pit.read_data(data)), "a label such as")
    refused(lambda: records.record_of_json(b'{"success": ' + digits.encode() + b"}", "a.json"))


# Texts that make searches slow


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (names.creator_names, "(" * 100_000 + ")" * 100_000),
        (names.creator_names, "(a [b " * 50_000 + "])" * 50_000),
        (names.creator_names, "A, " * 50_000),
        (dates.find_dates, "1900-" * 20_000),
        (dates.find_dates, "between the early " * 20_000),
        (dates.years_of, "/" * 100_000),
        (words.simple_words, "a." * 200_000),
        (words.treebank_tokens, "a." + " " * 50_000 + "x"),
        (lambda text: names_training._MENTION.findall(text), "9" * 300_000),
        (lambda text: corpora._SOURCE.search(text), "[" * 300_000),
    ],
)
def test_no_text_makes_a_search_hang(read: Callable[[str], Any], text: str) -> None:
    with at_most(60):
        read(text)


def test_brackets_in_brackets_are_still_dropped() -> None:
    creator = "Doe, Jane (b. (c. (1850))) [Painter [and] (etcher)]"
    assert names.creator_names(creator) == ["Jane Doe"]


# What is shown


HOSTILE = "run\x1b]0;owned\x07\x1b[2J\u202eX\x9b31m"
ESCAPED = r"run\x1b]0;owned\x07\x1b[2J\u202eX\x9b31m"


def test_what_a_terminal_acts_on_is_escaped_in_messages(tmp_path: Path) -> None:
    path = tmp_path / HOSTILE
    path.write_text("1\x1b[2J\n")
    refused(lambda: list(sts.read_pairs(path)), ESCAPED, r"'1\x1b[2J'")
    assert "\x1b" not in str(InputError(f"{HOSTILE} failed"))
    assert str(Fault("a\nb", "x", "y")).startswith(r"a\nb: ")
    assert visible("two\nlines\tand caf\u00e9, \u4e2d, \U0001f408") == (
        "two\nlines\tand caf\u00e9, \u4e2d, \U0001f408"
    )


def test_what_a_terminal_acts_on_is_escaped_in_results(tmp_path: Path) -> None:
    folder = tmp_path / HOSTILE
    folder.mkdir()
    for name in ("kitchen", "journeys"):
        count = 12 if name == "kitchen" else 10
        scores = "".join(f"{number % 6}\n" for number in range(count))
        (folder / f"STS.output.{name}.txt").write_text(scores)
    plain = run_command(["score", "sample-sts", str(folder)])
    assert plain.stdout.startswith(f"{ESCAPED} on sample-sts\n")
    as_json = run_command(["score", "sample-sts", str(folder), "--json"])
    assert "\x9b" not in as_json.stdout
    assert json.loads(as_json.stdout)["run"] == HOSTILE
    checked = run_command(["check", "sample-sts", str(folder)])
    assert ESCAPED in checked.stdout


def test_json_holds_no_control_characters_and_reads_back() -> None:
    text = "".join(map(chr, range(0xA0)))
    written = to_json([text])
    assert json.loads(written) == [text]
    assert not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in written if each != "\n")


def test_aligned_words_are_shown_with_escapes() -> None:
    rows = show.as_rows(show.align("a \x1b[31mcat", "a cat"))
    assert "\x1b" not in alignments_text(rows).plain


def test_a_page_shows_markup_of_an_output_as_text(tmp_path: Path) -> None:
    sample = (SAMPLES / "sample-ists" / "STSint.testinput.garden.wa").read_text()
    first = sample.splitlines()[1]
    path = tmp_path / "<script>alert(1)<"
    path.write_text(sample.replace(first, first + " </script><script>alert(1)</script>", 1))
    page = show.page("sample-ists", path, dataset="garden")
    assert "alert(1)" in page
    assert "<script>alert" not in page
    assert page.count("</script>") == page.count("<script")


# Code of the current folder


def test_a_baseline_imports_nothing_from_the_current_folder(tmp_path: Path) -> None:
    for module in ("joblib", "numba", "nltk", "pandas", "yaml", "scipy"):
        Path(f"{module}.py").write_text("open('attacked', 'w').close()\n")
    done = run_command(["compare", "sample-typed", "--predictor", "typed-tfidf"])
    assert done.returncode == 0, done.stderr
    assert not Path("attacked").exists()


def test_code_of_the_user_is_asked_for_by_name() -> None:
    assert systems.import_object("math:sqrt")(4) == 2
    Path("mine.py").write_text("def same(lefts, rights):\n    return [1.0] * len(lefts)\n")
    command = [str(COMMAND), "compare", "sample-sts", "--predictor", "mine"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "MODULE:OBJECT" in done.stderr
    assert sys.modules.get("mine") is None
