"""The commands that train: `stsbaselines train`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from stsbaselines.cli.console import (
    DataDir,
    Jobs,
    ParameterOption,
    example,
    parameters_of,
    progress_bar,
    say,
    say_aside,
)
from stsbaselines.errors import InputError
from stsbaselines.evaluation.trained_models import (
    CORPORA,
    PAIRS,
    TRAINED_ON_CORPORA,
    TRAINED_ON_PAIRS,
    model_name,
)

train_app = typer.Typer(help="Train models.", no_args_is_help=True)


@train_app.command(
    "typed-tfidf", epilog=example("train typed-tfidf --records records.jsonl.gz -o my-idf")
)
def train_typed_tfidf(
    records: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="Records: one JSON object per line (also .gz)."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="New folder.")],
    parameter: ParameterOption = None,
) -> None:
    """Count the words of item records, for typed similarity."""
    from stsbaselines.experiments.models import train_on_catalogues
    from stsbaselines.io.files import check_new

    check_new(out)
    model = train_on_catalogues(records, **parameters_of(parameter))
    model.save(out)
    for name, each in model.corpora_.items():
        say(f"{Path(name).name}: {each['records']:,} records")
    say(f"wrote {out}")


ModelOut = Annotated[
    Path | None,
    typer.Option("-o", "--out", metavar="DIR", help="New folder; by default in the user's cache."),
]


def train_on_corpora(
    context: typer.Context,
    corpus: Annotated[
        list[str],
        typer.Option(metavar="NAME", help="A corpus, or a file with one sentence per line."),
    ] = list(CORPORA),  # noqa: B006 - typer copies it
    out: ModelOut = None,
    parameter: ParameterOption = None,
    data_dir: DataDir = None,
) -> None:
    """Train a baseline on corpora."""
    from stsbaselines.data.corpora import corpus_names
    from stsbaselines.experiments import models as training

    baseline = str(context.info_name)
    is_usual = not parameter and set(corpus) <= set(corpus_names())
    target = _model_folder(out, model_name(baseline, corpus) if is_usual else "")
    usual = {"verbose": sys.stderr.isatty(), "n_jobs": -1} if baseline == "wtmf" else {}
    parameters = {"random_state": 0, **usual, **parameters_of(parameter)}
    model = training.train_on_corpora(baseline, corpus, data_dir, parameters)
    defaults = type(model)().get_params()
    model.set_params(**{name: defaults[name] for name in usual}).save(target)
    for name, each in model.corpora_.items():
        say(f"{Path(name).name}: {each['sentences']:,} sentences")
    say(f"wrote {target}")


def train_on_pairs(
    context: typer.Context,
    on: Annotated[
        list[str], typer.Option(metavar="TASK[/DATASET]", help="Labelled pairs; can be repeated.")
    ] = list(PAIRS),  # noqa: B006 - typer copies it
    out: ModelOut = None,
    parameter: ParameterOption = None,
    data_dir: DataDir = None,
    jobs: Jobs = 1,
) -> None:
    """Train a baseline on labelled pairs."""
    from stsbaselines.data.catalogue import task_names
    from stsbaselines.experiments import models as training

    baseline = str(context.info_name)
    is_usual = not parameter and {*on} <= {*task_names()}
    target = _model_folder(out, model_name(baseline, on) if is_usual else "")
    with progress_bar(None, "training"):
        model = training.train_on_pairs(baseline, on, data_dir, jobs, parameters_of(parameter))
    model.save(target)
    for note in training.notes_on_pairs(on, data_dir):
        say_aside(note)
    for name in training.datasets_of(on):
        count = model.trained_on_.get(name)
        say(f"{name}: {count:,} pairs" if count else f"{name}: left out, because it was not found")
    say(f"wrote {target}")


for _name in TRAINED_ON_CORPORA:
    train_app.command(
        _name,
        help=f"Train {_name} on corpora, by default with seed 0.",
        epilog=example(f"train {_name} --corpus my-sentences.txt -o my-model"),
    )(train_on_corpora)
for _name in TRAINED_ON_PAIRS:
    train_app.command(
        _name, help=f"Train {_name} on labelled pairs.", epilog=example(f"train {_name} --jobs -1")
    )(train_on_pairs)


def _model_folder(out: Path | None, usual: str) -> Path:
    """Return the folder to write a model to; by default that of its usual name, if it has one."""
    from stsbaselines.data.find import cache_directory
    from stsbaselines.io.files import check_new, make_folder

    if out is None and not usual:
        raise InputError(
            "the cache is for models of the usual corpora, pairs and parameters:"
            " name a folder by -o."
        )
    target = out or cache_directory() / "models" / usual
    check_new(target)
    make_folder(target.parent)
    return target
