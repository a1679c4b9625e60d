"""The command for the published tables."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stsbaselines.cli.console import FormatOption, JsonOption, example, format_of, say
from stsbaselines.errors import InputError

if TYPE_CHECKING:
    from stsbaselines.reference.published import Table

app = typer.Typer()


@app.command(epilog=example("tables sts2015 --top 5"))
def tables(
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="A task, or the name of a table.")
    ] = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
    team: Annotated[
        str,
        typer.Option(
            metavar="TEXT", help="Only runs with this text in the name of the run or team."
        ),
    ] = "",
    unsupervised: Annotated[
        bool, typer.Option("--unsupervised", help="Only runs that the paper marks as unsupervised.")
    ] = False,
    top: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the N best, in order.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also plot one table: .svg, .png or .pdf.")
    ] = None,
    significance: Annotated[
        bool,
        typer.Option(
            "--significance", help="For each run, the first one below that differs (Fisher's z)."
        ),
    ] = False,
    column: Annotated[
        str | None,
        typer.Option(metavar="C", help="With --significance: which numbers are compared."),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option("--n", metavar="N", help="With --significance: the number of pairs."),
    ] = None,
    tails: Annotated[
        int | None, typer.Option(metavar="1|2", help="With --significance: 1 (default) or 2.")
    ] = None,
) -> None:
    """Print the published tables of a task, or list all tables."""
    from stsbaselines.io.files import to_json
    from stsbaselines.reference import published as reference
    from stsbaselines.reference.ranking import name_of, select_from
    from stsbaselines.reports.tables import Format, render
    from stsbaselines.reports.text import differences_text, tables_text

    style = format_of(format, as_json)
    if not significance and (column or pairs or tails):
        raise InputError("--column, --n and --tails are for --significance.")
    whole = reference.tables_of(task)
    found = select_from(whole, team, unsupervised, top)
    if plot is not None:
        from stsbaselines.reports.rank_plot import plot_table

        chosen = _only(found, task, "a plot")
        is_selected = bool(team or unsupervised or top)
        plot_table(reference.table(chosen.name), plot, chosen.rows if is_selected else ())
    if significance:
        from stsbaselines.evaluation.table_significance import table_significance

        chosen = _only(whole, task, "--significance")
        differences = table_significance(chosen, column, pairs, tails or 1)
        names = [name_of(row) for row in select_from([chosen], team, unsupervised)[0].rows]
        runs = [each for each in differences.runs if each.run in names][:top]
        differences = replace(differences, runs=tuple(runs))
        is_json = style is Format.json
        say(to_json(differences.to_dict()) if is_json else differences_text(differences, style))
    elif task is None:
        say(render([table.summary() for table in found], style))
    elif style is Format.json:
        say(to_json([{**table.summary(), "rows": table.cells()} for table in found]))
    elif style is Format.csv:
        say(render(_only(found, task, "CSV").cells(), style))
    else:
        say(tables_text(found, style))


def _only(found: "list[Table]", task: str | None, purpose: str) -> "Table":
    """Return the only table, or the one of that name."""
    single = found if len(found) == 1 else [each for each in found if each.name == task]
    if not single:
        names = ", ".join(table.name for table in found)
        several = f"{task} has several tables" if task else "there are several tables"
        raise InputError(f"{several}; for {purpose}, name one of them: {names}.")
    return single[0]
