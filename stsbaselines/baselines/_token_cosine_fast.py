"""The scores of token-cosine for a block of lines, by the machine code of a numba kernel.

To import numba takes longer than to score half a million pairs. So what it has compiled, a function
of C that needs nothing of numba, is kept in the user's cache, and LLVM loads it from there. A file
of another kernel, version or processor has another name, and one that is damaged is made anew.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import os
import stat
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import platformdirs

from stsbaselines.errors import InputError
from stsbaselines.io import write_bytes

CHUNK = 1 << 14
"""Bytes that the kernel looks at together."""

RECORD = 13
"""Bytes of a score in an output."""

SLOTS = 1024
"""Places in the kernel's table of token types."""

_LOOK_AHEAD = 8
_SOURCE = Path(__file__).with_name("_token_cosine_kernel.py")
_NAME = "token_cosine"
_FOR_ERRORS = ("numba_gil_ensure", "numba_gil_release")  # which the kernel never raises
_RENAMED = "stsbaselines_{}".format  # numba has functions of its own under these names

_Table = ctypes.c_uint64 * SLOTS
_Ends = ctypes.c_uint64 * CHUNK
_State = ctypes.c_uint64 * 3
_Kernel = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, ctypes.c_uint64, *[ctypes.c_void_p] * 6)


def score_lines(lines: bytes, in_python: Callable[[bytes], bytes | None]) -> bytes | None:
    """Score whole lines as `TokenCosine.score_lines` does.

    Parameters
    ----------
    lines : bytes
    in_python : callable
        What scores the lines that the kernel leaves.

    Returns
    -------
    bytes or None
    """
    if b"\0" in lines:
        return None
    score, _ = kernel()
    stop = lines.rfind(b"\n", 0, -_LOOK_AHEAD) + 1
    state, tables, ends = _State(), [_Table() for _ in range(3)], _Ends()
    records = bytearray(RECORD * lines.count(b"\n", 0, stop) + 1)
    place = ctypes.addressof(ctypes.c_char.from_buffer(records))
    while not score(lines, stop, state, *tables, ends, place):
        start, row = state[0], state[1]
        end = lines.index(b"\n", start) + 1
        record = in_python(lines[start:end])
        if record is None:
            return None
        records[RECORD * row : RECORD * (row + 1)] = record
        state[:2] = [end, row + 1]
    rest = in_python(lines[stop:])
    return None if rest is None else bytes(memoryview(records)[: RECORD * state[1]]) + rest


@functools.cache
def kernel() -> tuple[Callable[..., bool], Any]:
    """Return the kernel, and what frees its machine code when it is dropped.

    It is compiled if its machine code is not in the user's cache.

    Raises
    ------
    ImportError
        If it is to be compiled, and numba cannot be imported.
    """
    machine = _machine()
    path = platformdirs.user_cache_path("stsbaselines") / "kernels" / f"{_identity()}.o"
    code = _read(path)
    if code is None:
        code = _compiled(machine)
        with contextlib.suppress(InputError):  # a cache that cannot be written
            write_bytes(path, hashlib.sha256(code).digest() + code)
    return _loaded(code, machine)


def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
    )


def _identity() -> str:
    """Return what the machine code depends on, as a digest."""
    made_by = (
        metadata.version("numba"),
        metadata.version("llvmlite"),
        llvm.get_process_triple(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
    )
    sources = b"".join(Path(each).read_bytes() for each in (_SOURCE, __file__))
    return hashlib.sha256(sources + "\0".join(made_by).encode()).hexdigest()


def _read(path: Path) -> bytes | None:
    """Return the machine code in a file after its digest.

    None if there is none, or it is damaged, or of another user, or anybody can write it.
    """
    try:
        status = path.stat()
        content = path.read_bytes()
    except OSError:
        return None
    if hasattr(os, "geteuid") and (status.st_uid != os.geteuid() or status.st_mode & stat.S_IWOTH):
        return None
    size = hashlib.sha256().digest_size
    code = content[size:]
    return code if hashlib.sha256(code).digest() == content[:size] else None


def _compiled(machine: Any) -> bytes:
    from stsbaselines.baselines import _token_cosine_kernel  # slow to import

    name, source = _token_cosine_kernel.llvm()
    module = llvm.parse_assembly(source)
    module.get_function(name).name = _NAME
    for each in module.functions:
        if each.name in _FOR_ERRORS:
            each.name = _RENAMED(each.name)
    code: bytes = machine.emit_object(module)
    return code


def _loaded(code: bytes, machine: Any) -> tuple[Callable[..., bool], Any]:
    fatal = ctypes.cast(ctypes.pythonapi.Py_FatalError, ctypes.c_void_p).value
    for name in _FOR_ERRORS:
        llvm.add_symbol(_RENAMED(name), fatal)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return _Kernel(engine.get_function_address(_NAME)), engine
