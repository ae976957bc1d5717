"""What a solver is: a first state and a step, nothing about stopping."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from empirisk.typing import Array, Capability

__all__ = ["Solver", "State"]


@dataclass(frozen=True)
class State:
    """What the next step needs; solvers extend it.

    Parameters
    ----------
    w : array
        The iterate.
    evaluation : Evaluated or None
        What the problem's own pass at w has found, when the solver made one: the certificate then costs none.
    check : bool
        The solver believes that a certificate is worth computing now.
    done : bool
        The solver cannot improve w any further.
    n_passes : float
        Passes over the data so far.
    note : str
        What the user should know.
    hint : object or None
        What the solver knows besides w and the certificate can use.  For linear problems it is dual values,
        one a score, that prove more than the derivatives at the scores do; a loss with kinks needs them.
    taken : int
        Steps that the last call of `step` stands for.
    diverged : bool
        The solver gives up because its steps lead away; `note` says which step is too long.
    complete : bool
        The solver has taken all the steps that it was told to take, and is no worse for that.
    """

    w: Array
    evaluation: Any = None
    check: bool = True
    done: bool = False
    n_passes: float = 0.0
    note: str = ""
    hint: Any = field(default=None, kw_only=True)
    taken: int = field(default=1, kw_only=True)
    diverged: bool = field(default=False, kw_only=True)
    complete: bool = field(default=False, kw_only=True)

    def then(self, **changes: Any) -> Self:
        """Return the state with other values of these fields, which costs a tenth of `dataclasses.replace`.

        Examples
        --------
        >>> State(1.0).then(done=True).done
        True
        """
        out = object.__new__(type(self))
        vars(out).update(vars(self))
        vars(out).update(changes)
        return out


class Solver(Protocol):
    """``init`` and ``step``; nothing about stopping.

    What a solver asks of a problem beyond :class:`empirisk.problems.Problem` is named in `needs`, and
    problems without it are refused before the first step.  A solver that reads the design matrix of a linear
    problem needs ``Capability.DESIGN``, and takes a :class:`empirisk.problems.LinearProblem` then.
    """

    @property
    def name(self) -> str: ...
    @property
    def needs(self) -> frozenset[Capability]: ...

    def init(self, problem: Any, w0: Array | None) -> State:
        """Return the state before the first step."""
        ...

    def step(self, problem: Any, state: Any) -> State:
        """Return the state after one step; the given state is not changed and stays valid."""
        ...
