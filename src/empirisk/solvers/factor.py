"""What every factorisation of ``H = X~' diag(s) X~ / S + l2 I`` offers, whatever route it took."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from empirisk.typing import Array

__all__ = ["Factor"]


@dataclass(frozen=True)
class Factor:
    """A solver for H in the problem's own variables.

    Parameters
    ----------
    solve : callable
        ``grad -> H^-1 grad`` (intercept row included).
    solve_targets : callable
        ``() -> w``, the answer before refinement.
    condition : float
        Estimated condition number of the standardised H.
    rank : int
        Numerical rank of the centred columns.
    n_passes : float
        Passes over the data spent.
    note : str
        What the user should know (minimum-norm solution, ...).
    """

    solve: Callable[[Array], Array]
    solve_targets: Callable[[], Array]
    condition: float
    rank: int
    n_passes: float
    note: str = ""
