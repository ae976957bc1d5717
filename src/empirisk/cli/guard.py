"""How a command ends: one sentence and an exit code for every error, and when it began."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

import typer

__all__ = ["BROKEN", "INTERRUPTED", "SERIOUS", "WRONG", "complain", "finish", "guarded", "started"]

_BEGAN = [time.perf_counter()]  # a time limit counts from here: loading the libraries is part of it
WRONG, SERIOUS, INTERRUPTED, BROKEN = 2, 3, 130, 70  # exit codes; 130 is what shells use for Ctrl-C


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


def finish(outcome: Any, strict: bool, debug: bool) -> None:
    """Show the errors of sections where asked, and leave with 3 after a serious finding."""
    if debug:
        for error in outcome.errors:
            traceback.print_exception(error, file=sys.stderr)
    if strict and outcome.serious:
        complain(f"Serious finding (--strict): {outcome.serious[0]}")
        raise typer.Exit(SERIOUS)
