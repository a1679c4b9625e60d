"""The commands that list what there is, and describe data sets."""

from pathlib import Path
from typing import Annotated

import typer

from stsbaselines.cli.console import (
    ColumnsOption,
    DataDir,
    DataSetName,
    FormatOption,
    JsonOption,
    SplitOption,
    TaskName,
    example,
    format_of,
    say,
    say_aside,
    say_results,
    task_of,
)

app = typer.Typer()


@app.command("list", epilog=example("list"))
def list_all(format: FormatOption = "text", as_json: JsonOption = False) -> None:
    """List tasks, baselines, configurations and published tables."""
    from stsbaselines import baselines
    from stsbaselines.data.catalogue import find_task, outside_tasks, task_names
    from stsbaselines.experiments.config import config_names, read_config
    from stsbaselines.reference.published import tables_of
    from stsbaselines.reports.tables import Format, render

    style = format_of(format, as_json)
    tasks = {name: find_task(name).title for name in [*task_names(), *outside_tasks()]}
    about = {name: baselines.find(name).__doc__ or "" for name in baselines.names()}
    configs = {
        name: ", ".join(each.title for each in read_config(name).baselines)
        for name in config_names()
    }
    kinds = {
        "task": tasks,
        "baseline": {name: text.partition("\n")[0] for name, text in about.items()},
        "configuration": configs,
        "table": {table.name: table.title for table in tables_of()},
    }
    rows = [
        {"kind": kind, "name": name, "about": text}
        for kind, several in kinds.items()
        for name, text in several.items()
    ]
    if style is not Format.text:
        say(render(rows, style))
        return
    width = max(len(row["name"]) for row in rows)
    for kind, several in kinds.items():
        lines = [f"  {name:<{width}}  {text}" for name, text in several.items()]
        say("\n".join([f"{kind}s", *lines, ""]))


@app.command(epilog=example("describe sts2015"))
def describe(
    task: TaskName,
    dataset: DataSetName = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also plot scores and lengths: .svg, .png or .pdf."),
    ] = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
    columns: ColumnsOption = None,
    split: SplitOption = None,
    data_dir: DataDir = None,
) -> None:
    """Count what is in the data sets of a task.

    Lines, scored and distinct pairs, sentences, tokens, lengths, and gold scores.
    """
    from stsbaselines.evaluation.description import describe as describe_task
    from stsbaselines.reports.text import description_text

    style = format_of(format, as_json)
    found = describe_task(task_of(task, columns, split), dataset, data_dir)
    if plot is not None:
        from stsbaselines.reports.plots import histograms, save

        save(histograms(found), plot)
        say_aside(f"wrote {plot}")
    say_results(found, style, description_text)
