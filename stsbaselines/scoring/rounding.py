"""Comparing a computed number with a printed one, as the organisers rounded."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

SCRIPT_DECIMALS = 5


def printed(value: float, decimals: int, script_decimals: int = SCRIPT_DECIMALS) -> Decimal:
    """Round `value` as the task papers do: to the script's decimals, then half up.

    The official scripts print ``%.5f`` (iSTS: ``%.4f``); the tables are that print rounded again.

    Examples
    --------
    >>> printed(0.7038483, 4)
    Decimal('0.7039')
    """
    if decimals >= script_decimals:
        return Decimal(f"{value:.{decimals}f}")
    as_script = Decimal(f"{value:.{script_decimals}f}")
    return as_script.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


def agrees(value: float | None, published: Decimal, script_decimals: int = SCRIPT_DECIMALS) -> bool:
    """Return whether `value` rounds to every printed digit of `published`; None never does.

    Examples
    --------
    >>> agrees(0.7984471, Decimal("0.7985")), agrees(None, Decimal("0.0000"))
    (True, False)
    """
    exponent = published.as_tuple().exponent
    if value is None or not isinstance(exponent, int):  # of NaN it is a letter
        return False
    return printed(value, max(0, -exponent), script_decimals) == published
