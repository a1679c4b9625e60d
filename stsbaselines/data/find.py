"""Finding the files of data sets on this machine, and checking that they are the right ones.

Directories are searched in this order: the one given (``--data-dir``), then
``$STSBASELINES_DATA``, ``./data``, the user's cache. The samples come with the package.
A file may also lie there packed, as ``NAME.gz`` or ``NAME.zst``.
``stsbaselines data fetch TASK`` puts files into the user's cache.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import platformdirs

from stsbaselines.data.catalogue import DataFile, DataSet, Task
from stsbaselines.errors import Fault, InputError, MissingDataError
from stsbaselines.io import PACKED, is_file, iter_bytes, unpacked_name

ENVIRONMENT = "STSBASELINES_DATA"
OFFLINE = "STSBASELINES_OFFLINE"
Status = Literal["ok", "wrong", "missing"]
SAMPLES = Path(__file__).parent / "samples"


@dataclass(frozen=True)
class Located:
    """What was found for one file of a data set.

    Attributes
    ----------
    status : 'ok', 'wrong' or 'missing'
        ``wrong``: a file of that name is there, but none with the right checksum.
    path : Path or None
        The right file, else the first wrong one.
    found : str or None
        Checksum of the file at `path`.
    """

    task: Task
    dataset: DataSet
    role: str
    status: Status
    path: Path | None = None
    found: str | None = None

    @property
    def expected(self) -> DataFile:
        """Name and checksum that the catalogue wants."""
        return self.dataset.files[self.role]

    @property
    def is_withheld(self) -> bool:
        """Whether it may not be passed on, or is not to be had by everybody."""
        return self.dataset.withholds(self.role)


def directories(data_dir: str | Path | None = None) -> Iterator[Path]:
    """Yield the data directories to search, in order.

    Parameters
    ----------
    data_dir : path, optional
        Searched first.

    Yields
    ------
    Path

    Raises
    ------
    InputError
        If the directory given, or the one named by ``$STSBASELINES_DATA``, does not exist.
    """
    named = [("", data_dir), (f"${ENVIRONMENT}: ", os.environ.get(ENVIRONMENT) or None)]
    for origin, directory in named:
        if directory is None:
            continue
        if not Path(directory).is_dir():
            raise InputError([Fault(f"{origin}{directory}", "no such directory", "the data")])
        yield Path(directory)
    yield Path("data")
    yield cache_directory()


def cache_directory() -> Path:
    """Return the folder of downloaded data in the user's cache."""
    return Path(platformdirs.user_cache_dir("stsbaselines")) / "data"


def locate(task: Task, dataset: DataSet, role: str, data_dir: str | Path | None = None) -> Located:
    """Look for one file of a data set in all directories and known layouts.

    Parameters
    ----------
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
    return Located(task, dataset, role, *_search(task, dataset.files[role], data_dir))


def _search(
    task: Task, wanted: DataFile, data_dir: str | Path | None
) -> tuple[Status, Path | None, str | None]:
    wrong: tuple[Path | None, str | None] = None, None
    for folder, path in _candidates(task, wanted.name, data_dir):
        found = checksum_of(path, wanted)
        if found == wanted.checksum:
            return "ok", path, found
        if folder != "." and wrong[0] is None:  # another year's file may lie in "."
            wrong = path, found
    return "missing" if wrong[0] is None else "wrong", *wrong


def locate_all(task: Task, data_dir: str | Path | None = None) -> list[Located]:
    """Look for every file of a task, as `locate` does."""
    return [
        locate(task, dataset, role, data_dir) for dataset in task.datasets for role in dataset.files
    ]


def wanted_files(
    task: Task, data_dir: str | Path | None = None, datasets: Sequence[str] = ()
) -> dict[str, DataFile]:
    """Return the files of a task that are not here, by name, but for those that are not given out.

    Parameters
    ----------
    task : Task
    data_dir : path, optional
        Searched first.
    datasets : sequence of str
        Only those of these data sets; all, if there are none.

    Examples
    --------
    >>> from stsbaselines.data.catalogue import find_task
    >>> wanted_files(find_task("sample-sts"))
    {}
    """
    return {
        each.expected.name: each.expected
        for each in locate_all(task, data_dir)
        if each.status == "missing" and not each.is_withheld
        if not datasets or each.dataset.name in datasets
    }


def is_offline() -> bool:
    """Tell whether ``$STSBASELINES_OFFLINE`` forbids fetching."""
    return os.environ.get(OFFLINE, "") not in ("", "0")


def require(task: Task, dataset: DataSet, role: str, data_dir: str | Path | None = None) -> Path:
    """Return the path of a file of a data set.

    Parameters
    ----------
    task, dataset : Task, DataSet
    role : str
        Such as ``input`` or ``gold``.
    data_dir : path, optional
        Searched first.

    Returns
    -------
    Path

    Raises
    ------
    MissingDataError
        If it is not here; the message says where it can be had.
    InputError
        If it is not the official file.
    """
    located = locate(task, dataset, role, data_dir)
    if located.path is None:
        raise missing(located, data_dir)
    if located.status == "wrong":
        raise InputError([wrong_file(located)])
    return located.path


def require_all(
    task: Task, dataset: DataSet, data_dir: str | Path | None = None
) -> dict[str, Path]:
    """Return the paths of all files and folders of a data set, by role.

    Raises
    ------
    MissingDataError
        If one is not here; the message says where it can be had.
    InputError
        If one is not the official file.
    """
    files = {role: require(task, dataset, role, data_dir) for role in dataset.files}
    folders = {role: _require_folder(task, dataset, role, data_dir) for role in dataset.folders}
    return files | folders


def lacks_folders(task: Task, data_dir: str | Path | None = None) -> bool:
    """Tell whether a folder that everybody has to get by hand is not here.

    Examples
    --------
    >>> from stsbaselines.data.catalogue import find_task
    >>> lacks_folders(find_task("sample-typed"))
    False
    """
    try:
        for dataset in task.datasets:
            for role in dataset.folders:
                _require_folder(task, dataset, role, data_dir)
    except MissingDataError:
        return True
    return False


def _require_folder(task: Task, dataset: DataSet, role: str, data_dir: str | Path | None) -> Path:
    wanted = dataset.folders[role]
    for _, place in _places(task, data_dir):
        for name in wanted.names:
            if (place / name).is_dir() and any((place / name).iterdir()):
                return place / name
    names = " or ".join(f"{task.folders[0]}/{name}" for name in wanted.names)
    searched = ", ".join(str(path) for path in directories(data_dir))
    raise MissingDataError(
        f"The {wanted.title} of {task.task} are not here ({names} was looked for in {searched}):"
        f" {wanted.source}."
    )


def paths(
    task: Task, datasets: Sequence[DataSet], data_dir: str | Path | None = None
) -> list[Path]:
    """Return the paths of the files of data sets.

    Raises
    ------
    MissingDataError
        If one is not here; the input of restricted data sets may be missing if another
        file is here.
    InputError
        If one is not the official file.
    """
    found = []
    withheld = []
    for dataset in datasets:
        for role in dataset.files:
            try:
                found.append(require(task, dataset, role, data_dir))
            except MissingDataError as error:
                if not dataset.withholds(role):
                    raise
                withheld.append(error)
    if withheld and not found:
        raise withheld[0]
    return found


def require_resource(task: Task, name: str, data_dir: str | Path | None = None) -> Path:
    """Return the path of a resource of a task: the first of its files that is here.

    Parameters
    ----------
    task : Task
    name : str
        One of `task.resources`.
    data_dir : path, optional
        Searched first.

    Raises
    ------
    MissingDataError
        If none of them is here.
    InputError
        If the task has no such resource, or a file is not the official one.
    """
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


def require_model(name: str, how: str, data_dir: str | Path | None = None) -> Path:
    """Return the folder of a trained model: ``models/NAME`` in one of the data directories.

    Parameters
    ----------
    name : str
    how : str
        How it is trained, for the error.
    data_dir : path, optional
        Where it is looked for first.

    Raises
    ------
    MissingDataError
        If it is not here; the message says how to train it.
    """
    for directory in directories(data_dir):
        if (directory / "models" / name).is_dir():
            return directory / "models" / name
    raise MissingDataError(f"The model {name} is not here: {how}, as models/{name}.")


def is_unverified(task: Task, name: str, path: Path) -> bool:
    """Tell whether a resource was found under a name whose checksum is not known."""
    return any(
        file.unverified and file.name in (path.name, unpacked_name(path.name))
        for file in task.resource(name)
    )


def missing(located: Located, data_dir: str | Path | None = None) -> MissingDataError:
    """Return the error for a file that is not there: one sentence on what to do."""
    task, dataset = located.task, located.dataset
    source = dataset.source if dataset.source and located.role == "input" else task.source
    how = "" if located.is_withheld else f"fetch it by `stsbaselines data fetch {task.task}`, or "
    return _missing(task, located.expected.name, f"{how}get it from {source}", data_dir)


def _missing(task: Task, names: str, how: str, data_dir: str | Path | None) -> MissingDataError:
    searched = ", ".join(str(path) for path in directories(data_dir))
    return MissingDataError(
        f"The data of {task.task} is not here, or not all of it ({names} was looked"
        f" for in {searched}): {how}, put it into"
        f" {task.folders[0]}/ below one of these or name its place by --data-dir or"
        f" ${ENVIRONMENT}; `make demo` runs without it."
    )


def listing(tasks: Sequence[Task], data_dir: str | Path | None = None) -> list[dict[str, object]]:
    """Return one row a data set: what it is, and whether its files are here.

    Examples
    --------
    >>> from stsbaselines.data.catalogue import find_task
    >>> row = listing([find_task("sample-sts")])[0]
    >>> row["data set"], row["scored"], row["here"]
    ('kitchen', 11, 'ok')
    """
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
                    "here": next(each for each in ("wrong", "missing", "ok") if each in states),
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
    """Compare the files of tasks with the catalogue's checksums.

    Parameters
    ----------
    tasks : sequence of Task
    data_dir : path, optional
        Searched first.
    complete : bool
        Whether a task that is wholly missing is a fault.

    Returns
    -------
    right : list of str
        A line for each task that is here or, without `complete`, wholly missing.
    faults : list of Fault
        Each file that is wrong, or missing though its task is here. The sentences of a
        restricted data set may be missing.
    """
    right: list[str] = []
    faults: list[Fault | str] = []
    for task in tasks:
        located = locate_all(task, data_dir)
        good = [each for each in located if each.status == "ok"]
        absent = [each for each in located if each.status == "missing"]
        withheld = [each for each in absent if each.is_withheld]
        faults.extend(wrong_file(each) for each in located if each.status == "wrong")
        resources, damaged = _verified_resources(task, data_dir)
        right.extend(resources)
        faults.extend(damaged)
        if len(absent) < len(located):
            right.append(f"{task.task}: {len(good)} of {len(located)} files are right")
            faults.extend(
                Fault(f"{task.task}: {each.expected.name}", "no such file", each.expected.checksum)
                for each in absent
                if each not in withheld
            )
            right.extend(f"{task.task}: {each.expected.name} is not here" for each in withheld)
        elif complete:
            faults.append(str(missing(absent[0], data_dir)))
        else:
            right.append(f"{task.task}: not here")
    return right, faults


def _verified_resources(
    task: Task, data_dir: str | Path | None
) -> tuple[list[str], Sequence[Fault | str]]:
    lines = []
    for name in task.resources:
        try:
            lines.append(f"{task.task}: {name} is {require_resource(task, name, data_dir)}")
        except MissingDataError:
            lines.append(f"{task.task}: {name} is not here")
        except InputError as error:
            return lines, error.faults
    return lines, []


def wrong_file(located: Located) -> Fault:
    """Return the fault of a file whose checksum is not the official one."""
    return Fault(str(located.path), str(located.found), located.expected.checksum)


def checksum_of(path: Path, wanted: DataFile) -> str:
    """Return the checksum of a file's unpacked content, of the kind that is wanted of it."""
    size = sum(map(len, iter_bytes(path))) if wanted.git_blob else 0
    return checksum_of_blocks(iter_bytes(path), size, wanted)


def checksum_of_blocks(blocks: Iterable[bytes], size: int, wanted: DataFile) -> str:
    """Return the checksum of `size` bytes in blocks, of the kind that is wanted of a file.

    Examples
    --------
    >>> wanted = DataFile(name="train.data", git_blob="8baef1b4abc478178b004d62031cf7fe6db6f903")
    >>> checksum_of_blocks([b"a", b"bc"], 3, wanted)
    'git blob f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f'
    """
    if wanted.sha256:
        return f"sha256 {_hexdigest(blocks, hashlib.sha256())}"
    if wanted.git_blob:
        return f"git blob {_hexdigest(blocks, git_blob_digest(size))}"
    return wanted.checksum


def git_blob_digest(size: int) -> hashlib._Hash:
    """Return what makes git's checksum of a file, to be given its `size` bytes.

    Examples
    --------
    >>> git_blob_digest(0).hexdigest()
    'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
    """
    return hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)


def _hexdigest(blocks: Iterable[bytes], digest: hashlib._Hash) -> str:
    for block in blocks:
        digest.update(block)
    return digest.hexdigest()


def _candidates(task: Task, name: str, data_dir: str | Path | None) -> Iterator[tuple[str, Path]]:
    for folder, place in _places(task, data_dir):
        for path in (place / f"{name}{ending}" for ending in ("", *PACKED)):
            if is_file(path):
                yield folder, path


def _places(task: Task, data_dir: str | Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the folders where a task's files may lie, with their names in the catalogue."""
    for directory in [SAMPLES] if task.is_sample else directories(data_dir):
        for folder in task.folders:
            yield folder, directory / folder
