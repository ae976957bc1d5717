"""er.sample: draws from a posterior, by several chains."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.memory import refuse_memory
from empirisk.data.seeds import Seed, check_seed, within
from empirisk.samplers.base import Sampler
from empirisk.samplers.block_chains import BlockChains
from empirisk.samplers.chains import TOLD, Chains
from empirisk.samplers.draws import Draws
from empirisk.samplers.minibatch_chains import MinibatchChains
from empirisk.samplers.stein import spread_of
from empirisk.samplers.targets import as_target
from empirisk.samplers.words import check_positive, check_steps
from empirisk.typing import Array

__all__ = ["sample"]


def sample(
    target: Any,
    *,
    method: Any = "nuts",
    chains: int = 4,
    draws: int = 1000,
    warm_up: int | None = None,
    thin: int | None = None,
    dispersion: float | None = None,
    temperature: float = 1.0,
    random_state: Seed = None,
) -> Draws:
    """Draw from the density proportional to ``exp(-U(w))``; for a problem ``U = (S / (dispersion T)) F``.

    A fitted model is sampled from the posterior whose mode it is: its loss is a negative log-likelihood, and
    its L2 penalty of strength alpha the Gaussian prior of variance ``dispersion / (S alpha)``; the intercept
    has a flat one.

    Parameters
    ----------
    target : fitted linear model, LinearProblem, or Target
        A model that keeps its rows; a problem, for example ``model.problem(X, y)``; or a function of Python
        in an ``er.samplers.FunctionTarget``; or blocks in an ``er.samplers.BlockTarget``.
    method : str or Sampler, default "nuts"
        ``"nuts"``, ``"hmc"``, ``"mala"``, ``"random_walk"``; ``"ula"`` and ``"sgld"``, which have a bias;
        ``"proximal_langevin"`` for an L1 penalty; ``"gibbs"`` for an ``er.samplers.BlockTarget``; or one of
        these with parameters, such as ``er.samplers.NUTS(target_acceptance=0.95)``.
    chains : int, default 4
        Independent chains, at least 1; of compiled targets they run in parallel.
    draws : int, default 1000
        Kept of each chain, at least 4.
    warm_up : int, optional
        Transitions of each chain that find its step and shape and are left out; by default 250 where mode and
        Hessian are known beforehand, else 1000 (500 and 3000 without gradients).
    thin : int, optional
        One of so many transitions is kept; by default each, of ``ula`` and ``sgld``, whose steps are
        short, one of 10, and of ``random_walk`` one of 2 d (at most of 100).
    dispersion : float > 0, optional
        Of losses that have one: the variance of the noise of the squared loss.
    temperature : float > 0, default 1.0
        Above 1 the density is flatter.
    random_state : int, Generator or None, default None
        Seed; None means 0.  Draws are functions of seed, chain and step, whatever the number of threads.

    Returns
    -------
    Draws
        With ``draws``, ``summary()``, ``certificate``, ``predictive(X)``, ``predictive_check(X, y)``,
        ``against(model.summary())``, ``plot()``, ``to_arviz()``.  A run
        that is interrupted returns the draws up to then and says so.

    Raises
    ------
    ValueError
        A density without finite mass (separable classes without a penalty), a penalty without a gradient, a
        loss whose dispersion is not given, parameters outside of their ranges.
    KeyboardInterrupt
        Where a run is interrupted before its first draws, with a sentence that says so.

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.samplers import FunctionTarget
    >>> normal = FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(2))
    >>> found = sample(normal, draws=500)
    >>> found.draws.shape, bool(np.abs(found.mean).max() < 5.0 * found.mcse.max())
    ((4, 500, 2), True)
    """
    sampler = sampler_of(method)
    check_steps("chains", chains, 10_000)
    check_steps("draws", draws, 10**9, 4)
    if thin is not None:
        check_steps("thin", thin, 10**6)
    if warm_up is not None:
        check_steps("warm_up", warm_up, 10**9, 0)
    check_positive("temperature", temperature)
    if dispersion is not None:
        check_positive("dispersion", dispersion)
    aim = as_target(target, sampler, dispersion, temperature)
    thin = sampler.default_thin(aim.size) if thin is None else thin
    size = 8.0 * chains * draws * (aim.size + len(TOLD))
    refuse_memory(
        f"{chains:,} chains of {draws:,} draws of {aim.size:,} parameters",
        2.0 * size,
        "take fewer draws, each of which is worth more with thin=10",
    )
    # One list of pairs: an interrupt between two lists would leave them of unequal length.
    pieces: list[tuple[Array, Array]] = []
    interrupted = False
    try:
        run = _chains_of(sampler)(aim, sampler, chains, within(check_seed(random_state), 64))
        left_out = run.default_warm_up if warm_up is None else warm_up
        run.warm_up(left_out)
        for piece in run.advance(draws * thin, thin):
            pieces.append(piece)
    except KeyboardInterrupt:
        if not pieces:
            raise KeyboardInterrupt(
                f"the run was interrupted within the warm-up of {aim.title}: nothing was drawn yet"
            ) from None
        interrupted = True
    return _finished(run, pieces, thin, left_out, interrupted)


def _finished(
    run: Chains, pieces: list[tuple[Array, Array]], thin: int, left_out: int, interrupted: bool
) -> Draws:
    """The draws of a run, piece after piece, with what its target and sampler know of them."""
    aim: Any = run.target
    sampler, call = run.sampler, getattr(run, "call", None)
    kept, lines = zip(*pieces, strict=True)
    moved, told = np.concatenate(kept, axis=1), np.concatenate(lines, axis=1)
    passes = thin * float(told[:, :, 1].sum())
    return Draws(
        # Coordinates in which chains move may be others than the parameters that a reader knows.
        aim.reported(moved) if hasattr(aim, "reported") else moved,
        told,
        aim.names,
        sampler.name,
        sampler.exact,
        left_out,
        aim.title,
        sampler.remedy,
        interrupted,
        getattr(aim, "likelihood", None),
        None if sampler.exact or interrupted else spread_of(call, moved, passes),
        bool(getattr(aim, "log_concave", False)),
        tuple(getattr(call, "notes", list)()),
    )


def _chains_of(sampler: Sampler) -> type[Chains]:
    """The kind of chains that a sampler runs in."""
    if sampler.by_blocks:
        return BlockChains
    return MinibatchChains if sampler.draws_rows else Chains


def sampler_of(method: Any) -> Sampler:
    """Return a sampler by its name; a sampler is itself."""
    from empirisk.samplers.registry import REGISTRY

    if isinstance(method, Sampler):
        return method
    if isinstance(method, str) and method in REGISTRY:
        return REGISTRY[method]()  # type: ignore[no-any-return]
    raise ValueError(f"method must be one of {sorted(REGISTRY)} or a sampler such as NUTS(), got {method!r}")
