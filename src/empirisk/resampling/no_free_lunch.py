"""No free lunch: the labelling on which a given learner fails, and how badly.

Wolpert, Neural Computation 8 (1996); Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014),
theorem 5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.bounds import empirical_bernstein
from empirisk.bounds import no_free_lunch as theorem
from empirisk.data.frames import as_frame
from empirisk.data.seeds import Seed, generator_of
from empirisk.evaluation.intervals.clopper_pearson import clopper_pearson
from empirisk.hypotheses.points import check_integer
from empirisk.resampling.adversary import TAIL, Losses, can_enumerate, enumerate_samples, simulate, train_on
from empirisk.results import Estimate
from empirisk.results.estimate import check_level
from empirisk.results.form import Form, Formed
from empirisk.typing import Array

__all__ = ["NoFreeLunch", "no_free_lunch"]

_TARGET = "samples of m points drawn evenly from the domain"


@dataclass(frozen=True, eq=False)
class NoFreeLunch(Formed):
    """What a learner suffers on the labelling that was built against it.

    Parameters
    ----------
    learner : str
        The learner in words.
    m : int
        Rows of a sample.
    labelling : array of int, shape (N,)
        The labels of the points of the domain; some function has no error at all.
    expected : Estimate
        Expected risk of the learner, over samples.
    tail : Estimate
        Probability that the risk is 1/8 or more.
    average : float
        Expected risk, averaged over all labellings (or over those that were tried).
    least : float
        What the theorem says that `expected` is at least, for the worst labelling: ``(1 - 1/N)^m / 2``.
    least_tail : float
        What it then says about `tail`.
    textbook : bool
        Whether ``m <= N / 2``, so that the textbook's 1/4 and 1/7 hold.
    fits : int
        How often the learner was trained.
    """

    learner: str
    m: int
    labelling: NDArray[np.int64]
    expected: Estimate
    tail: Estimate
    average: float
    least: float
    least_tail: float
    textbook: bool
    fits: int

    def _rows(self) -> list[tuple[str, Estimate, float, str]]:
        quarter, seventh = ("1/4", "1/7") if self.textbook else ("", "")
        return [
            ("expected risk", self.expected, self.least, quarter),
            (f"P(risk >= {TAIL:g})", self.tail, self.least_tail, seventh),
        ]

    def to_frame(self) -> Any:
        """Columns quantity, measured, low, high, level, method, at_least, textbook.

        A pandas data frame; a polars one where pandas is not installed; a dict of lists without either.
        """
        rows = self._rows()
        return as_frame(
            {
                "quantity": [name for name, *_ in rows],
                "measured": [e.value for _, e, _, _ in rows],
                "low": [e.low for _, e, _, _ in rows],
                "high": [e.high for _, e, _, _ in rows],
                "level": [e.level for _, e, _, _ in rows],
                "method": [e.method for _, e, _, _ in rows],
                "at_least": [least for _, _, least, _ in rows],
                "textbook": [book for *_, book in rows],
            },
            self._like,
        )

    def __repr__(self) -> str:
        table = [("", "measured", "at least", "textbook", "")]
        for name, e, least, book in self._rows():
            table.append((name, _number(e), f"{least:.4g}", book, _how(e)))
        widths = [max(len(row[j]) for row in table) for j in range(4)]
        size = len(self.labelling)
        lines = [f"No free lunch for {self.learner}: {self.m} rows from {size} equally likely points"]
        for row in table:
            cells = (cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True))
            lines.append(f"  {'  '.join(cells)}".rstrip())
        some = "all labellings" if self.expected.low == self.expected.high else "the labellings tried"
        lines.append(f"  Labelling {_word(self.labelling)}; some function makes no error on it.")
        lines.append(f"  Averaged over {some} the expected risk is {self.average:.4g}; {self.fits} fits.")
        return "\n".join(lines)

    def _form(self) -> Form:
        rows = self._rows()
        columns: dict[str, list[Any]] = {
            "quantity": [name for name, *_ in rows],
            "measured": [_number(e) for _, e, _, _ in rows],
            "at least": [float(least) for _, _, least, _ in rows],
            "textbook": [book for *_, book in rows],
            "method": [_how(e) for _, e, _, _ in rows],
        }
        said = repr(self).splitlines()
        return Form(said[0], columns, [line.strip() for line in said[-2:]])


def _number(e: Estimate) -> str:
    """Return the value, with its interval unless it is exact."""
    return f"{e.value:.4g}" if e.low == e.high else str(e)


def _how(e: Estimate) -> str:
    """Return where a number comes from: a count of all cases, or samples with their level."""
    return f"over {e.method}" if e.low == e.high else f"{100 * e.level:g} %, {e.method}, {e.n} samples"


def _word(labelling: NDArray[np.int64]) -> str:
    """Return the labels in a row; the middle is left out when there are many."""
    text = "".join(map(str, labelling))
    return text if len(text) <= 64 else f"{text[:30]}....{text[-30:]}"


def no_free_lunch(
    learner: Any,
    domain_size: int = 8,
    m: int = 3,
    *,
    domain: Any = None,
    budget: int = 5_000,
    level: float = 0.95,
    random_state: Seed = 0,
) -> NoFreeLunch:
    """The labelling f of a finite domain that maximises ``E_S[L(A(S))]`` for a given learner A, measured.

    Points are drawn evenly from the domain and labelled by f without noise: a function without error exists.
    Whatever the learner, averaged over all f its risk is at least ``(1 - 1/N)^m / 2``, because on points that
    it has not seen it is wrong for half of the labellings; so some f is as bad.

    Parameters
    ----------
    learner : classifier or callable
        An object with ``fit`` and ``predict`` (it is cloned), or a function of (X, y, domain) that returns 0
        or 1 for each point of the domain.  Samples are handed over in sorted order.  A classifier that
        refuses a sample with one class counts as predicting that class.
    domain_size : int, default 8
        Number N of points, >= 2; they are the numbers 0 to N - 1 in one column.
    m : int, default 3
        Rows of a sample, >= 1.
    domain : array, shape (N, d), optional
        The points, instead of `domain_size`.
    budget : int, default 5000
        At most so many fits.  When they are enough for all samples under all labellings, the result is exact;
        otherwise the worst of some random labellings is measured on samples drawn at random.
    level : float, default 0.95
        Coverage of the intervals in the second case.
    random_state : int, Generator, RandomState or None, default 0
        Seed of the second case.

    Returns
    -------
    NoFreeLunch
        The labelling, the expected risk and P(risk >= 1/8), beside what the theorem says.

    Raises
    ------
    ValueError
        For a domain, m, level or budget out of range, and for predictions other than 0 and 1.
    TypeError
        When the learner is neither a classifier nor a function.

    Notes
    -----
    Cost: for the exact result ``sum_k C(N, k) C(m - 1, k - 1) 2^k`` fits (N = 8, m = 3: 688), and
    ``C(N + m - 1, m) N 2^N`` comparisons.  Intervals: Clopper-Pearson for the probability; the empirical
    Bernstein inequality of Maurer and Pontil for the expectation.

    References
    ----------
    Wolpert 1996, Neural Computation 8.  Shalev-Shwartz and Ben-David 2014, Understanding Machine Learning,
    theorem 5.1.

    Examples
    --------
    >>> from empirisk.hypotheses import NearestNeighbours
    >>> no_free_lunch(NearestNeighbours(), domain_size=6, m=3)
    No free lunch for NearestNeighbours(): 3 rows from 6 equally likely points
                        measured  at least  textbook
      expected risk     0.4398    0.2894    1/4       over all samples
      P(risk >= 0.125)  1         0.1878    1/7       over all samples
      Labelling 101010; some function makes no error on it.
      Averaged over all labellings the expected risk is 0.2894; 292 fits.
    """
    points = _points(domain, domain_size)
    size = len(points)
    rows = check_integer("m", m, 1)
    limit = check_integer("budget", budget, 10)
    check_level(level)
    train = train_on(learner)
    if can_enumerate(size, rows, limit):
        found = enumerate_samples(train, points, rows)
    else:
        found = simulate(train, points, rows, limit, generator_of(random_state))
    expected, tail = _estimates(found, level)
    return NoFreeLunch(
        learner=getattr(learner, "__name__", None) or repr(learner),
        m=rows,
        labelling=found.labelling,
        expected=expected,
        tail=tail,
        average=found.average,
        least=0.5 * (1.0 - 1.0 / size) ** rows,
        least_tail=theorem(n=rows, epsilon=TAIL, domain_size=size).delta or 0.0,
        textbook=2 * rows <= size,
        fits=found.fits,
    )


def _estimates(found: Losses, level: float) -> tuple[Estimate, Estimate]:
    """Return the expected risk and the tail with their intervals; exact numbers are their own."""
    if found.samples == 0:
        e, t = found.expected, found.tail
        return (
            Estimate(e, e, e, 1.0, 0, "all samples", target=_TARGET),
            Estimate(t, t, t, 1.0, 0, "all samples", target=_TARGET),
        )
    n = found.samples
    over = round(found.tail * n)
    half = _half_width(found.risks, 1.0 - level)
    low, high = max(0.0, found.expected - half), min(1.0, found.expected + half)
    expected = Estimate(found.expected, low, high, level, n, "empirical Bernstein", target=_TARGET)
    return expected, clopper_pearson(over, n, level, target=_TARGET)


def _half_width(risks: Array, delta: float) -> float:
    """Return the two-sided half width for a mean of values in [0, 1]."""
    n = len(risks)
    if n < 2:
        return 1.0
    found = empirical_bernstein(n=n, delta=delta, variance=float(np.var(risks, ddof=1)), sides=2)
    return float(found.epsilon)


def _points(domain: Any, size: int) -> Array:
    """Return the points of the domain in rows, after a check that there are two and no two are equal."""
    if domain is None:
        return np.arange(float(check_integer("domain_size", size, 2)))[:, None]
    points = np.asarray(domain, dtype=np.float64)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or len(points) < 2 or not np.isfinite(points).all():
        raise ValueError(
            f"domain must hold at least two points in rows of finite numbers, got shape {points.shape}"
        )
    if len(np.unique(points, axis=0)) < len(points):
        raise ValueError("domain must hold different points: two of its rows are equal")
    return points
