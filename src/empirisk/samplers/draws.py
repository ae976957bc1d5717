"""Draws from a distribution: means with Monte-Carlo errors, and whether the chains agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from empirisk.data.seeds import Seed, check_seed
from empirisk.data.tabular import Tabular
from empirisk.results import Certificate, Kind
from empirisk.samplers.charts import chart_of
from empirisk.samplers.diagnostics import ess_bulk, ess_mean, ess_tail, r_hat
from empirisk.samplers.likelihood import Likelihood
from empirisk.typing import Array
from empirisk.wording import counted, quoted

__all__ = ["Draws", "DrawsSummary"]

# Above this chains are not taken to agree (Vehtari et al. 2021, section 4).
_AGREE = 1.01
# Effective draws below which no Monte-Carlo error is believed (as there: 100 for each of four chains).
_FEW = 400.0
# The Monte-Carlo error that the advice aims at, in posterior deviations.
_AIM = 0.01


def _unbounded() -> np.errstate:
    """A context for chains that ran away: their sums overflow, and the certificate says what happened."""
    return np.errstate(over="ignore", invalid="ignore")


@dataclass(frozen=True, repr=False)
class DrawsSummary(Tabular):
    """One line for each parameter: mean, its Monte-Carlo error, deviation, quantiles, sizes, R-hat.

    Parameters
    ----------
    names : list of str
    columns : dict of arrays
        By the name of a column.
    sentences : list of str
    """

    names: list[str]
    columns: dict[str, Array]
    sentences: list[str]
    heading: str

    @property
    def title(self) -> str:
        """What was drawn, and how much of it."""
        return self.heading

    def _shown(self) -> dict[str, list[Any]]:
        out: dict[str, list[Any]] = {"parameter": list(self.names)}
        for name, values in self.columns.items():
            whole = name.startswith("ess")
            out[name] = [round(float(v)) if whole and math.isfinite(v) else float(v) for v in values]
        return out

    def _columns(self) -> dict[str, list[Any]]:
        return {"parameter": list(self.names), **{k: [float(x) for x in v] for k, v in self.columns.items()}}

    def _notes(self) -> list[str]:
        return self.sentences


@dataclass(frozen=True, eq=False, repr=False)
class Draws:
    """Draws of several chains, (chains, n, d), with what is needed to trust them or not.

    Parameters
    ----------
    draws : array, shape (chains, n, d)
    told : array, shape (chains, n, 6)
        Of each kept transition: acceptance, gradients, depth, divergent, potential, step.
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
    likelihood : Likelihood, optional
        The law of a target, given the parameters, where the target of the sampler is a linear problem.
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
    likelihood: Likelihood | None = None

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
        """Standard deviations of all draws, (d,)."""
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
    def certificate(self) -> Certificate:
        """How well the means are known: the largest Monte-Carlo error, in posterior deviations."""
        share = self.mcse / np.where(self.deviation > 0.0, self.deviation, 1.0)
        value = float(np.max(share)) if np.isfinite(share).all() else math.inf
        return Certificate(Kind.MONTE_CARLO, value, 1.0, " ".join(self._sentences(value)))

    def _sentences(self, value: float) -> list[str]:
        chains, n, _ = self.draws.shape
        out = [self._agreement(value)]
        few = float(np.min([self.ess_bulk.min(), self.ess_tail.min()]))
        if math.isfinite(few) and few < _FEW:
            out.append(
                f"The smallest effective sample size is {few:,.0f}, below the {_FEW:,.0f} that Monte-Carlo "
                "errors need to be believed."
            )
        if math.isfinite(value) and value > _AIM:
            more = math.ceil(n * ((value / _AIM) ** 2 - 1.0))
            out.append(
                f"{counted(more, 'more draw')} of each chain would bring the error to 1 % of a deviation."
            )
        if self.divergences:
            out.append(
                f"{counted(self.divergences, 'transition')} of {chains * n:,} diverged: places of strong "
                f"curvature are sampled too seldom; {self.remedy}."
            )
        if not self.exact:
            out.append(
                f"The {self.method} chains settle to a law that differs from the target by a bias of the "
                "order of the step, which this error does not count: half the step has half of it."
            )
        if self.interrupted:
            out.append("The run was interrupted: these are the draws up to then.")
        return out

    def _agreement(self, value: float) -> str:
        worst = float(np.max(self.r_hat)) if np.isfinite(self.r_hat).all() else math.inf
        if not math.isfinite(value):
            return "There are too few draws, or they do not move: no Monte-Carlo error can be given."
        j = int(np.argmax(self.r_hat))
        if worst > _AGREE:
            return (
                f"The chains do not agree yet (R-hat {worst:.3f} for {self.names[j]!r}, and 1.01 is the "
                "limit), so that no error can be believed: draw more, or warm up longer."
            )
        return (
            f"Each mean is known to {100.0 * value:.2g} % of its posterior deviation (largest Monte-Carlo "
            f"standard error), and the chains agree: R-hat is at most {worst:.3f}."
        )

    def summary(self, level: float = 0.9) -> DrawsSummary:
        """Return a table with one line for each parameter.

        Parameters
        ----------
        level : float in (0, 1), default 0.9
            Mass of the interval between two quantiles.
        """
        if not 0.0 < level < 1.0:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}")
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

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_()

    def means(self, X: Any, offset: Any = None) -> Array:
        """Return the expected targets of rows under every draw, (chains, n, rows).

        Parameters
        ----------
        X : array, shape (rows, p)
            Columns as those that were sampled.
        offset : array, shape (rows,), optional
            A known part of the scores.
        """
        return self._law.means(self.draws, X, offset)

    def predictive(self, X: Any, offset: Any = None, random_state: Seed = None) -> Array:
        """Return posterior predictive draws: a target for each row and draw, (chains, n, rows).

        Labels are -1 and +1.  What is unknown of the parameters and the noise of a new target are both in
        them; the dispersion is taken as known.

        Parameters
        ----------
        X : array, shape (rows, p)
            Columns as those that were sampled.
        offset : array, shape (rows,), optional
            A known part of the scores.
        random_state : int, Generator or None, default None
            Seed; None means 0.

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
        return self._law.draw(self._law.means(self.draws, X, offset), rng)

    @property
    def _law(self) -> Likelihood:
        """The law of a target; a refusal where there is none."""
        if self.likelihood is None:
            raise ValueError(f"{self.target} has no rows, and so no targets that could be predicted")
        return self.likelihood

    def plot(self, parameter: Any = None, *, kind: str = "trace", ax: Any = None) -> Any:
        """Draw the chains of one parameter; returns the Axes (the extra ``report``).

        Parameters
        ----------
        parameter : str or int, optional
            Name or number; by default the one with the largest R-hat.
        kind : {"trace", "ranks", "density"}, default "trace"
            Values in their order, one line a chain; how often each chain has small and large ranks among all
            draws, which is equally often where chains agree; or the density of all draws with the interval of
            90 %.
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
        """Return the draws as ArviZ's InferenceData (the extra ``bayes``)."""
        try:
            import arviz
        except ImportError as error:
            raise ImportError("to_arviz needs arviz: pip install 'empirisk[bayes]'") from error
        posterior = {name: self.draws[:, :, j] for j, name in enumerate(self.names)}
        stats = {
            "acceptance_rate": self.told[:, :, 0],
            "n_steps": self.told[:, :, 1].astype(np.int64),
            "tree_depth": self.told[:, :, 2].astype(np.int64),
            "diverging": self.told[:, :, 3] > 0.0,
            "lp": -self.told[:, :, 4],
            "step_size": self.told[:, :, 5],
        }
        groups = {"posterior": posterior, "sample_stats": stats}
        try:
            return arviz.from_dict(**groups)
        except TypeError:  # from its version 1 on the groups are one dictionary
            return arviz.from_dict(groups)
