"""Reading files out of zip and tar archives of unknown origin: nothing is unpacked by name."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from stsbaselines.errors import Fault, InputError
from stsbaselines.io.files import is_device, open_to_read

LARGEST_FILE = 16 << 20  # bytes; the official files are smaller
LARGEST_ARCHIVE = 1 << 28  # bytes, unpacked

Contents = Iterator[tuple[str, bytes | None]]


def contents_of(path: Path) -> Contents:
    """Yield name and content of each regular file in a zip, tar or tar.gz archive.

    Of any other file, which may be packed as by gzip, ("", content) is yielded. A content of more
    than `LARGEST_FILE` is replaced by None. InputError is raised if a file cannot be read, or an
    archive is damaged or larger than `LARGEST_ARCHIVE`.
    """
    if is_device(path):
        raise InputError([Fault(str(path), "a pipe or a device", "a regular file")])
    with open_to_read(path, decompress=False) as stream:
        is_gzip = stream.read(2) == b"\x1f\x8b"
    mode = "r:gz" if is_gzip else "r:"
    try:
        if zipfile.is_zipfile(path):
            yield from _zip_contents(path)
        elif _is_tar(path, mode):
            yield from _tar_contents(path, mode)
        else:
            with open_to_read(path) as stream:
                content = stream.read(LARGEST_FILE + 1)
            yield "", content if len(content) <= LARGEST_FILE else None
    except InputError:
        raise
    except Exception:  # zipfile, tarfile and zlib raise many kinds for damaged content
        raise InputError([Fault(str(path), "damaged content", "a whole archive")]) from None


def _zip_contents(path: Path) -> Contents:
    with zipfile.ZipFile(path) as archive:
        files = [each for each in archive.infolist() if not each.is_dir()]
        if sum(each.file_size for each in files) > LARGEST_ARCHIVE:
            raise _too_large(path)
        for each in files:
            is_large = each.file_size > LARGEST_FILE
            yield each.filename, None if is_large else archive.read(each)


def _is_tar(path: Path, mode: str) -> bool:
    try:
        if mode == "r:gz":
            _check_unpacked_size(path)
        tarfile.open(path, mode).close()  # type: ignore[call-overload]
    except InputError:
        raise
    except Exception:  # zipfile, tarfile and zlib raise many kinds for damaged content
        return False
    return True


def _check_unpacked_size(path: Path) -> None:
    """Refuse a gzip bomb before the headers in it are read."""
    size = 0
    with gzip.open(path) as stream:
        while block := stream.read(1 << 20):
            size += len(block)
            if size > LARGEST_ARCHIVE:
                raise _too_large(path)


def _tar_contents(path: Path, mode: str) -> Contents:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for each in archive:
            stream = archive.extractfile(each) if each.isreg() else None
            if stream is not None:
                yield each.name, stream.read() if each.size <= LARGEST_FILE else None


def _too_large(path: Path) -> InputError:
    found = f"more than {LARGEST_ARCHIVE >> 20} MiB"
    return InputError([Fault(str(path), found, "an archive of a data set")])
