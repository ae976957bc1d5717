"""How many rows: what each theorem asks for, and what empirical risk minimisation needs in simulations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from empirisk.bounds.base import Guarantee, check_count, check_real
from empirisk.bounds.chernoff_kl import chernoff_kl
from empirisk.bounds.clopper_pearson import clopper_pearson
from empirisk.bounds.discretisation import discretisation
from empirisk.bounds.finite_agnostic import finite_agnostic
from empirisk.bounds.finite_excess import finite_excess
from empirisk.bounds.finite_realizable import count, finite_realizable
from empirisk.bounds.finite_uniform import finite_uniform
from empirisk.bounds.fundamental_agnostic import fundamental_agnostic
from empirisk.bounds.fundamental_realizable import fundamental_realizable
from empirisk.bounds.ghost_excess import ghost_excess
from empirisk.bounds.ghost_realizable import ghost_realizable
from empirisk.bounds.ghost_training_error import ghost_training_error
from empirisk.bounds.ghost_uniform import ghost_uniform
from empirisk.bounds.growth import MAX_DIMENSION, Growing, log_growth
from empirisk.bounds.hoeffding import hoeffding
from empirisk.bounds.lower_agnostic import lower_agnostic
from empirisk.bounds.lower_realizable import lower_realizable
from empirisk.bounds.requirements import Requirement, SampleSizes
from empirisk.bounds.simulation import SimulatedRows, coins, hardest_coins, hardest_rare, seconds
from empirisk.bounds.vc_classical import vc_classical
from empirisk.bounds.vc_excess import vc_excess
from empirisk.bounds.vc_realizable import vc_realizable
from empirisk.bounds.vc_uniform import vc_uniform
from empirisk.bounds.words import one_row
from empirisk.data.seeds import Seed, check_form

__all__ = ["sample_sizes"]

NOISY = "Learn: excess risk over the best of the class"
CLEAN = "Learn when the class holds the truth, labels without noise: risk"
UNIFORM = "Trust every training error at once: distance to the risk"
CHECK = "Check one fixed model on fresh rows: distance of its error rate to the risk"
CHECK_LOSS = "Check one fixed model on fresh rows: distance of its mean loss to the risk"

# The longest simulation, in seconds, that is run without being asked for by its own name.
LONGEST = 3.0


def sample_sizes(
    *,
    vc: int | None = None,
    hypotheses: Growing | None = None,
    classes: int | None = None,
    parameters: int | None = None,
    epsilon: float = 0.05,
    delta: float = 0.05,
    rate: float = 0.1,
    loss_range: float = 1.0,
    simulate: bool = True,
    random_state: Seed = 0,
    progress: Callable[[str], None] | bool | None = None,
) -> SampleSizes:
    """Rows that theorems ask for, and rows that simulated empirical risk minimisation needs.

    Parameters
    ----------
    vc : int, optional
        VC dimension of the class.
    hypotheses : class, optional
        A class that knows its growth function (see ``er.hypotheses``), instead of `vc`.
    classes : int, optional
        Size of a finite class, instead of `vc`.
    parameters : int, optional
        Number of 64-bit parameters of a hypothesis, instead of `vc`. Without any of the four, only the rows
        that check one fixed model are computed.
    epsilon : float in (0, loss_range), default 0.05
        Tolerance of the risk.
    delta : float in (0, 1), default 0.05
        Probability of failure.
    rate : float in [0, 1], default 0.1
        Error rate expected of a model on the rows that check it, or on those that trained it.
    loss_range : float > 0, default 1
        Length of the interval that holds the losses. Theorems about the 0-1 loss, and the simulations, are
        left out when it is not 1.
    simulate : bool, default True
        Whether to run the simulations. They take up to 12 seconds; what would take longer is left out, with
        a sentence.
    random_state : int, Generator, RandomState or None, default 0
        Of the simulations.
    progress : callable or bool, optional
        Gets a sentence before simulations of more than 2 seconds; True prints it on the error stream.

    Returns
    -------
    SampleSizes

    Raises
    ------
    ValueError
        When more than one class is given, or a parameter is out of range.

    Notes
    -----
    The simulated class labels d points in every way, d the VC dimension or ``log2`` of the size: `coins` and
    `rare` of ``er.bounds.simulation``. Their hardest distributions give rows that no learner can do
    without, the easy ones rows that are enough there. A smaller number than a theorem's is no
    contradiction: the theorem speaks of every distribution and of every class of the dimension.

    Examples
    --------
    >>> sizes = sample_sizes(vc=11, epsilon=0.05, delta=0.05, simulate=False)
    >>> [(r.by, r.n) for r in sizes.requirements if r.kind == "enough"][0]
    ('ghost_excess', 38878)
    """
    given = {"vc": vc, "hypotheses": hypotheses, "classes": classes, "parameters": parameters}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise ValueError(f"give one of vc, hypotheses, classes and parameters, not {' and '.join(named)}.")
    width = check_real(loss_range, "loss_range")
    eps, risk = check_real(epsilon, "epsilon", 0.0, width), check_real(delta, "delta", 0.0, 1.0)
    expected = check_real(rate, "rate", 0.0, 1.0, closed=True)
    check_form(random_state)
    rows: list[Requirement] = []
    words, points = "one fixed model", 0
    if vc is not None or hypotheses is not None:
        if vc is not None:
            check_count(vc, "vc", 1, MAX_DIMENSION)
        words, dimension = log_growth(vc, hypotheses)[1:]
        points = check_count(dimension, "the VC dimension of hypotheses")
        if width != 1.0:
            raise ValueError(f"loss_range must be 1 with {named[0]}: these theorems are about the 0-1 loss.")
        rows += _vc_rows({named[0]: given[named[0]]}, points, eps, risk, expected)
    elif classes is not None:
        size = check_count(classes, "classes", most=None)
        words, points = f"a class of {count(size)} hypotheses", size.bit_length() - 1
        rows += _finite_rows(size, eps, risk, width)
    elif parameters is not None:
        words = f"hypotheses of {check_count(parameters, 'parameters'):,} parameters of 64 bits"
        rows.append(_enough(NOISY, discretisation, eps, risk, parameters=parameters, loss_range=width))
        rows.append(
            Requirement(
                NOISY, "unknown", None, "simulation", note="the number of parameters fixes no VC dimension"
            )
        )
    if simulate and width == 1.0 and points >= 1:
        rows += _simulations(points, eps, risk, random_state, progress)
    rows += _checks(eps, risk, expected, width)
    order = {NOISY: 0, CLEAN: 1, UNIFORM: 2, CHECK: 3, CHECK_LOSS: 3}
    rows.sort(key=lambda r: (order[r.goal], {"simulated": 0, "needed": 1}.get(r.kind, 2), r.n or 0))
    title = f"Rows for {words}: epsilon = {eps:g}, delta = {risk:g}"
    return SampleSizes(
        title, tuple(rows), _summary(rows, "" if classes is None else ", for the hardest class of this size")
    )


def _enough(
    goal: str, theorem: Callable[..., Guarantee], epsilon: float, delta: float, **more: Any
) -> Requirement:
    """Return the row of the table with the number of rows that one theorem asks for, or why it gives none."""
    try:
        found = theorem(epsilon=epsilon, delta=delta, **more)
    except ValueError as error:
        return Requirement(goal, "unknown", None, theorem.__name__, note=str(error).rstrip("."))
    return Requirement(goal, "enough", found.n, found.theorem)


def _noted(row: Requirement, note: str) -> Requirement:
    """Return the row with a note, unless it says already why it has no number."""
    return row if row.note else replace(row, note=note)


def _needed(
    goal: str, theorem: Callable[..., Guarantee], epsilon: float, delta: float, d: int
) -> list[Requirement]:
    """Return what a lower bound says, unless it says nothing."""
    found = theorem(epsilon=epsilon, delta=delta, vc=d)
    return [] if found.vacuous else [Requirement(goal, "needed", found.n, found.theorem, note="any learner")]


def _vc_rows(known: dict[str, Any], d: int, eps: float, risk: float, rate: float) -> list[Requirement]:
    """Return the theorems about a class of VC dimension d, with its growth function where it is known."""
    closed = _enough(NOISY, fundamental_agnostic, eps / 2.0, risk, vc=d)
    rows = [
        _enough(NOISY, ghost_excess, eps, risk, **known),
        _enough(NOISY, vc_excess, eps, risk, **known),
        _noted(closed, "closed form, at epsilon/2"),
        *_needed(NOISY, lower_agnostic, eps, risk, d),
        _enough(CLEAN, ghost_realizable, eps, risk, **known),
        _enough(CLEAN, vc_realizable, eps, risk, **known),
        _noted(_enough(CLEAN, fundamental_realizable, eps, risk, vc=d), "closed form"),
        _enough(UNIFORM, ghost_uniform, eps, risk, **known),
        _enough(UNIFORM, vc_uniform, eps, risk, **known),
        _enough(UNIFORM, vc_classical, eps, risk, **known),
    ]
    if rate + eps < 1.0:
        one = _enough(UNIFORM, ghost_training_error, eps, risk, rate=rate, **known)
        rows.append(_noted(one, f"one of {rate:g}, one side"))
    return rows + (_needed(CLEAN, lower_realizable, eps, risk, d) if d >= 2 else [])


def _finite_rows(size: int, eps: float, risk: float, width: float) -> list[Requirement]:
    """Return the theorems about a finite class."""
    rows = [
        _enough(NOISY, finite_excess, eps, risk, hypotheses=size, loss_range=width),
        _enough(NOISY, finite_agnostic, eps, risk, hypotheses=size, loss_range=width),
        _enough(UNIFORM, finite_uniform, eps, risk, hypotheses=size, loss_range=width),
    ]
    return rows + ([_enough(CLEAN, finite_realizable, eps, risk, hypotheses=size)] if width == 1.0 else [])


def _simulations(
    d: int, eps: float, risk: float, random_state: Seed, progress: Callable[[str], None] | bool | None
) -> list[Requirement]:
    """Return what simulations need, or the reason why there are none."""
    runs: list[tuple[str, str, Callable[[], SimulatedRows]]] = [
        (NOISY, "ERM, hardest found, any learner", lambda: hardest_coins(d, eps, risk, random_state)),
        (NOISY, "ERM, easy", lambda: coins(d, 0.8, eps, risk, random_state)),
        (CLEAN, "ERM, easy", lambda: coins(d, 1.0, eps, risk, random_state)),
    ]
    if d >= 2:
        runs.append(
            (CLEAN, "ERM, hardest found, any learner", lambda: hardest_rare(d, eps, risk, random_state))
        )
    each = seconds(d, risk)
    if each > LONGEST:
        why = f"{d:,} points at delta = {risk:g} would take about {each:,.0f} seconds: raise delta, or call "
        return [
            Requirement(goal, "unknown", None, "simulation", note=f"{why}er.bounds.{name}")
            for goal, name in ((NOISY, "hardest_coins"), (CLEAN, "hardest_rare"))
        ]
    if progress and len(runs) * each > 2.0:
        said = f"Simulating: about {len(runs) * each:.0f} seconds"
        print(said, file=sys.stderr) if progress is True else progress(said)
    rows = []
    for goal, by, run in runs:
        try:
            found = run()
        except ValueError as error:
            rows.append(Requirement(goal, "unknown", None, by, note=str(error).rstrip(".")))
            continue
        rows.append(
            Requirement(goal, "simulated", found.n, by, found.low, found.high, note=found.distribution)
        )
    return rows


def _checks(eps: float, risk: float, rate: float, width: float) -> list[Requirement]:
    """Return the rows of the table that say how large a test set must be."""
    goal, words = (CHECK, "any error rate") if width == 1.0 else (CHECK_LOSS, f"losses in [0, {width:g}]")
    rows = [_noted(_enough(goal, hoeffding, eps, risk, high=width), words)]
    if width == 1.0:
        note = f"error rate {rate:g}"
        rows.append(_noted(_enough(CHECK, clopper_pearson, eps, risk, rate=rate), note))
        rows.append(_noted(_enough(CHECK, chernoff_kl, eps, risk, rate=rate), note))
    return rows


def _summary(rows: list[Requirement], where: str) -> str:
    """Return the gap between what is proved and what was seen."""
    told = []
    for goal, words in ((NOISY, "With noisy labels"), (CLEAN, "Without noise")):
        enough = [r for r in rows if r.goal == goal and r.kind == "enough" and r.n]
        needed = max((r for r in rows if r.goal == goal and r.kind == "needed"), key=_rows, default=None)
        hard = [r for r in rows if r.goal == goal and r.kind == "simulated" and "hardest" in r.by and r.n]
        if enough and hard:
            told.append(_gap(words, min(enough, key=_rows), hard[0], needed, where))
    if told:
        told.append("On an easy distribution far fewer are enough: draw a learning curve of your own rows.")
    return " ".join(told)


def _rows(row: Requirement) -> int:
    return row.n or 0


def _gap(words: str, best: Requirement, seen: Requirement, needed: Requirement | None, where: str) -> str:
    """Return what lies between a theorem and the most rows that some distribution is known to need."""
    rows, low = _rows(best), seen.low or 0
    why = f"fewer fail for every learner on the simulated distribution{where}"
    if needed is not None and _rows(needed) > low:
        low, why = _rows(needed), needed.by
    if low <= 1:
        hard = f"the hardest distribution found{where} takes {_rows(seen):,} rows"
        return one_row(f"{words} {rows:,} rows are enough ({best.by}); {hard}.")
    ratio = rows / max(low, _rows(seen))
    factor = f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"
    between = f"{low:,} rows ({why}) and {rows:,} ({best.by})"
    return f"{words} the truth lies between {between}, a factor of {factor}."
