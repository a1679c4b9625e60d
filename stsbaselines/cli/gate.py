"""The command that guards against regressions, for continuous integration."""

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from xml.etree import ElementTree  # nosec B405

import typer

from stsbaselines.cli.console import (
    CacheOption,
    ColumnsOption,
    DataDir,
    DataSetName,
    EncodeArgsOption,
    EncoderOption,
    FormatOption,
    JsonOption,
    PredictorOption,
    SplitOption,
    VectorsOption,
    complete_tasks,
    example,
    format_of,
    parameters_of,
    progress_bar,
    say_results,
    task_of,
)

if TYPE_CHECKING:
    from stsbaselines.evaluation.gate import GateResult

app = typer.Typer()


@app.command(epilog=example("gate sts2015 --encoder mine:encoder --against main.json"))
def gate(
    task: Annotated[
        str,
        typer.Argument(
            metavar="TASK",
            help="Such as sts2015, a file of sentences and scores, or row.",
            autocompletion=complete_tasks,
        ),
    ],
    path: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="An output file or folder, or NAME=PATH."),
    ] = None,
    predictor: PredictorOption = None,
    encoder: EncoderOption = None,
    encode_args: EncodeArgsOption = None,
    cache: CacheOption = None,
    vectors: VectorsOption = None,
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The stored scores to compare with.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Store the scores of this system.")
    ] = None,
    margin: Annotated[
        float, typer.Option(metavar="X", min=0, max=1, help="A loss up to this is accepted.")
    ] = 0.002,
    convention: Annotated[
        str | None, typer.Option(metavar="NAME", help="Such as SimCSE; default: the official one.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the result as JUnit XML.")
    ] = None,
    dataset: DataSetName = None,
    columns: ColumnsOption = None,
    split: SplitOption = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
    data_dir: DataDir = None,
) -> None:
    """Fail if a system is worse than its stored scores.

    The exit status is 1 for a loss above the margin that the paired bootstrap finds significant.
    In a GitHub workflow, the result is also added to the step summary.
    """
    from stsbaselines.evaluation import systems
    from stsbaselines.evaluation.gate import ROW
    from stsbaselines.evaluation.gate import gate as compare_with_stored

    style = format_of(format, as_json)
    arguments = parameters_of(encode_args, "--encode-args")
    with redirect_stdout(sys.stderr), progress_bar(None) as progress:  # what the user's code prints
        named = systems.from_arguments(
            path or [], predictor or [], encoder or [], vectors or [], arguments
        )
        entry = ROW if task == ROW else task_of(task, columns, split)
        found = compare_with_stored(
            entry, named, against, margin, convention, save, dataset, data_dir, progress, cache
        )
    if junit is not None:
        _write_junit(junit, found)
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        with Path(summary).open("a", encoding="utf-8") as stream:
            stream.write(f"- {found}\n")
    say_results(found, style, str)
    if found.is_loss:
        raise typer.Exit(1)


def _write_junit(path: Path, found: "GateResult") -> None:
    from stsbaselines.io.files import write_bytes

    counts = {"name": "stsbaselines gate", "tests": "1", "failures": str(int(found.is_loss))}
    suite = ElementTree.Element("testsuite", counts)
    name = f"{found.convention} of {found.system}"
    case = ElementTree.SubElement(suite, "testcase", classname=found.task, name=name)
    if found.is_loss:
        ElementTree.SubElement(case, "failure", message=str(found))
    write_bytes(path, ElementTree.tostring(suite, "utf-8", xml_declaration=True))
