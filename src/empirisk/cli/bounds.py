"""The commands about theorems: ``empirisk samples`` and ``bound``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from empirisk.cli.guard import complain
from empirisk.cli.options import Debug, Seed, whole

__all__ = ["bound", "samples"]


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
    seed: Seed = 0,
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
