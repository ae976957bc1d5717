"""What a theorem says: `n` rows, tolerance `epsilon`, risk of failure `delta`; any one from the other two."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from empirisk.bounds.search import MAX_ROWS, smallest, smallest_n
from empirisk.bounds.words import confidence, one_row, up, wrapped
from empirisk.data.frames import as_frame
from empirisk.results.form import Form, Formed

__all__ = [
    "Guarantee",
    "Theorem",
    "check_count",
    "check_real",
    "solve_expectation",
    "solve_for",
]

IID = "the rows are drawn independently from one distribution"
FIXED = "the class was fixed before the rows were seen"
ZERO_ONE = "the loss is 0-1"

# The smallest probability that is looked for.
TINY = 1e-300
# Tolerances whose squares are 0, or nearly: no sample that anybody has reaches them.
TINY_EPSILON = 1e-150

# Two formulas that are equal in the reals differ by rounding; this much is forgiven in `<=`.
SLACK = 1e-12


@dataclass(frozen=True)
class Theorem:
    """Name, claim, assumptions and source of a theorem, without numbers.

    Parameters
    ----------
    name : str
        The key in the registry.
    claim : str
        What holds, with ``{n}``, ``{epsilon}`` and ``{delta}`` where the numbers go, and without "With
        probability at least ...", which is put before it.
    assumptions : tuple of str
        What must be true.
    source : str
        Paper or book, with the place in it.
    necessary : bool, default False
        Whether it says how many rows are needed (a lower bound) rather than how many suffice; the claim then
        is a whole sentence.
    """

    name: str
    claim: str
    assumptions: tuple[str, ...]
    source: str
    necessary: bool = False


@dataclass(frozen=True)
class Guarantee(Formed):
    """What a theorem guarantees: with ``n`` rows, `claim` holds but for a probability `delta`.

    Parameters
    ----------
    theorem : str
        Key of the theorem in ``er.bounds.REGISTRY``.
    n : int
        Number of rows; when it was solved for, the smallest that suffices.
    epsilon : float
        The tolerance.
    delta : float or None
        Probability of failure; 1 when the theorem says nothing, None when it is about an expectation.
    claim : str
        The statement in one sentence.
    assumptions : tuple of str
        What must be true for it.
    source : str
        Where it was proved.
    solved : str
        Which of the three was solved for: ``"n"``, ``"epsilon"`` or ``"delta"``.
    vacuous : bool
        Whether the statement excludes nothing (epsilon as large as the range, or delta = 1; for a lower
        bound, n = 1 or epsilon = 0).

    Examples
    --------
    >>> import empirisk as er
    >>> print(er.bounds.hoeffding(n=1000, delta=0.05))
    hoeffding: epsilon = 0.04295 (n = 1,000, delta = 0.05)
      With probability at least 95 %, the mean of 1,000 rows lies within 0.04295 of
        its expectation.
      Assumes: the rows are independent; the values lie in [0, 1].
      Source: Hoeffding (1963), theorem 2.
    """

    theorem: str
    n: int
    epsilon: float
    delta: float | None
    claim: str
    assumptions: tuple[str, ...]
    source: str
    solved: str = "epsilon"
    vacuous: bool = False

    @property
    def value(self) -> float:
        """The number that was solved for."""
        return float(getattr(self, self.solved))

    def to_dict(self) -> dict[str, Any]:
        """Return the guarantee as a dictionary of plain values, with keys that stay the same between
        versions.
        """
        return {
            "theorem": self.theorem,
            "n": self.n,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "solved": self.solved,
            "vacuous": self.vacuous,
            "claim": self.claim,
            "assumptions": list(self.assumptions),
            "source": self.source,
        }

    def to_frame(self) -> Any:
        """Return one row, the columns of :meth:`to_dict`; a pandas or polars data frame, else a dict of
        lists.
        """
        row = {**self.to_dict(), "assumptions": "; ".join(self.assumptions)}
        return as_frame({column: [value] for column, value in row.items()}, self._like)

    def _heading(self) -> str:
        numbers = {"n": f"{self.n:,}", "epsilon": up(self.epsilon)}
        if self.delta is not None:
            numbers["delta"] = up(self.delta)
        given = ", ".join(f"{k} = {v}" for k, v in numbers.items() if k != self.solved)
        return f"{self.theorem}: {self.solved} = {numbers[self.solved]} ({given})"

    def __str__(self) -> str:
        said = [self.claim, *(["Vacuous: this excludes nothing."] if self.vacuous else [])]
        said += [f"Assumes: {'; '.join(self.assumptions)}.", f"Source: {self.source}."]
        return "\n".join([self._heading(), *(wrapped(text) for text in said)])

    def __repr__(self) -> str:
        return str(self)

    def _form(self) -> Form:
        told = {"n": f"{self.n:,}", "epsilon": up(self.epsilon)}
        if self.delta is not None:
            told["delta"] = up(self.delta)
        columns: dict[str, list[Any]] = {
            "number": list(told),
            "value": list(told.values()),
            "": ["solved for" if name == self.solved else "given" for name in told],
        }
        notes = [self.claim, *(["Vacuous: this excludes nothing."] if self.vacuous else [])]
        notes += [f"Assumes: {'; '.join(self.assumptions)}.", f"Source: {self.source}."]
        return Form(self._heading(), columns, notes)


def check_count(value: Any, name: str, least: int = 1, most: int | None = MAX_ROWS) -> int:
    """Return the value as an int between two limits (None: no upper one), or a ValueError that names it."""
    whole = isinstance(value, Integral) or (isinstance(value, Real) and float(value).is_integer())
    if isinstance(value, bool) or not whole:
        raise ValueError(f"{name} must be a whole number, got {value!r}.")
    if most is None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}.")
    if most is not None and not least <= value <= most:
        raise ValueError(f"{name} must lie between {least} and {most:g}, got {value!r}.")
    return int(value)


def check_real(
    value: Any,
    name: str,
    above: float = 0.0,
    below: float = math.inf,
    *,
    closed: bool = False,
) -> float:
    """Return the value as a finite float in the open (or closed) interval, or a ValueError that names it."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ValueError(f"{name} must be a number, got {value!r}.")
    number = float(value)
    inside = above <= number <= below if closed else above < number < below
    if not inside or not math.isfinite(number):
        left, right = ("[", "]") if closed else ("(", ")")
        interval = f"{left}{above:g}, {below:g}{right if math.isfinite(below) else ')'}"
        raise ValueError(f"{name} must be a finite number in {interval}, got {value!r}.")
    return number


def solve_for(
    theorem: Theorem,
    *,
    n: int | None,
    epsilon: float | None,
    delta: float | None,
    epsilon_of: Callable[[int, float], float] | None = None,
    delta_of: Callable[[int, float], float] | None = None,
    guess: Callable[[float, float], float] | None = None,
    candidates: int = 1,
    trivial: float = 1.0,
    least: int = 1,
) -> Guarantee:
    """Solve a theorem for the one of `n`, `epsilon`, `delta` that is not given.

    A theorem is a function ``epsilon_of(n, delta)`` that falls in both, or ``delta_of(n, epsilon)`` that
    falls in both, or both (two closed forms of one relation). What has no closed form is found by bisection.

    Parameters
    ----------
    theorem : Theorem
        Name, claim, assumptions and source.
    n, epsilon, delta : number or None
        Exactly two are given.
    epsilon_of, delta_of : callable
        The relation, at least one of them.
    guess : callable, optional
        ``guess(epsilon, delta)``, a number of rows near the answer, to start the search.
    candidates : int, default 1
        The statement is to hold for this many at once: the union bound, each with ``delta / candidates``.
    trivial : float, default 1
        A tolerance that is always kept (the range of the losses); `epsilon` must be given below it.
    least : int, default 1
        The fewest rows for which the theorem is stated.

    Returns
    -------
    Guarantee
        With the smallest `n`, `epsilon` or `delta`.

    Raises
    ------
    ValueError
        When not exactly two are given, one is out of range, or no sample is large enough.
    """
    given = [name for name, x in (("n", n), ("epsilon", epsilon), ("delta", delta)) if x is not None]
    if len(given) != 2:
        told = ", ".join(given) if given else "none"
        raise ValueError(f"{theorem.name}: give exactly two of n, epsilon, delta (given: {told}).")
    many = check_count(candidates, "candidates")
    n = None if n is None else check_count(n, "n", least)
    epsilon = None if epsilon is None else check_real(epsilon, "epsilon", 0.0, trivial)
    if epsilon is not None and epsilon < TINY_EPSILON:
        raise ValueError(f"epsilon must be at least {TINY_EPSILON:g}, got {epsilon:g}.")
    delta = None if delta is None else check_real(delta, "delta", 0.0, 1.0)
    if delta is not None and delta / many < TINY:
        name = "delta" if many == 1 else "delta / candidates"
        raise ValueError(f"{name} must be at least {TINY:g}, got {delta / many:g}.")

    def holds(rows: int, eps: float, each: float) -> bool:
        """Return whether the theorem gives `eps` from so many rows when each candidate may fail with
        `each`.
        """
        if epsilon_of is not None:
            return epsilon_of(rows, each) <= eps * (1.0 + SLACK)
        return delta_of is not None and delta_of(rows, eps) <= each * (1.0 + SLACK)

    if n is not None and delta is not None:
        rows, each = n, delta / many
        if epsilon_of is not None:
            eps = epsilon_of(rows, each)
        else:
            eps = smallest(lambda x: x >= trivial or (x > 0.0 and holds(rows, x, each)), 0.0, trivial)
        return _say(theorem, "epsilon", rows, eps, delta, trivial)
    if n is not None and epsilon is not None:
        rows, eps = n, epsilon
        if delta_of is not None:
            risk = min(1.0, max(TINY, many * delta_of(rows, eps)))
        else:
            risk = smallest(lambda d: d >= 1.0 or holds(rows, eps, d / many), TINY, 1.0)
        return _say(theorem, "delta", rows, eps, risk, trivial)
    eps, risk = float(epsilon or 0.0), float(delta or 0.0)
    start = guess(eps, risk / many) if guess is not None else None
    found = smallest_n(lambda rows: holds(rows, eps, risk / many), least=least, guess=start)
    if found is None:
        raise ValueError(
            f"{theorem.name}: no n up to {MAX_ROWS:g} gives epsilon = {eps:g} at delta = {risk:g}; "
            "raise epsilon or delta."
        )
    return _say(theorem, "n", found, eps, risk, trivial)


def solve_expectation(
    theorem: Theorem,
    *,
    n: int | None,
    epsilon: float | None,
    epsilon_of: Callable[[int], float],
    lead: str = "In expectation",
    trivial: float = math.inf,
    least: int = 1,
) -> Guarantee:
    """Solve ``epsilon_of(n) <= epsilon`` for the one of the two that is not given.

    Parameters
    ----------
    theorem : Theorem
        Name, claim (with ``{n}`` and ``{epsilon}``), assumptions and source.
    n : int, optional
        Rows, or steps of an algorithm.
    epsilon : float > 0, optional
        Tolerance.
    epsilon_of : callable
        Falls in n.
    lead : str
        First words of the claim: over what the expectation is taken, or empty for a sure statement.
    trivial : float, default inf
        A tolerance that is always kept.
    least : int, default 1
        Smallest n for which the theorem is stated.

    Returns
    -------
    Guarantee
        With ``delta=None``.
    """
    if (n is None) == (epsilon is None):
        raise ValueError(f"{theorem.name}: give exactly one of n and epsilon.")
    if n is not None:
        n, solved = check_count(n, "n", least), "epsilon"
        epsilon = epsilon_of(n)
    else:
        target, solved = check_real(epsilon, "epsilon"), "n"
        n = smallest_n(lambda m: epsilon_of(m) <= target * (1.0 + SLACK), least=least)
        if n is None:
            raise ValueError(
                f"{theorem.name}: epsilon = {target:g} is not reached with any n up to {MAX_ROWS:g}; "
                "raise epsilon."
            )
        epsilon = target
    words = one_row(theorem.claim.format(n=f"{n:,}", epsilon=up(epsilon)))
    claim = f"{lead}, {words}." if lead else f"{words[0].upper()}{words[1:]}."
    vacuous = epsilon >= trivial
    return Guarantee(
        theorem.name, n, epsilon, None, claim, theorem.assumptions, theorem.source, solved, vacuous
    )


def _say(theorem: Theorem, solved: str, n: int, epsilon: float, delta: float, trivial: float) -> Guarantee:
    """Return the guarantee: the claim of the theorem with these numbers filled in, each rounded to the safe
    side.
    """
    said = one_row(theorem.claim.format(n=f"{n:,}", epsilon=up(epsilon), delta=up(delta)))
    prefix = "" if theorem.necessary else f"With probability at least {confidence(delta)}, "
    vacuous = epsilon >= trivial or delta >= 1.0
    if theorem.necessary:
        vacuous = n <= 1 or epsilon <= 0.0 or delta <= TINY
    return Guarantee(
        theorem=theorem.name,
        n=n,
        epsilon=epsilon,
        delta=delta,
        claim=f"{prefix}{said}.",
        assumptions=theorem.assumptions,
        source=theorem.source,
        solved=solved,
        vacuous=vacuous,
    )
