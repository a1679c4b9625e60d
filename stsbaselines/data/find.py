"""Finding the files of data sets on this machine, and verifying their checksums.

Directories are searched in this order: the one given (``--data-dir``),
``$STSBASELINES_DATA``, ``./data``, the user's cache. The samples come with the package.
A file may also be packed, as ``NAME.gz``.
``stsbaselines data fetch TASK`` downloads files into the user's cache.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import platformdirs

from stsbaselines.data.catalogue import DataFile, DataSet, Task
from stsbaselines.errors import Fault, InputError, MissingDataError
from stsbaselines.io.files import NO_HOME, read_whole

ENVIRONMENT = "STSBASELINES_DATA"
OFFLINE = "STSBASELINES_OFFLINE"
Status = Literal["ok", "wrong", "missing"]
SAMPLES = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Located:
    """The search result for one file: `path` is the right file or else the first wrong one."""

    task: Task
    dataset: DataSet
    role: str
    status: Status
    path: Path | None = None
    found: str | None = None

    @property
    def expected(self) -> DataFile:
        """The official name and checksum."""
        return self.dataset.file(self.role)

    @property
    def restricted(self) -> bool:
        """Whether it may not be redistributed, or is not available to everybody."""
        return self.dataset.is_restricted(self.role)

    @property
    def source(self) -> str:
        """Where the file comes from."""
        of_dataset = self.dataset.source if self.role == "input" else None
        return of_dataset or self.task.source

    @property
    def fault(self) -> Fault:
        """What to report of a wrong file."""
        return Fault(str(self.path), str(self.found), self.expected.checksum)


def directories(data_dir: str | Path | None = None) -> Iterator[Path]:
    """Yield the data directories to search, in order."""
    named = [("", data_dir), (f"${ENVIRONMENT}: ", os.environ.get(ENVIRONMENT) or None)]
    for origin, directory in named:
        if directory is not None:
            if not Path(directory).is_dir():
                raise InputError([Fault(f"{origin}{directory}", "no such directory", "the data")])
            yield Path(directory)
    yield Path("data")
    yield cache_directory()


def cache_directory() -> Path:
    """Return the folder of downloaded data in the user's cache; it may not exist."""
    try:
        return Path(platformdirs.user_cache_dir("stsbaselines")) / "data"
    except RuntimeError:  # the user has no home folder
        return Path(NO_HOME, "data")


def is_offline() -> bool:
    """Return whether ``$STSBASELINES_OFFLINE`` forbids fetching."""
    return os.environ.get(OFFLINE, "") not in ("", "0")


def locate(task: Task, dataset: DataSet, role: str, data_dir: str | Path | None = None) -> Located:
    """Search all directories and known layouts for one file of a data set.

    Parameters
    ----------
    task, dataset : Task, DataSet
        The data set and its task; see `stsbaselines.data.catalogue.find_task`.
    role : str
        Such as ``input`` or ``gold``.
    data_dir : path, optional
        Searched first.

    Examples
    --------
    >>> from stsbaselines.data.catalogue import find_task
    >>> task = find_task("sample-sts")
    >>> locate(task, task.datasets[0], "gold").status
    'ok'
    """
    return Located(task, dataset, role, *_search(task, dataset.file(role), data_dir))


def locate_all(
    task: Task, data_dir: str | Path | None = None, datasets: Sequence[DataSet] | None = None
) -> list[Located]:
    """Search for every file of a task, or of some of its data sets, as `locate` does."""
    return [
        locate(task, dataset, role, data_dir)
        for dataset in (task.datasets if datasets is None else datasets)
        for role in dataset.files
    ]


def _search(
    task: Task, wanted: DataFile, data_dir: str | Path | None
) -> tuple[Status, Path | None, str | None]:
    wrong: tuple[Path | None, str | None] = None, None
    places = (
        (folder, place / name)
        for folder, place in _task_folders(task, data_dir)
        for name in (wanted.name, f"{wanted.name}.gz")
    )
    for folder, path in places:
        if not path.is_file():
            continue
        found = wanted.checksum if wanted.unverified else wanted.checksum_of(read_whole(path))
        if found == wanted.checksum:
            return "ok", path, found
        if folder != "." and wrong[0] is None:  # "." may hold another year's file of that name
            wrong = path, found
    return "missing" if wrong[0] is None else "wrong", *wrong


def _task_folders(task: Task, data_dir: str | Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the folders where a task's files may lie, with their names in the catalogue."""
    for directory in [SAMPLES] if task.is_sample else directories(data_dir):
        for folder in task.folders:
            yield folder, directory / folder


def wanted_files(
    task: Task, data_dir: str | Path | None = None, datasets: Sequence[str] = ()
) -> dict[str, DataFile]:
    """Return the missing files of a task, or of some of its data sets, without restricted ones."""
    return {
        each.expected.name: each.expected
        for each in locate_all(task, data_dir)
        if each.status == "missing" and not each.restricted
        if not datasets or each.dataset.name in datasets
    }


def require(task: Task, dataset: DataSet, role: str, data_dir: str | Path | None = None) -> Path:
    """Return the path of a file of a data set.

    Parameters
    ----------
    task, dataset : Task, DataSet
        The data set and its task; see `stsbaselines.data.catalogue.find_task`.
    role : str
        Such as ``input`` or ``gold``.
    data_dir : path, optional
        Searched first.

    Returns
    -------
    Path
        The path of the file.

    Raises
    ------
    MissingDataError
        If it was not found; the message says how to get it.
    InputError
        If it is not the official file.
    """
    return _right_path(locate(task, dataset, role, data_dir), data_dir)


def _right_path(located: Located, data_dir: str | Path | None) -> Path:
    if located.path is None:
        raise _missing_file(located, data_dir)
    if located.status == "wrong":
        raise InputError([located.fault])
    return located.path


def require_all(
    task: Task, dataset: DataSet, data_dir: str | Path | None = None
) -> dict[str, Path]:
    """Return the paths of all files and folders of a data set by role; see `require`."""
    files = {role: require(task, dataset, role, data_dir) for role in dataset.files}
    folders = {role: _require_folder(task, dataset, role, data_dir) for role in dataset.folders}
    return files | folders


def lacks_folders(task: Task, data_dir: str | Path | None = None) -> bool:
    """Return whether a folder that users have to get themselves is missing."""
    return any(
        _find_folder(task, dataset, role, data_dir) is None
        for dataset in task.datasets
        for role in dataset.folders
    )


def _require_folder(task: Task, dataset: DataSet, role: str, data_dir: str | Path | None) -> Path:
    found = _find_folder(task, dataset, role, data_dir)
    if found is None:
        wanted = dataset.folders[role]
        names = " or ".join(f"{task.folders[0]}/{name}" for name in wanted.names)
        raise MissingDataError(
            f"The {wanted.title} of {task.task} were not found ({names} was looked for in"
            f" {_searched(data_dir)}): {wanted.source}."
        )
    return found


def _find_folder(
    task: Task, dataset: DataSet, role: str, data_dir: str | Path | None
) -> Path | None:
    for _, place in _task_folders(task, data_dir):
        for name in dataset.folders[role].names:
            if (place / name).is_dir() and any((place / name).iterdir()):
                return place / name
    return None


def paths(
    task: Task, datasets: Sequence[DataSet], data_dir: str | Path | None = None
) -> list[Path]:
    """Return the paths of the files of data sets.

    Restricted files may be missing if another file was found; see `require` for the errors.
    """
    located = locate_all(task, data_dir, datasets)
    needed = [each for each in located if each.path is not None or not each.restricted]
    return [_right_path(each, data_dir) for each in needed or located]


def require_resource(task: Task, name: str, data_dir: str | Path | None = None) -> Path:
    """Return the path of a resource of a task: the first of its files that was found."""
    files = task.resource(name)
    wrong: list[Fault | str] = []
    for file in files:
        status, path, found = _search(task, file, data_dir)
        if status == "ok" and path is not None:
            return path
        if status == "wrong":
            wrong.append(Fault(str(path), str(found), file.checksum))
    if wrong:
        raise InputError(wrong)
    names = " or ".join(file.name for file in files)
    raise _missing(task, names, f"get it from {task.source}", data_dir)


def is_unverified(task: Task, name: str, path: Path) -> bool:
    """Return whether a resource was found under a name whose checksum is not known."""
    return any(
        file.unverified and file.name in (path.name, path.name.removesuffix(".gz"))
        for file in task.resource(name)
    )


def require_model(name: str, how: str, data_dir: str | Path | None = None) -> Path:
    """Return the folder of a trained model; `how` tells in an error how to train it."""
    for directory in directories(data_dir):
        if (directory / "models" / name).is_dir():
            return directory / "models" / name
    raise MissingDataError(f"The model {name} was not found: {how}, as models/{name}.")


def _missing_file(located: Located, data_dir: str | Path | None) -> MissingDataError:
    task = located.task
    how = f"get it from {located.source}"
    if not located.restricted:
        how = f"fetch it by `stsbaselines data fetch {task.task}`, or {how}"
    return _missing(task, located.expected.name, how, data_dir)


def _missing(task: Task, names: str, how: str, data_dir: str | Path | None) -> MissingDataError:
    return MissingDataError(
        f"The data of {task.task} was not found, or not all of it ({names} was looked for in"
        f" {_searched(data_dir)}): {how}, put it into {task.folders[0]}/ below one of these"
        f" directories, or name its place by --data-dir or ${ENVIRONMENT}; `make demo` runs"
        " without it."
    )


def _searched(data_dir: str | Path | None) -> str:
    return ", ".join(str(path) for path in directories(data_dir))


def listing(tasks: Sequence[Task], data_dir: str | Path | None = None) -> list[dict[str, object]]:
    """Return one row per data set: what it is, and whether its files were found."""
    rows: list[dict[str, object]] = []
    for task in tasks:
        for dataset in task.datasets:
            states = {locate(task, dataset, role, data_dir).status for role in dataset.files}
            rows.append(
                {
                    "task": task.task,
                    "data set": dataset.name,
                    "pairs": dataset.pairs,
                    "scored": dataset.scored,
                    "gold range": "-".join(f"{bound:g}" for bound in task.gold_range),
                    "status": next(each for each in ("wrong", "missing", "ok") if each in states),
                    "licence": dataset.licence or task.licence,
                    "source": dataset.source or task.source,
                    "folders": ", ".join(task.folders),
                    "citation": task.citation,
                }
            )
    return rows


def verify(
    tasks: Sequence[Task], data_dir: str | Path | None = None, complete: bool = False
) -> tuple[list[str], list[Fault | str]]:
    """Compare the files of tasks with the official checksums."""
    right: list[str] = []
    faults: list[Fault | str] = []
    for task in tasks:
        located = locate_all(task, data_dir)
        missing = [each for each in located if each.status == "missing"]
        faults += [each.fault for each in located if each.status == "wrong"]
        for name in task.resources:
            try:
                right.append(f"{task.task}: {name} is {require_resource(task, name, data_dir)}")
            except MissingDataError:
                right.append(f"{task.task}: {name} was not found")
            except InputError as error:
                faults += error.faults
        if len(missing) < len(located):
            count = sum(each.status == "ok" for each in located)
            right.append(f"{task.task}: {count} of {len(located)} files are right")
            for each in missing:
                name = f"{task.task}: {each.expected.name}"
                if each.restricted:
                    right.append(f"{name} was not found")
                else:
                    faults.append(Fault(name, "no such file", each.expected.checksum))
        elif complete:
            faults.append(str(_missing_file(missing[0], data_dir)))
        else:
            right.append(f"{task.task}: not found")
    return right, faults
