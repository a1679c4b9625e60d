"""Fetching the files of data sets that are not on this machine yet."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import urllib.parse
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import filelock

from stsbaselines.data.archives import Member, is_archive, open_archive
from stsbaselines.data.catalogue import DataFile, Task
from stsbaselines.data.download import DownloadError, Progress, no_progress, obtain
from stsbaselines.data.find import (
    OFFLINE,
    cache_directory,
    checksum_of,
    checksum_of_blocks,
    is_offline,
    locate_all,
    require_all,
    wanted_files,
    wrong_file,
)
from stsbaselines.data.sources import ArchiveSource, RepositorySource, mirrored, sources_of
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.io import atomic_write, make_folder, put_in_place, translate_os_errors

MIRROR = "STSBASELINES_MIRROR"
WORK = ".fetching"
HOLDER = "holder"
LONGEST_WAIT = 600.0  # seconds for another process that fetches into the same folder

Files = Mapping[str, DataFile]
Get = Callable[[str, Path, Callable[[Path], None]], None]
Notice = Callable[[str], None]


def no_notice(sentence: str) -> None:
    """Say nothing."""


class Fetched(NamedTuple):
    """A file that was fetched.

    Attributes
    ----------
    path : Path
    address : str
        Of the file, or of the archive that it was in.
    """

    path: Path
    address: str


def fetch(
    task: Task,
    data_dir: str | Path | None = None,
    *,
    offline: bool = False,
    mirror: str | None = None,
    progress: Progress = no_progress,
    silent: set[str] | None = None,
    notice: Notice = no_notice,
) -> list[Fetched]:
    """Fetch the files of a task that are not here, and put them where they are found.

    A file counts only if its checksum is the catalogue's; if it cannot be had from one source,
    the next one is tried. What may not be redistributed is never asked for.

    Parameters
    ----------
    task : Task
    data_dir : path, optional
        A data directory to look in first and to put files into, in the task's folder; by
        default the one in the user's cache.
    offline : bool
        Whether to ask nobody; so does ``$STSBASELINES_OFFLINE``.
    mirror : str, optional
        An address below which all paths are looked for, instead of on the hosts of the sources; by
        default ``$STSBASELINES_MIRROR``, if that is set.
    progress : callable on (str, int, int or None), optional
        Told of the name of a download, the bytes of it that are here, and of how many.
    silent : set of str, optional
        Hosts that are not asked, since they did not answer for another task; others are added.
    notice : callable on str, optional
        Given a sentence if another process must be waited for.

    Returns
    -------
    list of Fetched
        Empty if nothing was missing.

    Raises
    ------
    MissingDataError
        If a file cannot be had; the message names each source, and what happened there. Files
        that could be had are kept.
    InputError
        If a place cannot be written to, or another process has been fetching for ten minutes.
    """
    wanted = wanted_files(task, data_dir)
    if not wanted:
        return []
    folder = (cache_directory() if data_dir is None else Path(data_dir)) / task.folders[0]
    _check_can_be_fetched(task, wanted, folder, offline)
    mirror = mirror or os.environ.get(MIRROR)
    fetched: list[Fetched] = []
    failures: list[str] = []
    new = set[str]()
    get = functools.partial(_obtain, silent=silent or (), new=new, progress=progress)
    with _only_process(folder, notice) as work:
        wanted = wanted_files(task, data_dir)
        for source in sources_of(task.task) if wanted else ():
            if isinstance(source, ArchiveSource):
                found, why = _from_archive(source, wanted, work, mirror, get)
            else:
                found, why = _from_repository(source, wanted, work, mirror, get)
            fetched += found
            failures += why
            names = {each.path.name for each in found}
            wanted = {name: file for name, file in wanted.items() if name not in names}
            if not wanted:
                break
        for part in () if wanted else work.glob("*.part"):  # of other sources
            part.unlink()
    if silent is not None:
        silent |= new
    if wanted:
        what = _what(task, wanted)
        raise MissingDataError(
            f"{what} could not be fetched: {'; '.join(failures)}. You can also"
            f" {_by_hand(task, folder)}."
        )
    return fetched


def left_to_do(task: Task, data_dir: str | Path | None = None) -> list[str]:
    """Return what of a task everybody has to get by hand, a sentence each.

    Raises
    ------
    InputError
        If a file is here that is not the official one; it is not replaced.

    Examples
    --------
    >>> from stsbaselines.data.catalogue import find_task
    >>> left_to_do(find_task("sample-sts"))
    []
    """
    located = locate_all(task, data_dir)
    wrong = [wrong_file(each) for each in located if each.status == "wrong"]
    if wrong:
        raise InputError(wrong)
    sentences = [
        f"{task.task}: {each.expected.name} is never fetched: get it from"
        f" {each.dataset.source or task.source}, and put it into {task.folders[0]}/."
        for each in located
        if each.status == "missing" and each.is_withheld
    ]
    try:
        for dataset in task.datasets if not sentences else ():
            require_all(task, dataset, data_dir)
    except MissingDataError as error:
        sentences.append(str(error))
    return sentences


def _check_can_be_fetched(task: Task, wanted: Files, folder: Path, offline: bool) -> None:
    by_hand = _by_hand(task, folder)
    if offline or is_offline():
        why = "--offline" if offline else f"${OFFLINE}"
        raise MissingDataError(
            f"{_what(task, wanted)} cannot be fetched because of {why}: run"
            f" `stsbaselines data fetch {task.task}` with a network, or {by_hand}."
        )
    if not sources_of(task.task):
        raise MissingDataError(
            f"{_what(task, wanted)} cannot be fetched, as no source is known: {by_hand}."
        )


def _by_hand(task: Task, folder: Path) -> str:
    return f"put into {folder} what you get from {task.source}"


def _obtain(
    address: str,
    path: Path,
    check: Callable[[Path], None],
    *,
    silent: Collection[str],
    new: set[str],
    progress: Progress,
) -> None:
    """Download a file, unless its host is silent; if it turns out to be, note it among the new."""
    host = urllib.parse.urlsplit(address).netloc
    if host in silent:
        raise DownloadError("not asked again, as it did not answer", answered=False)
    try:
        obtain(address, path, check, progress)
    except DownloadError as error:
        if not error.answered:
            new.add(host)
        raise


def _shown(address: str) -> str:
    """Return an address without the name and password that may be in it."""
    parts = urllib.parse.urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _what(task: Task, files: Files) -> str:
    """Return which files of a task something is said of."""
    first, *others = files
    return f"{first}{f' and {len(others)} more' if others else ''} of {task.task}"


@contextlib.contextmanager
def _only_process(folder: Path, notice: Notice = no_notice) -> Iterator[Path]:
    """Wait until no other process fetches into `folder`, and keep others from it meanwhile.

    Yields the folder for what is not finished. The lock is the operating system's, so that it is
    gone with the process that has it.
    """
    work = folder / WORK
    make_folder(work)
    lock = filelock.FileLock(work / "lock")
    if not _acquires(lock, 0):
        notice(f"{folder}: waiting, since another process ({_holder(work)}) fetches into it.")
        if not _acquires(lock, LONGEST_WAIT):
            raise InputError(
                f"{folder}: another process ({_holder(work)}) has been fetching into this"
                f" folder for {LONGEST_WAIT:.0f} seconds; wait for it, or end it."
            )
    try:
        for each in work.glob("tmp*"):  # of a process that was killed
            each.unlink()
        with translate_os_errors(work / HOLDER):
            (work / HOLDER).write_text(f"{os.getpid()} on {platform.node()}", "utf-8")
        yield work
    finally:
        (work / HOLDER).unlink(missing_ok=True)
        lock.release()


def _acquires(lock: filelock.BaseFileLock, seconds: float) -> bool:
    """Tell whether the lock is had in that time; a file system without locks is used without."""
    with translate_os_errors(Path(lock.lock_file)), contextlib.suppress(NotImplementedError):
        try:
            lock.acquire(timeout=seconds)
        except filelock.Timeout:
            return False
    return True


def _holder(work: Path) -> str:
    """Return which process has the lock, as it has put down."""
    try:
        who = (work / HOLDER).read_text("utf-8", "replace")
    except OSError:
        who = ""
    return who or "its number is not known"


def _from_archive(
    source: ArchiveSource, wanted: Files, work: Path, mirror: str | None, get: Get
) -> tuple[list[Fetched], list[str]]:
    """Return what an archive has of the wanted files, and why it has not all of them."""
    address = mirrored(source.archive, mirror)
    path = work / PurePosixPath(source.archive).name
    found: list[Fetched] = []
    try:
        get(address, path, _check_is_archive)
        with _opened(path) as members:
            members_of = {name: _right_member(members, name, wanted[name]) for name in wanted}
            for name, member in members_of.items():
                if member is not None:
                    target = work.parent / name
                    with atomic_write(target) as out:
                        out.writelines(member.read_blocks())
                    found.append(Fetched(target, _shown(address)))
    except DownloadError as error:
        return found, [f"{_shown(address)}: {error}"]
    finally:
        path.unlink(missing_ok=True)
    lacking = [name for name, member in members_of.items() if member is None]
    return found, [
        f"{_shown(address)}: without the official {', '.join(lacking)}"
    ] if lacking else []


def _check_is_archive(path: Path) -> None:
    if not is_archive(path):
        raise DownloadError("something else than an archive")
    with _opened(path):
        pass


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[list[Member]]:
    """Open an archive that was downloaded; what is wrong with it is a reason to try another."""
    with contextlib.ExitStack() as stack:
        try:
            members = stack.enter_context(open_archive(path))
        except InputError as error:
            raise DownloadError(str(error).replace(f"{path.parent}{os.sep}", "")) from None
        yield members


def _right_member(members: list[Member], name: str, file: DataFile) -> Member | None:
    """Return the member of that name with the right checksum, wherever it lies in the archive."""
    for member in members:
        if PurePosixPath(member.name).name == name:
            with contextlib.suppress(InputError):  # a damaged member is not the right one
                if checksum_of_blocks(member.read_blocks(), member.size, file) == file.checksum:
                    return member
    return None


def _from_repository(
    source: RepositorySource, wanted: Files, work: Path, mirror: str | None, get: Get
) -> tuple[list[Fetched], list[str]]:
    """Return what a repository has of the wanted files, and why it has not all of them."""
    found: list[Fetched] = []
    reasons: dict[str, None] = {}
    for name, file in wanted.items():
        address = mirrored(source.address_of(name), mirror)
        check = functools.partial(_check_content, file=file)
        try:
            get(address, work / name, check)
        except DownloadError as error:
            reasons[str(error)] = None
            if not error.answered:
                break
            continue
        target = work.parent / name
        with translate_os_errors(target, work / name):
            put_in_place(work / name, target)
        found.append(Fetched(target, _shown(address)))
    place = _shown(mirrored(source.address_of(""), mirror))
    return found, [f"{place}: {' and '.join(reasons)}"] if reasons else []


def _check_content(path: Path, file: DataFile) -> None:
    if checksum_of(path, file) != file.checksum:
        raise DownloadError("other content than the official file's")
