"""The command ``empirisk cluster``: groups of rows of a table, if there are any."""

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

__all__ = ["cluster"]


def cluster(
    data: Data,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the report; DATA-clusters when left out.")
    ] = None,
    types: Types = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that does not choose the clusters; the profile shows it. As often as needed."
        ),
    ] = None,
    missing: Missing = None,
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--id", help="Column that names the rows, kept in labels.csv; may be given more than once."
        ),
    ] = None,
    ks: Annotated[str, typer.Option(help="Numbers of clusters to try, such as 2-8 or 3,5.")] = "2-8",
    delimiter: Delimiter = None,
    decimal: Decimal = None,
    encoding: Encoding = None,
    header: Header = None,
    seed: Seed = 0,
    level: Annotated[
        float, typer.Option(help="Of all intervals; no clusters are refuted at 1 - level.")
    ] = 0.95,
    time_limit: TimeLimit = None,
    strict: Strict = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Look for clusters of rows; write report.html, report.json, report.md, labels.csv and the model file."""
    from empirisk.data.deadline import Deadline
    from empirisk.report.clusters.options import ClusterOptions
    from empirisk.report.run_clusters import run_clusters

    options = ClusterOptions(
        data=data,
        out=out,
        types=pairs(types or [], "--types"),
        drop=tuple(drop or ()),
        missing=tuple(missing or ()),
        id=tuple(ids or ()),
        ks=ks,
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        header=header,
        seed=seed,
        level=level,
        time_limit=time_limit,
        quiet=quiet,
    )
    deadline = Deadline(time_limit, guard.started())
    guard.finish(run_clusters(options, (lambda line: None) if quiet else typer.echo, deadline), strict, debug)
