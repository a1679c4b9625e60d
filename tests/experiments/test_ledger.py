"""The status of our numbers beside the published ones."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest

from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.experiments.config import (
    BaselineConfig,
    Deviation,
    PublishedRun,
    config_names,
    read_config,
)
from stsbaselines.experiments.ledger import LedgerEntry, cells_of, judged, published_row
from stsbaselines.tasks.base import Scores

TASK = find_task("sts2013")
NEAR = Deviation(reason="why", tolerance=0.01, source="the spread over seeds")
SCORES = Scores(
    task="sts2013",
    run="dkpro",
    main="pearson",
    datasets={name: {"pearson": 0.75, "n": 1} for name in TASK.dataset_names},
    aggregates={"Mean": 0.75},
    signature="",
)


@pytest.mark.parametrize("name", config_names())
def test_configurations_fit_catalogue_and_tables(name: str) -> None:
    config = read_config(name)
    task = find_task(config.task)
    for baseline in config.baselines:
        cells = {*task.cell_names}
        assert set(baseline.explained) <= {*cells, "all"}
        published = published_row(task, baseline)
        for cell in cells_of(task, baseline, []):  # refuses unknown names
            explanation = baseline.explained.get(cell.name, baseline.explained.get("all"))
            if cell.published is not None and explanation:
                assert explanation.source or explanation.within_interval
                assert "no known reason" not in explanation.reason
        assert {column for column in published if not column.endswith("rank")} <= cells
    assert len(config.baselines) == len({baseline.title for baseline in config.baselines})


@pytest.mark.parametrize(
    ("ours", "printed", "explanation", "status"),
    [
        (0.70385, "0.7039", None, "exact"),
        (0.70384, "0.7039", None, "differs"),
        (0.70384, "0.7039", Deviation(reason="why"), "differs"),
        (0.70384, "0.7039", NEAR, "close"),
        (0.6, "0.7039", NEAR, "differs"),
        (0.7039, "0.7039", NEAR, "exact"),
        (None, "0.7039", None, "differs"),
        (None, "0.0000", None, "differs"),
        (None, "0.7039", NEAR, "differs"),
        (0.7, None, Deviation(reason="illegible"), "illegible"),
        (0.7, None, None, ""),
    ],
)
def test_the_status_of_a_cell(
    ours: float | None,
    printed: str | None,
    explanation: Deviation | None,
    status: str,
) -> None:
    cell = LedgerEntry("task", "baseline", "set", ours, Decimal(printed) if printed else None)
    assert judged(cell, explanation).status == status


@pytest.mark.parametrize(("tolerance", "status"), [(0.5, "close"), (0.01, "differs")])
def test_a_reimplemented_system_is_never_exact(tolerance: float, status: str) -> None:
    baseline = BaselineConfig(
        baseline="dkpro",
        substitutes="Brown for Wikipedia",
        published=[PublishedRun(table="sts2013-core", run="DKPro")],
        explained={
            "all": Deviation(reason="why", tolerance=tolerance, source="a spread"),
            "SMT": Deviation(reason="not to be read"),
        },
    )
    cells = {each.name: each for each in cells_of(TASK, baseline, [SCORES], "trained on it")}
    assert cells["OnWN"].status == status
    why = "trained on it; Brown for Wikipedia; why; the tolerance is a spread"
    assert (cells["OnWN"].reason, cells["OnWN"].tolerance) == (why, tolerance)
    assert cells["SMT"].status == "illegible"
    assert cells["headlines"].status == ""


@pytest.mark.parametrize(
    ("explained", "status"),
    [
        (None, "differs"),
        (Deviation(reason="other data"), "differs"),
        (NEAR.model_copy(update={"tolerance": 0.1}), "trained"),
        (NEAR, "differs"),
    ],
)
def test_a_retrained_baseline_is_never_exact(explained: Deviation | None, status: str) -> None:
    baseline = BaselineConfig(
        baseline="dkpro-string",
        published=[PublishedRun(table="sts2013-core", run="DKPro")],
        explained={"all": explained} if explained else {},
    )
    cells = {each.name: each for each in cells_of(TASK, baseline, [SCORES], "trained on it")}
    assert (cells["OnWN"].status, cells["OnWN"].ours) == (status, 0.75)
    assert cells["OnWN"].reason.startswith("trained on it")


def test_a_number_that_differs_is_accepted_by_name() -> None:
    baseline = BaselineConfig(
        baseline="token-cosine",
        published=[PublishedRun(table="sts2013-core", run="DKPro")],
        explained={"all": NEAR},
        accepted={"OnWN": "seen"},
    )
    cells = {each.name: each for each in cells_of(TASK, baseline, [SCORES])}
    onwn, fnwn = cells["OnWN"], cells["FNWN"]
    why = "why; the tolerance is the spread over seeds"
    assert (onwn.status, onwn.accepted, onwn.reason) == ("differs", True, f"{why}; seen")
    assert (fnwn.status, fnwn.accepted, fnwn.reason) == ("differs", False, why)
    for name in ("OnWn", "all", "SMT"):
        changed = baseline.model_copy(update={"accepted": {name: "why"}})
        with pytest.raises(InputError, match="no published number to accept"):
            list(cells_of(TASK, changed, [SCORES]))


@pytest.mark.parametrize(
    ("explained", "status", "reason"),
    [
        ({"all": NEAR}, "no data", "no corpus"),
        ({}, "no data", "no corpus"),
        ({"all": Deviation(reason="lost")}, "not reproducible", "lost; no corpus"),
    ],
)
def test_only_what_has_no_number_of_ours_is_not_reproducible(
    explained: dict[str, Deviation], status: str, reason: str
) -> None:
    baseline = BaselineConfig(
        baseline="dkpro",
        published=[PublishedRun(table="sts2013-core", run="DKPro")],
        explained=explained,
    )
    cells = {each.name: each for each in cells_of(TASK, baseline, [], why_missing="no corpus")}
    assert (cells["OnWN"].status, cells["OnWN"].reason) == (status, reason)
    assert (cells["SMT"].status, cells["SMT"].reason) == ("no data", "no corpus")


def test_what_did_not_run_has_no_data() -> None:
    baseline = BaselineConfig(baseline="dkpro")
    cells = list(cells_of(TASK, baseline, [], why_missing="no corpus"))
    assert [each.name for each in cells] == TASK.cell_names
    assert {(each.status, each.reason, each.ours) for each in cells} == {
        ("no data", "no corpus", None)
    }


def test_seeds_give_a_mean_with_its_deviation_and_interval() -> None:
    runs = [
        replace(SCORES, aggregates={"Mean": n / 100}, datasets=SCORES.datasets) for n in range(100)
    ]
    cells = {each.name: each for each in cells_of(TASK, BaselineConfig(baseline="random"), runs)}
    mean = cells["Mean"]
    assert mean.ours == pytest.approx(0.495)
    assert mean.deviation == pytest.approx(0.290115, abs=1e-6)
    assert mean.interval == pytest.approx((0.02475, 0.96525))
    [undefined] = [
        each
        for each in cells_of(
            TASK,
            BaselineConfig(baseline="random"),
            [*runs, replace(SCORES, aggregates={"Mean": None})],
        )
        if each.name == "Mean"
    ]
    assert (undefined.ours, undefined.interval) == (None, None)


def test_within_the_interval_of_the_seeds_is_close() -> None:
    cell = LedgerEntry("task", "b", "F1", 0.5, Decimal("0.7"), interval=(0.4, 0.6))
    explanation = Deviation(reason="why", within_interval=True)
    assert judged(cell, explanation).status == "differs"
    wider = replace(cell, interval=(0.4, 0.7))
    assert judged(wider, explanation).status == "close"


def test_a_table_of_another_task_is_refused() -> None:
    claimed = BaselineConfig(
        baseline="token-cosine", published=[PublishedRun(table="sts2013-core", run="UMCC_DLSI-1")]
    )
    with pytest.raises(InputError, match="table sts2013-core is of sts2013, not of sample-sts"):
        published_row(find_task("sample-sts"), claimed)
