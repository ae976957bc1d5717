"""What the peers on JAX share: its settings, and programs that are compiled once for each shape.

Compiling is no part of the timed runs: the first call of these solvers is on all rows, and its time stands in
the column of first calls, compiling included.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from bench.objectives.posterior import CHAINS


def jax_for(dtype: Any) -> Any:
    """Import JAX, with a device for each chain, in the precision of the rows."""
    os.environ.setdefault("XLA_FLAGS", f"--xla_force_host_platform_device_count={CHAINS}")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax  # optional: where it is missing, the table says so

    jax.config.update("jax_enable_x64", np.dtype(dtype) == np.float64)
    return jax


@lru_cache(maxsize=64)
def program(make: Callable[..., Any], *settings: Any) -> Any:
    """Return what `make` makes of hashable settings; it is made once, so that it is compiled once."""
    return make(*settings)
