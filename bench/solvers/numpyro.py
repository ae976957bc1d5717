"""NumPyro: NUTS and HMC, chains vectorised or on a device each."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from bench.objectives.posterior import CHAINS, DRAWS
from bench.solvers.base import Solver
from bench.solvers.jax_programs import jax_for, program

LIBRARY = "NumPyro"


class _Rows:
    """Rows as a part of the name of a program: the arrays themselves, by identity."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X, self.y = X, y

    def __hash__(self) -> int:
        return hash((id(self.X), id(self.y)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rows) and self.X is other.X and self.y is other.y


def _draws(X: Any, y: Any, law: Any, method: str, warm_up: int, together: str) -> np.ndarray:
    jax = jax_for(X.dtype)
    start = np.tile(law.start(X, y), (CHAINS, 1))
    sampler = program(_sampler, _Rows(X, y), law, method, warm_up, together)
    sampler.run(jax.random.key(0), init_params=jax.numpy.asarray(start, dtype=X.dtype))
    return np.asarray(sampler.get_samples(group_by_chain=True))


def _sampler(rows: _Rows, law: Any, method: str, warm_up: int, together: str) -> Any:
    import numpyro.infer as infer

    jax = jax_for(rows.X.dtype)
    X, y = jax.numpy.asarray(rows.X), jax.numpy.asarray(rows.y, dtype=rows.X.dtype)

    def potential(w: Any) -> Any:
        return -law.log_density(jax.numpy, w, X, y)

    more = {"dense_mass": X.shape[1] < 10}  # the covariance of few parameters is learnt whole
    if method == "HMC":
        more["trajectory_length"] = 0.5 * math.pi
    kernel = getattr(infer, method)(potential_fn=potential, **more)
    return infer.MCMC(
        kernel,
        num_warmup=warm_up,
        num_samples=DRAWS,
        num_chains=CHAINS,
        chain_method=together,
        progress_bar=False,
    )


def _each(method: str, law: str) -> list[Solver]:
    # Adaptation of a covariance takes more draws than that of variances.
    few = [("vectorized", 300), ("parallel", 300)]
    ways = few if law == "logistic" else [("parallel", 300), ("parallel", 1000)]
    return [
        Solver(
            LIBRARY,
            f"{method} {together}, warm-up {warm_up}",
            partial(_draws, method=method, warm_up=warm_up, together=together),
            whole_first_call=True,
        )
        for together, warm_up in ways
    ]


LAWS = ("logistic", "kidiq", "kilpisjarvi")
SOLVERS = {
    **{f"nuts_{law}": _each("NUTS", law) for law in LAWS},
    **{f"hmc_{law}": _each("HMC", law) for law in LAWS},
}
