"""Gibbs sampling: blocks of parameters drawn in turn, each from its law given all others."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.samplers.base import Sampler

__all__ = ["Gibbs"]


@dataclass(frozen=True)
class Gibbs(Sampler):
    """A sweep draws each block of the parameters from its exact law given all others, as they stand then.

    Geman and Geman, IEEE Transactions on Pattern Analysis and Machine Intelligence 6, 1984; Gelfand and
    Smith, Journal of the American Statistical Association 85, 1990.  Nothing is refused and no step is
    tuned: the target says its blocks (``er.samplers.BlockTarget``).  Blocks that depend strongly on each
    other move slowly, which effective sample sizes show.

    Parameters
    ----------
    random_order : bool, default False
        Whether each sweep takes the blocks in an order that is drawn anew, which makes the chain reversible;
        by default they are taken in the order of the target.

    Examples
    --------
    >>> Gibbs().exact
    True
    """

    random_order: bool = False

    name = "gibbs"
    gradient = False
    by_blocks = True

    def __post_init__(self) -> None:
        if not isinstance(self.random_order, bool):
            raise ValueError(f"random_order must be True or False, got {self.random_order!r}")
