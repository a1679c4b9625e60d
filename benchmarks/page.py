"""The tables, the plot and the plan of ``docs/performance.md``, from ``performance.json``.

``python benchmarks/page.py [FOLDER]`` makes them again without measuring.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tabulate import tabulate

OURS, FAST, OURS_2, FAST_2 = (
    "stsbaselines", "stsbaselines, fast", "stsbaselines, 2 jobs", "stsbaselines, fast, 2 jobs",
)  # fmt: skip
FLOOR, LOOP = "read and write only", "loop over sets"
BILLION, OUTPUT_BYTES, BLOCK_BYTES = 10**9, 13, 1 << 19
MOST_MEGABYTES, FLAT = 300, 1.05
PART_RATES = {
    "scoring 1,000,000 STS pairs: reading, checking, all measures": 500_000,
    "aligner and scorer of interpretable STS, given chunks": 2_000,
}
LIMITS = {
    "a network of 1 Gbit per second": 125e6,
    "a hard disk of 150 MB per second": 150e6,
    "a solid-state disk of 500 MB per second": 500e6,
}

Row = Mapping[str, Any]
Results = Mapping[str, Any]


def of(results: Results, way: str, pairs: int | None = None) -> Row:
    """Return what was measured of a way, at some number of pairs or the largest."""
    rows = [row for row in results["token_cosine"] if row["way"] == way]
    return next(row for row in reversed(rows) if pairs in (None, row["pairs"]))


def table(rows: Sequence[Mapping[str, object]]) -> str:
    """Return a table in Markdown."""
    return tabulate(rows, headers="keys", tablefmt="pipe", disable_numparse=True)


def about_machine(results: Results) -> str:
    """Say what was measured on what."""
    machine = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return (
        f"Measured on {machine['processor']} with {machine['cores']} cores, Python"
        f" {machine['python']}, {versions}. The pairs are {results['origin']}, repeated with"
        f" changed words; a pair has {results['bytes_per_pair']:.0f} bytes."
    )


def comparison(results: Results) -> str:
    """Return a table of all ways for each number of pairs, the largest first."""
    counts = sorted({row["pairs"] for row in results["token_cosine"]}, reverse=True)
    return "\n\n".join(f"### {count:,} pairs\n\n{_compared(results, count)}" for count in counts)


def _compared(results: Results, count: int) -> str:
    loop, floor = (of(results, way, count) for way in (LOOP, FLOOR))
    rows = [row for row in results["token_cosine"] if row["pairs"] == count]
    return table(
        [
            {
                "way": row["way"],
                "same scores": _same(row),
                "x loop, per core": f"{loop['cpu'] / row['cpu']:.2f}",
                "x loop, by the clock": f"{loop['wall'] / row['wall']:.2f}",
                "x time of the floor": f"{row['cpu'] / floor['cpu']:.1f}",
                "pairs per CPU second": f"{count / row['cpu']:,.0f}",
                "CPU s": f"{row['cpu']:.2f}",
                "clock s": f"{row['wall']:.2f}",
                "peak MB": f"{row['peak']:.0f}",
            }
            for row in sorted(rows, key=lambda row: float(row["cpu"]))
        ]
    )


def _same(row: Row) -> str:
    if row["way"] == FLOOR:
        return "none"
    return "yes" if row["same_scores"] else "another measure"


def goals(results: Results) -> str:
    """Return a table of what was aimed at and what came out."""
    rows = [*_against_the_loop(results), *_many_pairs(results), *_parts(results)]
    return table(rows)


def _aim(name: str, found: float, aim: float, unit: str = "", least: bool = True) -> Row:
    is_met = found >= aim if least else found <= aim
    shown = f"{found:,.2f}" if found < 100 else f"{found:,.0f}"
    return {
        "what": name,
        "aim": f"{'at least' if least else 'at most'} {aim:,}{unit}",
        "measured": f"{shown}{unit}",
        "met": "yes" if is_met else "**no**",
    }


def _against_the_loop(results: Results) -> Iterator[Row]:
    ours, fast, loop = (of(results, way) for way in (OURS, FAST, LOOP))
    pairs = f"{loop['pairs']:,} pairs"
    yield _aim(f"default path, x the loop per core, {pairs}", loop["cpu"] / ours["cpu"], 1.0)
    yield _aim(f"fast path, x the loop per core, {pairs}", loop["cpu"] / fast["cpu"], 2.5)


def _many_pairs(results: Results) -> Iterator[Row]:
    """Yield what is known of the largest number of pairs only; nothing if it was not measured."""
    rows = {(row["way"], row["pairs"]): row for row in results["memory"]}
    if not rows:
        return
    few, many = min(pairs for _, pairs in rows), max(pairs for _, pairs in rows)
    loop, ours, fast, two = (rows[way, many] for way in (LOOP, OURS, FAST, OURS_2))
    pairs = f"{many:,} pairs"
    yield _aim(f"default path, x the loop per core, {pairs}", loop["cpu"] / ours["cpu"], 1.0)
    yield _aim(f"fast path, x the loop per core, {pairs}", loop["cpu"] / fast["cpu"], 6.0)
    time = two["wall"] / ours["wall"]
    yield _aim(f"2 jobs, x the time of one job by the clock, {pairs}", time, 0.62, least=False)
    for way in (OURS, FAST, OURS_2, FAST_2):
        peak = rows[way, many]["peak"]
        yield _aim(f"memory at {pairs}: {way}", peak, MOST_MEGABYTES, " MB", least=False)
        ratio = peak / rows[way, few]["peak"]
        yield _aim(f"the same, x that at {few:,} pairs", ratio, FLAT, least=False)


def _parts(results: Results) -> Iterator[Row]:
    for row in results["others"]:
        least = PART_RATES.get(row["what"])
        if least and row["way"] == OURS:
            rate = row["count"] / row["seconds"]
            yield _aim(row["what"], rate, least, " pairs per CPU second")


def memory(results: Results) -> str:
    """Return a table of the peak memory against the number of pairs."""
    if not results["memory"]:
        return "This run was without many pairs."
    return table(
        [
            {
                "way": row["way"],
                "pairs": f"{row['pairs']:,}",
                "peak MB": f"{row['peak']:.0f}",
                "CPU s": f"{row['cpu']:.1f}",
                "clock s": f"{row['wall']:.1f}",
            }
            for row in results["memory"]
        ]
    )


def steps(results: Results) -> str:
    """Return a table of the steps of both paths."""
    count = results["steps"]["pairs"]
    floor = of(results, FLOOR, count)["cpu"]
    tables = []
    for kernel, way in (("python", OURS), ("numba", FAST)):
        whole, found = of(results, way, count)["cpu"], dict(results["steps"][kernel])
        found["blocks, checks, and what varies between runs"] = whole - sum(found.values())
        found["in all"] = whole
        found[f"{FLOOR} (the floor)"] = floor
        rows = [
            {"step": name, "of all": f"{taken / whole:.0%}", "CPU s": f"{taken:.2f}"}
            for name, taken in found.items()
        ]
        tables.append(f"`{way}`, {count:,} pairs:\n\n{table(rows)}")
    return "\n\n".join(tables)


def others(results: Results) -> str:
    """Return a table of the other parts, each way beside ours."""
    ours = {row["what"]: row["seconds"] for row in reversed(results["others"])}
    return table(
        [
            {
                "what": row["what"],
                "way": row["way"],
                "x our time": f"{row['seconds'] / ours[row['what']]:.2f}",
                "per CPU second": f"{row['count'] / row['seconds']:,.0f} {row['unit']}",
                "CPU s": f"{row['seconds']:.2f}",
            }
            for row in results["others"]
        ]
    )


def plan(results: Results) -> str:
    """Return what a billion pairs take, at the measured rates."""
    size = results["bytes_per_pair"]
    default, fast = (_cost(results, way, "cpu") for way in (OURS, FAST))
    passing = _cost(results, FAST_2, "first_cpu")
    one, two = of(results, OURS), of(results, OURS_2)
    needs = [
        ("core hours, default path", f"{default * BILLION / 3600:.1f}"),
        ("core hours, fast path", f"{fast * BILLION / 3600:.1f}"),
        ("input on disk, unpacked", f"{size * BILLION / 1e9:.0f} GB"),
        ("output on disk, as lines", f"{OUTPUT_BYTES * BILLION / 1e9:.0f} GB"),
        ("blocks of half a MiB", f"{size * BILLION / BLOCK_BYTES:,.0f}"),
        ("memory of the first process", f"{one['peak']:.0f} MB"),
        ("memory of each further one", f"{max(0.0, two['peak'] - one['peak']) / 2:.0f} MB"),
    ]
    rates = {"one core, default path": 1 / default, "one core, fast path": 1 / fast}
    rates |= {name: speed / (size + OUTPUT_BYTES) for name, speed in LIMITS.items()}
    rates["the one process that reads, hands out and writes"] = 1 / passing
    limits = [
        {
            "limit": name,
            "pairs per second": f"{rate:,.0f}",
            "hours for a billion": f"{BILLION / rate / 3600:.2f}",
            "cores that it feeds, default": f"{rate * default:.1f}",
            "fast": f"{rate * fast:.1f}",
        }
        for name, rate in sorted(rates.items(), key=lambda item: item[1])
    ]
    needed = [{"a billion pairs need": name, "": value} for name, value in needs]
    return f"{table(needed)}\n\n{table(limits)}"


def _cost(results: Results, way: str, name: str) -> float:
    """Return the seconds of one more pair: between the least and the most pairs measured."""
    rows = [row for row in results["token_cosine"] if row["way"] == way]
    few, many = rows[0], rows[-1]
    if len(rows) == 1 or many[name] <= few[name]:
        return float(many[name] / many["pairs"])
    return float((many[name] - few[name]) / (many["pairs"] - few["pairs"]))


def plot(results: Results, path: Path) -> None:
    """Draw the CPU time against the number of pairs, a line for each way."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    rows = results["token_cosine"]
    ways = sorted(
        {row["way"] for row in rows}, key=lambda way: (-float(of(results, way)["cpu"]), way)
    )
    with mpl.rc_context({"svg.hashsalt": "stsbaselines", "font.size": 9}):
        figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
        for number, way in enumerate(ways):
            mine = [row for row in rows if row["way"] == way]
            is_ours = way.startswith(OURS)
            axes.plot(
                [row["pairs"] for row in mine], [row["cpu"] for row in mine],
                "-" if is_ours else "--", marker="osv^DPX*"[number % 8], markersize=5,
                linewidth=2 if is_ours else 1.2, color=f"C{number % 10}",
                markerfacecolor=None if number < 10 else "white", label=way,
            )  # fmt: skip
        axes.set(xscale="log", yscale="log", xlabel="pairs", ylabel="CPU seconds, with start")
        axes.set_title("Token-cosine from file to file", loc="left")
        axes.grid(visible=True, which="major", alpha=0.4)
        figure.legend(loc="outside right upper", frameon=False, title="slowest first")
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def parts(results: Results) -> dict[str, str]:
    """Return what is generated, by the name that the page calls it."""
    return {
        "machine": about_machine(results),
        "token-cosine": comparison(results),
        "goals": goals(results),
        "steps": steps(results),
        "memory": memory(results),
        "others": others(results),
        "billion": plan(results),
    }


def write(folder: Path) -> None:
    """Draw the plot in a folder, and fill in the page if there is one."""
    results = json.loads((folder / "performance.json").read_text())
    plot(results, folder / "performance.svg")
    page = folder / "performance.md"
    if page.exists():
        text = page.read_text()
        for name, part in parts(results).items():
            begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
            before, found, rest = text.partition(begin)
            if found:
                text = f"{before}{begin}\n\n{part}\n\n{end}{rest.partition(end)[2]}"
        page.write_text(text)


if __name__ == "__main__":
    write(Path(sys.argv[1] if sys.argv[1:] else "docs"))
