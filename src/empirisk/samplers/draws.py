"""Draws from a distribution: means with Monte-Carlo errors, and whether the chains agree."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from empirisk.data.seeds import Seed, check_seed
from empirisk.results import Certificate, Kind
from empirisk.results.form import Form, Formed
from empirisk.samplers.arviz_form import inference_data
from empirisk.samplers.charts import chart_of
from empirisk.samplers.claims import claims, doubts
from empirisk.samplers.diagnostics import energy_ratio, ess_bulk, ess_mean, ess_tail, r_hat
from empirisk.samplers.draws_summary import DrawsSummary
from empirisk.samplers.predictive_check import PredictiveCheck, predictive_check
from empirisk.samplers.side_by_side import SideBySide, side_by_side
from empirisk.samplers.stein import Spread
from empirisk.samplers.tails import tail_shape
from empirisk.samplers.words import check_chance
from empirisk.typing import Array
from empirisk.wording import counted, quoted

__all__ = ["Draws"]


def _unbounded() -> np.errstate:
    """A context for chains that ran away: their sums overflow, and the certificate says what happened."""
    return np.errstate(over="ignore", invalid="ignore")


@dataclass(frozen=True, eq=False, repr=False)
class Draws(Formed):
    """Draws of several chains, (chains, n, d), with what is needed to trust them or not.

    Parameters
    ----------
    draws : array, shape (chains, n, d)
    told : array, shape (chains, n, 7)
        Of each kept transition: acceptance, gradients, depth, divergent, potential, step, energy.
    names : list of str
        Of the d parameters.
    method : str
        Name of the sampler.
    exact : bool
        Whether the law that its chains settle to is the target itself.
    warm_up : int
        Transitions of each chain that were left out.
    target : str
        What was sampled, in words.
    remedy : str
        What helps against steps that diverge.
    interrupted : bool
        Whether the run was stopped before its end.
    likelihood : Likelihood or ClassLikelihood, optional
        The law of a target, given the parameters, where the target of the sampler is a linear problem.
    look : callable() -> Spread, optional
        Of a sampler whose steps are always taken: how far the spread of its draws is from that of the target.
    one_mode : bool
        Whether the density is known to have one mode.
    notes : tuple of str
        Sentences of the target about the run.
    """

    draws: Array
    told: Array
    names: list[str]
    method: str
    exact: bool
    warm_up: int
    target: str
    remedy: str
    interrupted: bool = False
    likelihood: Any = None
    look: Callable[[], Spread] | None = None
    one_mode: bool = True
    notes: tuple[str, ...] = ()

    @property
    def divergences(self) -> int:
        """How many kept transitions left the energy surface: their places are sampled too seldom."""
        return int(self.told[:, :, 3].sum())

    @cached_property
    def _sizes(self) -> dict[str, Array]:
        functions = {"r_hat": r_hat, "ess_bulk": ess_bulk, "ess_tail": ess_tail, "ess_mean": ess_mean}
        d = self.draws.shape[2]
        if self.draws.shape[1] < 4:
            return {key: np.full(d, math.nan) for key in functions}
        with _unbounded():
            return {key: np.array([f(self.draws[:, :, j]) for j in range(d)]) for key, f in functions.items()}

    @cached_property
    def mean(self) -> Array:
        """Means of all draws, (d,), one for each of the parameters."""
        with _unbounded():
            return np.asarray(self.draws.mean(axis=(0, 1)))

    @cached_property
    def deviation(self) -> Array:
        """Standard deviations of all draws, (d,); NaN of a single one."""
        if self.draws[:, :, 0].size < 2:
            return np.full(self.draws.shape[2], math.nan)
        with _unbounded():
            return np.asarray(self.draws.std(axis=(0, 1), ddof=1))

    @property
    def mcse(self) -> Array:
        """Monte-Carlo standard errors of the means, (d,)."""
        return np.asarray(self.deviation / np.sqrt(self._sizes["ess_mean"]))

    @property
    def r_hat(self) -> Array:
        """Rank-normalised split R-hat of each parameter, (d,)."""
        return self._sizes["r_hat"]

    @property
    def ess_bulk(self) -> Array:
        """Effective sample sizes of the ranks, (d,)."""
        return self._sizes["ess_bulk"]

    @property
    def ess_tail(self) -> Array:
        """Effective sample sizes of the 5 % and 95 % quantiles, the smaller one, (d,)."""
        return self._sizes["ess_tail"]

    @cached_property
    def bfmi(self) -> Array:
        """Bayesian fractions of missing information, (chains,), by energies; NaN where none is kept.

        ``sum (H_t - H_t-1)^2 / sum (H_t - mean H)^2``, as in Betancourt, Diagnosing suboptimal cotangent
        disintegrations in Hamiltonian Monte Carlo, 2016: far below 1 where each new momentum changes the
        energy by little of its range.  ``hmc`` and ``nuts`` have energies.
        """
        return np.array([energy_ratio(energies) for energies in self.told[:, :, 6]])

    @cached_property
    def spread(self) -> Spread | None:
        """Variances of the draws over those of the target, of a sampler whose steps are always taken."""
        return None if self.look is None else self.look()

    @cached_property
    def tails(self) -> Array:
        """Pareto shapes of the heavier tail of each parameter, (d,): a mean needs less than 1."""
        return np.array([tail_shape(self.draws[:, :, j]) for j in range(self.draws.shape[2])])

    @cached_property
    def doubts(self) -> list[str]:
        """The reasons why no Monte-Carlo error of these draws can be believed; none is good."""
        with _unbounded():
            return doubts(self, self._share)

    @cached_property
    def _share(self) -> float:
        """The largest Monte-Carlo error of a mean, in posterior deviations; infinite where there is none."""
        with _unbounded():
            share = self.mcse / np.where(self.deviation > 0.0, self.deviation, 1.0)
        if not (np.isfinite(share).all() and (self.deviation > 0.0).all()):
            return math.inf
        # Deviations of the target are smaller than those of the draws by the root of this.
        wider = 1.0 if self.spread is None else max(1.0, self.spread.mean)
        return float(np.max(share)) * math.sqrt(wider)

    @cached_property
    def certificate(self) -> Certificate:
        """How well the means are known: the largest Monte-Carlo error, in posterior deviations.

        It is infinite where there is a reason to believe none.
        """
        value = math.inf if self.doubts else self._share
        return Certificate(Kind.MONTE_CARLO, value, 1.0, " ".join(claims(self, self._share, self.doubts)))

    def summary(self, level: float = 0.9) -> DrawsSummary:
        """Return a table with one line for each parameter.

        Parameters
        ----------
        level : float in (0, 1), default 0.9
            Mass of the interval between two quantiles.
        """
        check_chance("level", level)
        ends = [0.5 * (1.0 - level), 0.5 * (1.0 + level)]
        low, high = np.quantile(self.draws, ends, axis=(0, 1))
        columns = {
            "mean": self.mean,
            "mcse": self.mcse,
            "sd": self.deviation,
            f"q{100.0 * ends[0]:g}": low,
            f"q{100.0 * ends[1]:g}": high,
            "ess_bulk": self.ess_bulk,
            "ess_tail": self.ess_tail,
            "r_hat": self.r_hat,
        }
        return DrawsSummary(self.names, columns, [self.certificate.claim], self._heading())

    def _heading(self) -> str:
        chains, n, _ = self.draws.shape
        return (
            f"{self.target}: {counted(chains, 'chain')} of {counted(n, 'draw')} by {self.method}, after a "
            f"warm-up of {self.warm_up:,}"
        )

    def __repr__(self) -> str:
        return repr(self.summary())

    def _form(self) -> Form:
        return self.summary()._form()

    def means(self, X: Any, offset: Any = None) -> Array:
        """Return the expected targets of rows under every draw, (chains, n, rows).

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (rows, p)
            Columns as those that were sampled; a model looks at their names as for its own predictions.
        offset : array, shape (rows,), optional
            A known part of the scores, such as the logarithm of an exposure.
        """
        return np.asarray(self.law.means(self.draws, X, offset))

    def predictive(self, X: Any, offset: Any = None, random_state: Seed = None) -> Array:
        """Return posterior predictive draws: a target for each row and draw, (chains, n, rows).

        Labels are those that the model was fitted to (-1 and +1 of a problem).  What is unknown of the
        parameters and the noise of a new target are both in them; the dispersion is taken as known.

        Parameters
        ----------
        X : array, sparse matrix or frame, shape (rows, p)
            Columns as those that were sampled; a model looks at their names as for its own predictions.
        offset : array, shape (rows,), optional
            A known part of the scores, such as the logarithm of an exposure.
        random_state : int, Generator or None, default None
            Seed; None means 0, so that two calls share their random numbers.

        Examples
        --------
        >>> from empirisk.samplers import sample
        >>> X = np.arange(20.0)[:, None] / 20.0
        >>> model = er.Ridge(alpha=0.01).fit(X, 2.0 * X[:, 0])
        >>> found = sample(model, draws=100, dispersion=0.25)
        >>> found.predictive(X[:3]).shape
        (4, 100, 3)
        """
        rng = np.random.default_rng(check_seed(random_state))
        drawn = self.law.draw(self.law.means(self.draws, X, offset), rng)
        return np.asarray(self.law.labelled(drawn))

    def predictive_check(
        self,
        X: Any,
        y: Any,
        statistics: Any = None,
        *,
        offset: Any = None,
        replications: int = 1000,
        random_state: Seed = None,
    ) -> PredictiveCheck:
        """Compare statistics of data with those of data that the model makes at the same rows.

        Each of some draws makes a replication ``y'`` of all targets; ``above`` is the share with ``T(y') >=
        T(y)``, with its Monte-Carlo interval.  A share near 0 or 1 says that the model does not make data
        like these.  Rows count once, and the dispersion is taken as known.

        Parameters
        ----------
        X : array, shape (rows, p)
            Columns as those that were sampled.
        y : array, shape (rows,)
            Targets: numbers, or labels of the classes.
        statistics : str, callable, sequence or mapping of them, optional
            ``"mean"``, ``"sd"``, ``"min"``, ``"max"``, ``"zeros"`` (the share of zeros), or functions of an
            array of targets (-1 and +1 for two classes, codes for several) that return a number; by default
            those that fit the loss.
        offset : array, shape (rows,), optional
            A known part of the scores.
        replications : int, default 1000
            Of all chains together, rounded up to as many of each; at most one a draw.
        random_state : int, Generator or None, default None
            Seed; None means 0.

        Examples
        --------
        >>> from empirisk.samplers import sample
        >>> X = np.arange(20.0)[:, None] / 20.0
        >>> y = 2.0 * X[:, 0] + np.tile([0.5, -0.5], 10)
        >>> found = sample(er.Ridge(alpha=0.01).fit(X, y), draws=200, dispersion=0.25)
        >>> found.predictive_check(X, y, "max").off
        []
        """
        return predictive_check(self, X, y, statistics, offset, replications, random_state)

    def against(self, summary: Any) -> SideBySide:
        """Put posterior intervals beside the confidence intervals of the same coefficients.

        Parameters
        ----------
        summary : Summary
            ``model.summary()`` of the model that was sampled, with valid standard errors; its level is that
            of both intervals.  Of three classes or more both are log odds against the first one.
        """
        return side_by_side(self, summary)

    @property
    def law(self) -> Any:
        """The law of a target; a refusal where there is none."""
        if self.likelihood is None:
            raise ValueError(f"{self.target} has no rows, and so no targets that could be predicted")
        return self.likelihood

    def plot(self, parameter: Any = None, *, kind: str = "trace", ax: Any = None) -> Any:
        """Draw the chains of one parameter; returns the Plot (the extra ``report``).

        Parameters
        ----------
        parameter : str or int, optional
            Name or number; by default the one with the largest R-hat.
        kind : {"trace", "ranks", "density", "energy"}, default "trace"
            Values in their order, one line a chain; how often each chain has small and large ranks among all
            draws, which is equally often where chains agree; the density of all draws with the interval of
            90 %; or, of ``hmc`` and ``nuts``, the energies beside their changes, whatever the parameter.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return chart_of(self, self._column(parameter), kind).plot(ax)

    def _column(self, parameter: Any) -> int:
        """The number of a parameter that is named or numbered; the worst one by default."""
        if parameter is None:
            known = np.where(np.isfinite(self.r_hat), self.r_hat, np.inf)
            return int(np.argmax(known))
        if isinstance(parameter, str) and parameter in self.names:
            return self.names.index(parameter)
        whole = isinstance(parameter, Integral) and not isinstance(parameter, bool)
        if whole and 0 <= parameter < len(self.names):
            return int(parameter)
        raise ValueError(
            f"parameter must be a name of the draws ({quoted(self.names)}) or a number from 0 to "
            f"{len(self.names) - 1}, got {parameter!r}"
        )

    def to_arviz(self) -> Any:
        """Return the draws as ArviZ's InferenceData (the extra ``bayes``), with what transitions told."""
        return inference_data(self)
