"""The command ``empirisk report``: models of a table, compared and told."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from empirisk.cli import guard
from empirisk.cli.options import (
    Data,
    Debug,
    Decimal,
    Delimiter,
    Encoding,
    Header,
    Missing,
    Quiet,
    Seed,
    Strict,
    TimeLimit,
    Types,
    pairs,
)

__all__ = ["report"]


def report(
    data: Data,
    target: Annotated[
        list[str],
        typer.Option(help="Column to predict; given more than once: a report each, and their list."),
    ],
    out: Annotated[Path | None, typer.Option(help="Folder of the report; DATA-report when left out.")] = None,
    types: Types = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out; may be given more than once.")
    ] = None,
    missing: Missing = None,
    task: Annotated[str | None, typer.Option(help="binary, multiclass or regression.")] = None,
    positive: Annotated[str | None, typer.Option(help="Class whose probability is reported.")] = None,
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    header: Header = None,
    group: Annotated[str | None, typer.Option(help="Column whose rows belong together.")] = None,
    time: Annotated[str | None, typer.Option(help="Column that orders the rows in time.")] = None,
    gap: Annotated[
        float, typer.Option(help="With --time: days (units of numbers) between training and scored rows.")
    ] = 0.0,
    exposure: Annotated[
        str | None, typer.Option(help="Column over which the target is counted: the models are of rates.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of what each row counts.")] = None,
    test: Annotated[Path | None, typer.Option(help="File whose rows are the test part.")] = None,
    seed: Seed = 0,
    level: Annotated[float, typer.Option(help="Of all intervals.")] = 0.95,
    time_limit: TimeLimit = None,
    models: Annotated[
        str | None,
        typer.Option(
            help="Kinds to try, such as linear,tree: linear, tree, boosting, forest, neighbors, kernel,"
            " bayes, network."
        ),
    ] = None,
    strict: Strict = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Fit and compare models of a table; write report.html, report.json, report.md and the model file."""
    from empirisk.data.deadline import Deadline
    from empirisk.report.options import Options
    from empirisk.report.run import run_report
    from empirisk.report.targets import run_targets

    options = Options(
        data=data,
        target=target[0],
        out=out,
        types=pairs(types or [], "--types"),
        drop=tuple(drop or ()),
        missing=tuple(missing or ()),
        task=task,
        positive=positive,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        header=header,
        group=group,
        time=time,
        gap=gap,
        exposure=exposure,
        weight=weight,
        test=test,
        seed=seed,
        level=level,
        time_limit=time_limit,
        models=models,
        quiet=quiet,
    )
    # The command counts from its start; a second command in one process, from its own.
    deadline = Deadline(time_limit, guard.started())
    say = (lambda line: None) if quiet else typer.echo
    if len(target) > 1:
        guard.finish(run_targets(options, target, say, deadline), strict, debug)
    else:
        guard.finish(run_report(options, say, deadline), strict, debug)
