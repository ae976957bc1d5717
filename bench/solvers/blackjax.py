"""blackjax: SGLD in one compiled scan; NUTS and HMC with its window adaptation, chains side by side."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.objectives.langevin import Chain
from bench.objectives.posterior import CHAINS, DRAWS
from bench.solvers.base import Solver
from bench.solvers.jax_programs import jax_for, program

LIBRARY = "blackjax"


def _langevin(X: Any, y: Any, chain: Chain, numbers: str) -> np.ndarray:
    jax = jax_for(X.dtype)
    run = program(_langevin_program, str(X.dtype), chain.steps, chain.batch, chain.control_variates)
    # One number for all parameters, where ours takes the covariance at the mode.
    size = chain.step * float(np.mean(chain.deviation**2))
    place = jax.numpy.asarray(chain.mode, dtype=X.dtype)
    t = jax.numpy.asarray(np.where(y > 0, 1, -1), dtype=X.dtype)
    return np.asarray(run(jax.random.key(0, impl=numbers), jax.numpy.asarray(X), t, place, size))


def _langevin_program(dtype: str, steps: int, batch: int, control_variates: bool) -> Any:
    import blackjax
    from blackjax.sgmcmc import gradients

    jax = jax_for(dtype)
    np_ = jax.numpy

    def log_prior(w: Any) -> Any:
        return -0.5 * (w @ w)

    def log_likelihood(w: Any, row: Any) -> Any:
        return -np_.logaddexp(0.0, -row[1] * (row[0] @ w))

    def run(key: Any, X: Any, t: Any, place: Any, size: Any) -> Any:
        slopes = gradients.grad_estimator(log_prior, log_likelihood, len(t))
        if control_variates:
            slopes = gradients.control_variates(slopes, place, (X, t))
        kernel = blackjax.sgld(slopes)

        def one(w: Any, key: Any) -> Any:
            first, second = jax.random.split(key)
            rows = jax.random.randint(first, (batch,), 0, len(t))
            w = kernel.step(second, w, (X[rows], t[rows]), size)
            return w, w

        return jax.lax.scan(one, place, jax.random.split(key, steps))[1]

    return jax.jit(run)


def _draws(
    X: Any, y: Any, law: Any, method: str, warm_up: int, together: str, steps: int | None = None
) -> np.ndarray:
    jax = jax_for(X.dtype)
    run = program(_draws_program, str(X.dtype), law, method, warm_up, together, steps)
    keys = jax.random.split(jax.random.key(0), CHAINS)
    start = jax.numpy.asarray(np.tile(law.start(X, y), (CHAINS, 1)), dtype=X.dtype)
    return np.asarray(run(keys, start, jax.numpy.asarray(X), jax.numpy.asarray(y, dtype=X.dtype)))


def _draws_program(dtype: str, law: Any, method: str, warm_up: int, together: str, steps: int | None) -> Any:
    import blackjax

    jax = jax_for(dtype)
    more = {} if steps is None else {"num_integration_steps": steps}

    def run(key: Any, w: Any, X: Any, y: Any) -> Any:
        def log_density(w: Any) -> Any:
            return law.log_density(jax.numpy, w, X, y)

        algorithm = getattr(blackjax, method)
        first, second = jax.random.split(key)
        dense = len(w) < 10  # the covariance of few parameters is learnt whole
        learnt = blackjax.window_adaptation(
            algorithm,
            log_density,
            is_mass_matrix_diagonal=not dense,
            adaptation_info_fn=lambda *_: (),
            **more,
        ).run(first, w, warm_up)[0]
        kernel = algorithm(log_density, **learnt.parameters)

        def one(state: Any, key: Any) -> Any:
            state, _ = kernel.step(key, state)
            return state, state.position

        return jax.lax.scan(one, learnt.state, jax.random.split(second, DRAWS))[1]

    chains = (0, 0, None, None)
    return jax.jit(jax.vmap(run, chains)) if together == "vmap" else jax.pmap(run, in_axes=chains)


def _each(method: str, law: str, steps: int | None = None) -> list[Solver]:
    # Adaptation of a covariance takes more draws than that of variances.
    ways = [("vmap", 300), ("pmap", 300)] if law == "logistic" else [("vmap", 300), ("vmap", 1000)]
    return [
        Solver(
            LIBRARY,
            f"{method} {together}, warm-up {warm_up}",
            partial(_draws, method=method, warm_up=warm_up, together=together, steps=steps),
            whole_first_call=True,
        )
        for together, warm_up in ways
    ]


LANGEVIN = [
    Solver(LIBRARY, f"sgld, {impl}", partial(_langevin, numbers=impl), whole_first_call=True)
    for impl in ("threefry2x32", "unsafe_rbg")
]
# Three steps of the size that is accepted four times in five are about a quarter of a period.
LAWS = ("logistic", "kidiq", "kilpisjarvi")
SOLVERS = {
    "sgld": LANGEVIN,
    "sgld_plain": LANGEVIN,
    **{f"nuts_{law}": _each("nuts", law) for law in LAWS},
    **{f"hmc_{law}": _each("hmc", law, 3) for law in LAWS},
}
