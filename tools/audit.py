"""Look for known vulnerabilities in what the installed package needs at run time.

Exit status 1 if there is one. Packages that were not audited, because the database is not
available or does not know them, are reported in one line.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PACKAGE = "stsbaselines"
SECONDS = 300
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def main() -> int:
    """Audit; return the exit status."""
    wanted = installed()
    try:
        report = asked(wanted)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        report = {}
    found, unknown = findings(report)
    for line in found:
        print(line)
    if found:
        return 1
    audited = len(wanted) - len(unknown)
    if not report or audited <= 0:
        print("NOT AUDITED: no database of known vulnerabilities is available")
        return 0
    print(f"{audited} packages have no known vulnerability")
    if unknown:
        print(f"NOT AUDITED: the database does not know {', '.join(unknown)}")
    return 0


def installed(package: str = PACKAGE) -> dict[str, str]:
    """Return the versions of the packages that a package needs at run time, without its extras."""
    found: dict[str, str] = {}
    waiting = [package]
    while waiting:
        name = waiting.pop()
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # not needed on this system or Python
            continue
        if name not in found:
            found[name] = distribution.version
            needed = distribution.requires or []
            waiting += [_NAME.findall(each)[0].lower() for each in needed if "extra ==" not in each]
    return {name: version for name, version in sorted(found.items()) if name != package}


def asked(versions: Mapping[str, str]) -> dict[str, Any]:
    """Return the report of pip-audit on these packages; {} if there is none."""
    if find_spec("pip_audit") is None:
        sys.exit("pip-audit is not installed")
    with tempfile.TemporaryDirectory() as folder:
        pinned, report = Path(folder, "pinned.txt"), Path(folder, "report.json")
        pinned.write_text("".join(f"{name}=={versions[name]}\n" for name in versions))
        options = ["--no-deps", "--disable-pip", "--progress-spinner=off", "--timeout=15"]
        files = [f"--requirement={pinned}", "--format=json", f"--output={report}"]
        command = [sys.executable, "-m", "pip_audit", *options, *files]
        subprocess.run(command, capture_output=True, timeout=SECONDS)
        return dict(json.loads(report.read_text())) if report.exists() else {}


def findings(report: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return a line for each vulnerability of a report, and the packages that it skipped."""
    packages = report.get("dependencies", [])
    found = [
        f"{each['name']} {each['version']}: {one['id']}"
        f", fixed in {', '.join(one['fix_versions']) or 'no version yet'}"
        for each in packages
        for one in each.get("vulns", [])
    ]
    return found, [each["name"] for each in packages if "skip_reason" in each]


if __name__ == "__main__":
    sys.exit(main())
