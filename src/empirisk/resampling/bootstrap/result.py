"""What a bootstrap returns: one estimate for each number of the statistic, with standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from empirisk.evaluation.evaluation import Evaluation
from empirisk.resampling.bootstrap.distribution import Distribution
from empirisk.results import Estimate

__all__ = ["Bootstrap"]


class Bootstrap(Evaluation):
    """Estimates by name; a statistic that is one number answers ``.value``, ``.low``, ``.high`` itself.

    Parameters
    ----------
    estimates : mapping of str to Estimate
        One estimate for each number.
    standard_errors : mapping of str to float
        Standard deviation of the resampled numbers.
    n_resamples : int or None
        Resamples drawn; None when the distribution is exact.
    distributions : mapping of str to Distribution
        The resampled numbers, where they were asked for.
    """

    def __init__(
        self,
        estimates: Mapping[str, Estimate],
        standard_errors: Mapping[str, float],
        n_resamples: int | None,
        distributions: Mapping[str, Distribution] | None = None,
    ) -> None:
        super().__init__(estimates, title="Bootstrap")
        self.standard_errors = dict(standard_errors)
        self.n_resamples = n_resamples
        self.distributions = dict(distributions or {})

    @property
    def estimate(self) -> Estimate:
        """The one estimate; a statistic of several numbers is read by name instead."""
        return self[self._name]

    @property
    def _name(self) -> str:
        if len(self) != 1:
            raise ValueError(f"this bootstrap holds {len(self)} numbers; take one by name: {', '.join(self)}")
        return next(iter(self))

    @property
    def standard_error(self) -> float:
        """Standard deviation of the resampled number."""
        return self.standard_errors[self._name]

    @property
    def distribution(self) -> Distribution:
        """The resampled number: ``.values`` of the draws, or the exact atoms with ``.weights``."""
        if not self.distributions:
            raise ValueError("the resampled numbers were not kept; call bootstrap(..., keep=True)")
        return self.distributions[self._name]

    @property
    def value(self) -> float:
        """The statistic of the data themselves, without resampling."""
        return self.estimate.value

    @property
    def low(self) -> float | None:
        """Lower end; None when the data cannot tell."""
        return self.estimate.low

    @property
    def high(self) -> float | None:
        """Upper end; None when the data cannot tell."""
        return self.estimate.high

    @property
    def level(self) -> float:
        """The nominal coverage of the intervals."""
        return next(iter(self.values())).level

    @property
    def n(self) -> int:
        """Rows, or groups where whole groups were drawn."""
        return next(iter(self.values())).n

    @property
    def method(self) -> str:
        """How the intervals were made, in words."""
        return next(iter(self.values())).method

    @property
    def reason(self) -> str:
        """Why there is no interval, or what to know about it."""
        return self.estimate.reason

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the stable JSON form: that of the estimates, and ``standard_error``."""
        return {k: {**d, "standard_error": self.standard_errors[k]} for k, d in super().to_dict().items()}

    def to_frame(self) -> Any:
        """Return the columns metric, value, low, high, level, n, method, reason, target, standard_error."""
        frame = super().to_frame()
        errors = list(self.standard_errors.values())
        if hasattr(frame, "with_columns"):
            return frame.with_columns(standard_error=errors)
        frame["standard_error"] = errors
        return frame
