"""The commands about a saved model: ``empirisk predict``, ``verify`` and ``inspect``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from empirisk.cli.guard import SERIOUS
from empirisk.cli.options import Debug

__all__ = ["inspect", "predict", "verify"]


def predict(
    model: Annotated[Path, typer.Argument(help="model.empirisk of a report")],
    data: Annotated[Path, typer.Argument(help="Rows to predict.")],
    out: Annotated[Path, typer.Option(help="File of the predictions: .csv, .tsv or .parquet.")],
    exposure: Annotated[
        float | None,
        typer.Option(help="Of every row, in the place of the column; 1 gives rates."),
    ] = None,
    debug: Debug = False,
) -> None:
    """Predict every row of a file with the model of a report."""
    from empirisk.report.saved.model_file import load
    from empirisk.report.saved.predict import predict_file, reading_lines, said

    loaded = load(model)
    table, frame = predict_file(loaded, data, out, exposure)
    for line in [
        *reading_lines(loaded, table),
        said(frame, loaded.classes),
        f"Predictions: {out}   ({frame.height:,} rows)",
    ]:
        typer.echo(line)


def verify(
    model: Annotated[Path, typer.Argument(help="model.empirisk of a report")],
    data: Annotated[Path, typer.Argument(help="The data of the report, or other rows with the target.")],
    debug: Debug = False,
) -> None:
    """Prove the fit again on the data of the report, and score the model on data."""
    from empirisk.report.saved.model_file import load
    from empirisk.report.saved.verify_file import verify_file, verify_lines

    loaded = load(model)
    found = verify_file(loaded, loaded.read(data, labelled=True))
    for line in verify_lines(found):
        typer.echo(line)
    if found.proved is False:
        raise typer.Exit(SERIOUS)


def inspect(
    model: Annotated[Path, typer.Argument(help="model.empirisk of a report")],
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Show what a model file says about its model; nothing in it is executed."""
    import json

    from empirisk.report.saved.inspect_file import inspect_lines
    from empirisk.report.saved.model_file import read_metadata

    metadata = read_metadata(model)
    if as_json:
        typer.echo(json.dumps(metadata, indent=1, ensure_ascii=False))
        return
    for line in inspect_lines(metadata):
        typer.echo(line)
