"""The catalogue of data sets."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data import catalogue
from stsbaselines.data.catalogue import Task, find_task
from stsbaselines.errors import InputError
from stsbaselines.io.settings import read_model

ROLES = ("input", "gold", "sentences1", "sentences2", "chunks1", "chunks2")


@pytest.mark.parametrize("name", catalogue.task_names())
def test_every_entry_is_complete(name: str) -> None:
    task = catalogue.find_task(name)
    assert task.task == name
    assert task.folders[0].removesuffix("-test") == name.removesuffix("-train") or (
        task.folders[0] == name
    )
    for dataset in task.datasets:
        assert {"input", "gold"} & set(dataset.files)
        assert set(dataset.files) <= set(ROLES)
        assert dataset.scored <= dataset.pairs
    assert task.licence
    assert task.citation


@pytest.mark.parametrize("name", catalogue.task_names())
def test_a_data_set_with_one_main_number_has_an_official_number(name: str) -> None:
    task = catalogue.find_task(name)
    for each in (task, task.model_copy(update={"datasets": task.datasets[:1]})):
        shown = [cell.removesuffix("_TS") for cell in each.cell_names]
        assert set(each.dataset_names) <= set(shown) or each.family in ("pit", "typed")


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'sts2013'"):
        catalogue.find_task("sts-2013")
    with pytest.raises(InputError, match="did you mean 'kitchen'"):
        catalogue.find_task("sample-sts").dataset("kitchens")


ENTRY = yaml.safe_load((catalogue.CATALOGUE / "sample-sts.yaml").read_text())
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(key=st.sampled_from([*ENTRY, "other"]), value=VALUES)
def test_a_damaged_entry_is_refused_or_read(
    key: str, value: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "task.yaml"
    path.write_text(yaml.safe_dump({**ENTRY, key: value}))
    with contextlib.suppress(InputError):
        assert read_model(path, Task).datasets


def test_a_file_is_recognised_in_one_way(tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    text = (catalogue.CATALOGUE / "sample-sts.yaml").read_text()
    path.write_text(text.replace("sha256:", "unverified: true, sha256:", 1))
    with pytest.raises(InputError, match="expected one of sha256, git_blob and unverified"):
        read_model(path, Task)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("columns: {sentence1: 1, sentence2: b, score: 3}", "only names, or only numbers"),
        ("gold_lines: [1, 2]", "as many gold_lines as scored pairs, each once"),
        ("gold_lines: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]", "as many gold_lines as scored pairs"),
        ("gold_lines: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13]", "expected gold_lines from 1 to 12"),
    ],
)
def test_columns_and_gold_lines_must_fit(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "task.yaml"
    text = (catalogue.CATALOGUE / "sample-sts.yaml").read_text()
    path.write_text(text.replace("    scored: 11\n", f"    scored: 11\n    {line}\n"))
    with pytest.raises(InputError, match=message):
        read_model(path, Task)


def test_a_task_file_outside_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = (catalogue.CATALOGUE / "sample-sts.yaml").read_text()
    path = tmp_path / "tasks" / "kitchens.yaml"
    path.parent.mkdir()
    path.write_text(sample.replace("task: sample-sts", "task: kitchens", 1))
    task = find_task(str(path))
    assert str(path.parent / task.folders[0]) in task.folders
    with pytest.raises(InputError, match="there is no task 'kitchens'"):
        find_task("kitchens")
    monkeypatch.setenv(catalogue.TASKS, f"{tmp_path}:{path.parent}")
    assert find_task("kitchens") == task
    assert find_task("sample-sts").task == "sample-sts"
    for name in ("sample-sts", "other"):
        path.write_text(sample.replace("task: sample-sts", f"task: {name}", 1))
        with pytest.raises(InputError, match=f"found task: '{name}', expected kitchens, as the"):
            find_task("kitchens")
