"""Licences are remembered when they are accepted."""

from __future__ import annotations

from stsbaselines.data import licences
from stsbaselines.data.catalogue import find_task


def test_a_licence_is_accepted_once_and_again_if_it_changes() -> None:
    task = find_task("sts2013")
    assert not licences.is_accepted(task)
    licences.accept(task)
    assert licences.is_accepted(task)
    assert not licences.is_accepted(task.model_copy(update={"licence": "for swans only"}))
    for part in ("Linguistic Data Consortium", task.source, "Agirre"):
        assert part in licences.terms(task)
