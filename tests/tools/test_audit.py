"""Known vulnerabilities fail; a missing database is reported."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tools import audit

VULNERABLE = {
    "dependencies": [
        {"name": "numpy", "version": "2.0.0", "vulns": []},
        {
            "name": "pyyaml",
            "version": "5.1",
            "vulns": [{"id": "CVE-2020-14343", "fix_versions": ["5.4"], "aliases": []}],
        },
    ]
}


def run(monkeypatch: pytest.MonkeyPatch, report: Any) -> int:
    def asked(versions: dict[str, str]) -> Any:
        if isinstance(report, Exception):
            raise report
        return report

    monkeypatch.setattr(audit, "asked", asked)
    monkeypatch.setattr(audit, "installed", lambda: {"numpy": "2.0.0", "pyyaml": "5.1"})
    return audit.main()


def test_a_vulnerability_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, VULNERABLE) == 1
    assert capsys.readouterr().out == "pyyaml 5.1: CVE-2020-14343, fixed in 5.4\n"


@pytest.mark.parametrize(
    "report",
    [
        {},
        OSError("no network"),
        subprocess.TimeoutExpired("pip-audit", 1),
        {"dependencies": [{"name": name, "skip_reason": "?"} for name in ("numpy", "pyyaml")]},
    ],
)
def test_a_missing_database_is_reported_and_does_not_fail(
    report: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, report) == 0
    said = capsys.readouterr().out
    assert said == "NOT AUDITED: no database of known vulnerabilities is available\n"


def test_what_was_audited_is_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report = {
        "dependencies": [
            {"name": "numpy", "version": "2.0.0", "vulns": []},
            {"name": "pyyaml", "skip_reason": "unknown"},
        ]
    }
    assert run(monkeypatch, report) == 0
    assert capsys.readouterr().out == (
        "1 packages have no known vulnerability\nNOT AUDITED: the database does not know pyyaml\n"
    )


def test_what_is_needed_at_run_time_is_found_without_the_extras() -> None:
    found = audit.installed()
    assert {"numpy", "pydantic", "pydantic-core", "pyyaml", "jinja2", "markupsafe"} <= set(found)
    assert not {"pytest", "ruff", "sphinx", "stsbaselines"} & set(found)


def test_without_pip_audit_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "find_spec", lambda name: None)
    monkeypatch.setattr(audit, "installed", lambda: {"numpy": "2.0.0"})
    with pytest.raises(SystemExit, match="pip-audit is not installed"):
        audit.main()
