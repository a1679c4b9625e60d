"""The one error that bad input raises, and how it reads."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

SHOWN_FAULTS = 20
# Control characters but TAB and newline; marks that turn the direction of writing; surrogates.
_UNSEEN = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with an input.

    Parameters
    ----------
    path : str
        The file, as the user named it.
    found, expected : str
        What is there, and what should be there.
    line : int or None
        Line number from 1; None where the fault is not in one line.
    pair : int or None
        Number from 1 of the pair whose prediction has the fault; None for other faults.

    Examples
    --------
    >>> print(Fault("STS.output.OnWN.txt", "'1,5'", "a number", line=3))
    STS.output.OnWN.txt, line 3: found '1,5', expected a number
    """

    path: str
    found: str
    expected: str
    line: int | None = None
    pair: int | None = None

    def __str__(self) -> str:
        path = visible(self.path).replace("\n", r"\n")
        line = "" if self.line is None else f", line {self.line}"
        pair = "" if self.pair is None else f", pair {self.pair}"
        return f"{path}{line}{pair}: found {self.found}, expected {self.expected}"


class InputError(ValueError):
    """Input that cannot be used; no number is ever made from it.

    Parameters
    ----------
    faults : str or sequence of Fault or str
        Everything that is wrong. The message shows the first 20.

    Examples
    --------
    >>> str(InputError("there is no baseline 'token-cosin'"))
    "there is no baseline 'token-cosin'"
    """

    def __init__(self, faults: str | Sequence[Fault | str]) -> None:
        self.faults: tuple[Fault | str, ...] = (
            (faults,) if isinstance(faults, str) else tuple(faults)
        )
        lines = [str(fault) for fault in self.faults[:SHOWN_FAULTS]]
        if len(self.faults) > SHOWN_FAULTS:
            lines.append(f"... and {len(self.faults) - SHOWN_FAULTS:,} more faults")
        super().__init__(visible("\n".join(lines)))

    def after(self, pairs: int) -> InputError:
        """Return the error of later pairs, with `pairs` added to their numbers."""
        faults: list[Fault | str] = [
            replace(each, pair=each.pair + pairs) if isinstance(each, Fault) and each.pair else each
            for each in self.faults
        ]
        return InputError(faults)


class MissingDataError(InputError):
    """Official data that was not found."""


class LostWorkersError(InputError):
    """Worker processes that ended before their work was done."""


def visible(text: str) -> str:
    r"""Return a text with escapes for the characters that a terminal acts on instead of showing.

    Newlines and TABs are kept.
    """
    return _UNSEEN.sub(lambda match: ascii(match[0])[1:-1], text)


def shown(text: bytes | str, longest: int = 40) -> str:
    r"""Return `text` quoted, on one line, shortened to `longest` characters."""
    if isinstance(text, bytes):
        text = text[: 4 * longest].decode("utf-8", "backslashreplace")
    return ascii(text if len(text) <= longest else text[: longest - 3] + "...")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like `name`, if one is."""
    by_lower_case = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), by_lower_case, n=1)
    return by_lower_case[found[0]] if found else None


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return ", did you mean 'X'?" for the nearest known name, or ""."""
    meant = nearest(name, known)
    return f", did you mean {meant!r}?" if meant else ""


def unknown(kind: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for a `name` that is none of the `known` ones."""
    names = list(known)
    hint = suggestion(str(name), names) or "."
    return InputError(f"there is no {kind} {name!r}{hint} There are: {', '.join(names)}.")
