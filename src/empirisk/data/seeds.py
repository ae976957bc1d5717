"""Seeds in every form that NumPy has: an integer, a Generator, a RandomState, or None."""

from __future__ import annotations

from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Seed", "check_form", "check_seed", "generator_of", "within"]

Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | None

LARGEST = 2**31 - 1


def check_seed(random_state: Any, name: str = "random_state") -> int:
    """A seed from what users give: None means 0, so that fits are reproducible by default.

    A Generator or RandomState is drawn from, once a fit, so that two fits with it differ.

    Examples
    --------
    >>> check_seed(None), check_seed(7), check_seed(np.int64(3))
    (0, 7, 3)
    >>> check_seed("lucky")
    Traceback (most recent call last):
    ...
    ValueError: random_state must be an integer >= 0, a NumPy Generator or RandomState, or None, got 'lucky'
    """
    check_form(random_state, name)
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(LARGEST))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(LARGEST))
    return int(random_state)


def check_form(random_state: Any, name: str = "random_state") -> None:
    """Refuse what is no seed, by the name of the parameter; nothing is drawn.

    Examples
    --------
    >>> check_form([1, 2], "seed")
    Traceback (most recent call last):
    ...
    ValueError: seed must be an integer >= 0, a NumPy Generator or RandomState, or None, got [1, 2]
    """
    if random_state is None or isinstance(random_state, np.random.Generator | np.random.RandomState):
        return
    whole = isinstance(random_state, Integral) and not isinstance(random_state, bool | np.bool_)
    if not whole or int(random_state) < 0:
        raise ValueError(
            f"{name} must be an integer >= 0, a NumPy Generator or RandomState, or None, got {random_state!r}"
        )


def within(seed: int, bits: int) -> int:
    """A seed of at most so many bits, for loops that take no more: itself where it fits, else a hash of it.

    Examples
    --------
    >>> within(7, 64), within(2**64, 64) < 2**64, within(2**64, 64) == within(2**64 + 1, 64)
    (7, True, False)
    """
    if seed < 1 << bits:
        return seed
    high, low = np.random.SeedSequence(seed).generate_state(2, np.uint32)
    return (int(high) << 32 | int(low)) % (1 << bits)


def generator_of(
    random_state: Any, name: str = "random_state", *, shared: bool = False
) -> np.random.Generator:
    """A generator from what users give: a Generator itself, whose state moves on; None is new at each call.

    A RandomState gives the seed of one, so that its state moves on as well; `shared` lends its stream.

    Examples
    --------
    >>> bool(generator_of(7).random() == np.random.default_rng(7).random())
    True
    """
    check_form(random_state, name)
    if shared or random_state is None or isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state)
    return np.random.default_rng(check_seed(random_state, name))
