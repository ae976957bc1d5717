"""Adam with decoupled weight decay: the decay shrinks the weights and does not enter the running means.

Loshchilov and Hutter, International Conference on Learning Representations (2019).
"""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.optimizers.adam import Adam, State
from empirisk.optimizers.base import Parameters, check_size, each

__all__ = ["AdamW"]


@dataclass(frozen=True)
class AdamW(Adam):
    """Adam's step ``- g_t decay w``: the decay stays out of the means (Loshchilov and Hutter, ICLR 2019).

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.
    beta1, beta2 : float
        Shares of the means that are kept, in [0, 1).
    eps : float
        Keeps steps finite, > 0.
    decay : float
        Strength of the decay, >= 0.

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = AdamW(Constant(0.5), decay=0.1), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-0.55])
    """

    decay: float = 0.01

    name = "adamw"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_size("decay", self.decay, zero=True)

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        new, step = super().update(state, grad, w)
        size = self.schedule.at(new[0]) * self.decay
        return new, each(lambda d, x: d - size * x, step, w)
