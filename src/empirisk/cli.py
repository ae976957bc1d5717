"""The command line: ``empirisk report``, ``cluster``, ``predict``, ``verify``, ``inspect`` and others."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = ["app", "main"]

_BEGAN = [time.perf_counter()]  # a time limit counts from here: loading the libraries is part of it

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=(
        "Fit, report and check models of tables, with a certificate for every fit and an interval for every"
        " number. Exit codes: 0 done; 1 the reader of a pipe went away; 2 wrong input, said in one sentence;"
        " 3 a serious finding with --strict, or a model that cannot be verified; 70 an error inside empirisk;"
        " 130 interrupted."
    ),
)
WRONG, SERIOUS, INTERRUPTED, BROKEN = 2, 3, 130, 70  # exit codes; 130 is what shells use for Ctrl-C

# The kinds of empirisk.report.read.table that a user may ask for; it is loaded only when a command runs.
KINDS = "number, boolean, categorical, text, date, id"

Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def whole(text: str) -> int:
    """Return a whole number as written: 1000000, 1e6 or 2^20."""
    from empirisk.bounds.calculator import whole_number

    try:
        return whole_number(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def guarded(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors into one sentence and an exit code: 2 for the user's, 130 for Ctrl-C, 70 for ours."""

    @wraps(command)
    def run(*args: Any, debug: bool = False, **kwargs: Any) -> Any:
        from empirisk.report.errors import DataError

        try:
            return command(*args, debug=debug, **kwargs)
        except (typer.Exit, BrokenPipeError):  # typer ends in silence with 1 where the reader went away
            raise
        except KeyboardInterrupt:
            complain("Interrupted: nothing was written.")
            raise typer.Exit(INTERRUPTED) from None
        except DataError as error:
            trace(debug)
            complain(f"Error: {error}")
            raise typer.Exit(WRONG) from None
        except MemoryError:
            trace(debug)
            complain(
                "Error: the memory of this machine does not hold these data: use fewer rows or columns"
                " (--drop)"
            )
            raise typer.Exit(WRONG) from None
        except Exception as error:
            trace(debug)
            text = " ".join(str(error).split())
            complain(
                f"Error inside empirisk ({type(error).__name__}: {text}): please report it; --debug shows"
                " where"
            )
            raise typer.Exit(BROKEN) from None

    return run


def started() -> float:
    """When this command began: when the program did, for the first command of a process."""
    return _BEGAN.pop() if _BEGAN else time.perf_counter()


def complain(text: str) -> None:
    """Print one sentence to the standard error."""
    typer.echo(text if text.endswith((".", "?", "!")) else f"{text}.", err=True)


def trace(debug: bool) -> None:
    """Print the traceback when it was asked for."""
    if debug:
        traceback.print_exc(file=sys.stderr)


def pairs(values: list[str], option: str) -> dict[str, str]:
    """Split ``COLUMN=KIND`` values; the last ``=`` counts, because names may hold one."""
    from empirisk.report.errors import DataError

    out = {}
    for value in values:
        name, equals, kind = value.rpartition("=")
        if not equals or not name or not kind:
            raise DataError(
                f"{option} {value!r} must have the form COLUMN=KIND, such as {option} age=categorical"
            )
        out[name] = kind
    return out


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    """Show the version, or go on to the command that was asked for."""
    if version:
        from empirisk import __version__

        typer.echo(f"empirisk {__version__}")
        raise typer.Exit


@app.command()
@guarded
def report(
    data: Annotated[Path, typer.Argument(help=".csv, .tsv or .txt (also .gz), .parquet or .jsonl")],
    target: Annotated[str, typer.Option(help="Column to predict.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the report; DATA-report when left out.")] = None,
    types: Annotated[
        list[str] | None, typer.Option(help=f"COLUMN=KIND, KIND one of {KINDS}; may be given more than once.")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out; may be given more than once.")
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE[,COLUMN]",
            help="Value that stands for missing, such as -200 or 999,age; may be given more than once.",
        ),
    ] = None,
    task: Annotated[str | None, typer.Option(help="binary, multiclass or regression.")] = None,
    positive: Annotated[str | None, typer.Option(help="Class whose probability is reported.")] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="Between the fields of a text file, such as , ; | or tab.")
    ] = None,
    decimal: Annotated[str | None, typer.Option(help="Decimal mark, . or ,")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a text file, such as cp1252.")] = None,
    header: Annotated[bool | None, typer.Option(help="Whether the first line holds names.")] = None,
    group: Annotated[str | None, typer.Option(help="Column whose rows belong together.")] = None,
    time: Annotated[str | None, typer.Option(help="Column that orders the rows in time.")] = None,
    test: Annotated[Path | None, typer.Option(help="File whose rows are the test part.")] = None,
    seed: Annotated[int, typer.Option(help="Of every random choice.")] = 0,
    level: Annotated[float, typer.Option(help="Of all intervals.")] = 0.95,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds; less is done to keep it, and said.")
    ] = None,
    models: Annotated[
        str | None,
        typer.Option(
            help="Kinds to try, such as linear,tree: linear, tree, boosting, forest, neighbors, kernel,"
            " bayes, network."
        ),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 3 after a serious finding.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    debug: Debug = False,
) -> None:
    """Fit and compare models of a table; write report.html, report.json, report.md and the model file."""
    from empirisk.data.deadline import Deadline
    from empirisk.report.options import Options
    from empirisk.report.run import run_report

    options = Options(
        data=data,
        target=target,
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
        test=test,
        seed=seed,
        level=level,
        time_limit=time_limit,
        models=models,
        quiet=quiet,
    )
    # The command counts from its start; a second command in one process, from its own.
    deadline = Deadline(time_limit, started())
    finish(run_report(options, (lambda line: None) if quiet else typer.echo, deadline), strict, debug)


@app.command()
@guarded
def cluster(
    data: Annotated[Path, typer.Argument(help=".csv, .tsv or .txt (also .gz), .parquet or .jsonl")],
    out: Annotated[
        Path | None, typer.Option(help="Folder of the report; DATA-clusters when left out.")
    ] = None,
    types: Annotated[
        list[str] | None, typer.Option(help=f"COLUMN=KIND, KIND one of {KINDS}; may be given more than once.")
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that does not choose the clusters; the profile shows it. As often as needed."
        ),
    ] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VALUE[,COLUMN]",
            help="Value that stands for missing, such as -200 or 999,age; may be given more than once.",
        ),
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--id", help="Column that names the rows, kept in labels.csv; may be given more than once."
        ),
    ] = None,
    ks: Annotated[str, typer.Option(help="Numbers of clusters to try, such as 2-8 or 3,5.")] = "2-8",
    delimiter: Annotated[
        str | None, typer.Option(help="Between the fields of a text file, such as , ; | or tab.")
    ] = None,
    decimal: Annotated[str | None, typer.Option(help="Decimal mark, . or ,")] = None,
    encoding: Annotated[str | None, typer.Option(help="Of a text file, such as cp1252.")] = None,
    header: Annotated[bool | None, typer.Option(help="Whether the first line holds names.")] = None,
    seed: Annotated[int, typer.Option(help="Of every random choice.")] = 0,
    level: Annotated[
        float, typer.Option(help="Of all intervals; no clusters are refuted at 1 - level.")
    ] = 0.95,
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds; less is done to keep it, and said.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit code 3 after a serious finding.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
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
    deadline = Deadline(time_limit, started())
    finish(run_clusters(options, (lambda line: None) if quiet else typer.echo, deadline), strict, debug)


def finish(outcome: Any, strict: bool, debug: bool) -> None:
    """Show the errors of sections where asked, and leave with 3 after a serious finding."""
    if debug:
        for error in outcome.errors:
            traceback.print_exception(error, file=sys.stderr)
    if strict and outcome.serious:
        complain(f"Serious finding (--strict): {outcome.serious[0]}")
        raise typer.Exit(SERIOUS)


@app.command()
@guarded
def predict(
    model: Annotated[Path, typer.Argument(help="model.empirisk of a report")],
    data: Annotated[Path, typer.Argument(help="Rows to predict.")],
    out: Annotated[Path, typer.Option(help="File of the predictions: .csv, .tsv or .parquet.")],
    debug: Debug = False,
) -> None:
    """Predict every row of a file with the model of a report."""
    from empirisk.report.saved.model_file import load
    from empirisk.report.saved.predict import predict_file, reading_lines, said

    loaded = load(model)
    table, frame = predict_file(loaded, data, out)
    for line in [
        *reading_lines(loaded, table),
        said(frame, loaded.classes),
        f"Predictions: {out}   ({frame.height:,} rows)",
    ]:
        typer.echo(line)


@app.command()
@guarded
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


@app.command()
@guarded
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


@app.command()
@guarded
def samples(
    vc: Annotated[
        int | None, typer.Option(parser=whole, metavar="INTEGER", help="VC dimension of the class.")
    ] = None,
    classes: Annotated[
        int | None,
        typer.Option(
            parser=whole, metavar="INTEGER", help="Size of a finite class, such as 3^10, instead of --vc."
        ),
    ] = None,
    parameters: Annotated[
        int | None,
        typer.Option(
            parser=whole, metavar="INTEGER", help="Number of 64-bit parameters of a model, instead of --vc."
        ),
    ] = None,
    epsilon: Annotated[float, typer.Option(help="Tolerance of the risk.")] = 0.05,
    delta: Annotated[float, typer.Option(help="Probability of failure.")] = 0.05,
    rate: Annotated[float, typer.Option(help="Error rate expected of a model.")] = 0.1,
    loss_range: Annotated[float, typer.Option("--range", help="Length of the interval of the losses.")] = 1.0,
    simulate: Annotated[bool, typer.Option(help="Run the simulations (seconds).")] = True,
    seed: Annotated[int, typer.Option(help="Of the simulations.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The table as JSON.")] = False,
    debug: Debug = False,
) -> None:
    """How many rows: what each theorem asks for, and what simulated learning needs."""
    from empirisk.bounds import sample_sizes

    found = as_asked(
        sample_sizes,
        vc=vc,
        classes=classes,
        parameters=parameters,
        epsilon=epsilon,
        delta=delta,
        rate=rate,
        loss_range=loss_range,
        simulate=simulate,
        random_state=seed,
        progress=lambda line: complain(f"{line} (--no-simulate leaves them out)"),
    )
    say(found, as_json)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
@guarded
def bound(
    context: typer.Context,
    theorem: Annotated[str | None, typer.Argument(help="Its name, such as hoeffding; see --list.")] = None,
    n: Annotated[
        int | None,
        typer.Option("--n", parser=whole, metavar="INTEGER", help="Number of rows, such as 5000 or 1e6."),
    ] = None,
    epsilon: Annotated[float | None, typer.Option(help="Tolerance.")] = None,
    delta: Annotated[float | None, typer.Option(help="Probability of failure.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="Show the theorems and their options.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The answer as JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Solve a theorem for the one of --n, --epsilon, --delta that is not given; it may have more options."""
    from empirisk.bounds import REGISTRY, evaluate_bound, list_bounds
    from empirisk.report.errors import DataError

    if listed:
        typer.echo("\n".join(list_bounds(REGISTRY)))
        return
    if theorem is None:
        raise DataError("name a theorem, such as hoeffding: empirisk bound --list shows them all")
    given = {"n": n, "epsilon": epsilon, "delta": delta}
    say(as_asked(evaluate_bound, REGISTRY, theorem, context.args, **given), as_json)


def as_asked(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function of which every ValueError is about what the user asked for."""
    from empirisk.report.errors import DataError

    try:
        return function(*args, **kwargs)
    except ValueError as error:
        raise DataError(str(error)) from None


def say(found: Any, as_json: bool) -> None:
    """Print a result, as text or as JSON."""
    import json

    typer.echo(json.dumps(found.to_dict(), indent=1, ensure_ascii=False) if as_json else str(found))


def main() -> None:
    """Entry point of the ``empirisk`` command."""
    app()


if __name__ == "__main__":
    main()
