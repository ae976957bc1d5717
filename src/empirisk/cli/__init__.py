"""The command line: ``empirisk report``, ``cluster``, ``predict``, ``verify``, ``inspect`` and others."""

from __future__ import annotations

from typing import Annotated

import typer

from empirisk.cli import waiting  # noqa: F401  before all that loads OpenMP

# isort: split
from empirisk.cli.bounds import bound, samples
from empirisk.cli.cluster import cluster
from empirisk.cli.guard import guarded
from empirisk.cli.report import report
from empirisk.cli.saved import inspect, predict, verify

__all__ = ["app", "main"]

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


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[bool, typer.Option("--version", help="Show the version and leave.")] = False,
) -> None:
    """Show the version, or go on to the command that was asked for."""
    if version:
        from empirisk import __version__

        typer.echo(f"empirisk {__version__}")
        raise typer.Exit


for command in (report, cluster, predict, verify, inspect, samples):
    app.command()(guarded(command))
# A theorem may have options of its own, which it reads itself.
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(guarded(bound))


def main() -> None:
    """Entry point of the ``empirisk`` command."""
    app()
