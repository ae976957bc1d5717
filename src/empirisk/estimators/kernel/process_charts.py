"""What a Gaussian process draws: its curve where it has one column, else its likelihood along a parameter."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.checks import check_choice, check_count
from empirisk.gaussian_processes.factor import NotDefiniteError
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["ProcessCharts"]

REACH = 2.5  # of the logarithm of a parameter, either way
WIDTHS = ("length_scale", "gamma")


class ProcessCharts:
    """Charts of both estimators; a subclass says what its curve is."""

    n_features_in_: int

    def _band(self, rows: Array, level: float) -> tuple[Array, Array, Array]:
        """Return the curve at the rows, and the lower and upper ends of its band."""
        raise NotImplementedError

    def _drawn(self) -> tuple[Any, Array, str]:
        """Return the rows of the fit, what is drawn for each, and the label of the vertical axis."""
        raise NotImplementedError

    def _inside(self, rows: Array, y: Array, level: float) -> int | None:
        """Return how many rows lie in the band; None where the band is none for them."""
        return None

    def curve(self, level: float = 0.9, points: int = 200) -> dict[str, Any]:
        """The curve of a fit on one column as a chart takes it.

        Parameters
        ----------
        level : float, default 0.9
            Coverage of the band: of a new y for the regressor (as ``prediction_interval`` has it by
            default), of the latent function, brought to the scale of probabilities, for the classifier.
        points : int, default 200
            Places, evenly spaced over the rows of the fit and a tenth of their range to either side.

        Returns
        -------
        dict
            ``x``, ``value``, ``low``, ``high``, ``level``, ``rows``, ``inside``, ``feature`` and ``label``.

        Raises
        ------
        ValueError
            For a fit on several columns, a precomputed kernel, or three classes and more.
        """
        check_is_fitted(self)
        level = check_level(level)
        points = check_count("points", points, 2)
        self._has_rows()
        if self.n_features_in_ != 1:
            raise ValueError(f"a curve needs a fit on one column, and this one has {self.n_features_in_}")
        rows, y, label = self._drawn()
        x = np.ravel(rows.toarray() if hasattr(rows, "toarray") else rows)
        margin = 0.1 * float(np.ptp(x)) or 1.0
        at = np.linspace(x.min() - margin, x.max() + margin, points)
        value, low, high = self._band(at[:, None], level)
        names = getattr(self, "feature_names_in_", ["the column of X"])
        return {
            "x": at.tolist(),
            "value": value.tolist(),
            "low": low.tolist(),
            "high": high.tolist(),
            "level": level,
            "rows": np.stack([x, y], axis=1).tolist(),
            "inside": self._inside(x[:, None], y, level),
            "feature": str(names[0]),
            "label": label,
        }

    def evidence_curve(self, parameter: str | None = None, points: int = 41) -> dict[str, Any]:
        """What the fit maximises along one parameter, the others held, in nats below the fit.

        Parameters
        ----------
        parameter : str, optional
            A name of ``parameter_intervals``; by default the first length scale or gamma, else the first.
        points : int, default 41
            Evaluations, evenly spaced over a factor of 12 on either side.

        Returns
        -------
        dict
            ``parameter``, ``x``, ``value``, ``fitted`` and ``of``; values that cannot be computed are left
            out.
        """
        check_is_fitted(self)
        points = check_count("points", points, 2)
        self._has_rows()
        criterion, covariance, units = self._fitted_criterion()  # type: ignore[attr-defined]  # of the subclass
        names = covariance.names
        if not names:
            raise ValueError("the kernel has no parameter, and the noise was given: there is nothing to draw")
        if parameter is None:
            parameter = next((n for n in names if n.split(".")[-1].split("[")[0] in WIDTHS), names[0])
        j = names.index(check_choice("parameter", parameter, {name: name for name in names}))
        theta = covariance.start
        best, x, values = criterion(theta)[0], [], []
        for step in np.linspace(-REACH, REACH, points):
            moved = theta.copy()
            moved[j] += step
            try:
                values.append(float(criterion(moved)[0] - best))
            except NotDefiniteError:
                continue
            x.append(float(np.exp(moved[j]) * units[j]))
        fitted = float(np.exp(theta[j]) * units[j])
        return {"parameter": parameter, "x": x, "value": values, "fitted": fitted, "of": criterion.title}

    def plot(self, ax: Any = None) -> Any:
        """Draw :meth:`curve` for one column, else :meth:`evidence_curve`; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.evidence import EvidenceDisplay
        from empirisk.plots.process import ProcessDisplay

        check_is_fitted(self)
        one = self.n_features_in_ == 1 and len(getattr(self, "classes_", ())) <= 2
        display = ProcessDisplay(self.curve()) if one else EvidenceDisplay(self.evidence_curve())
        return display.plot(ax)

    def _has_rows(self) -> None:
        if self.kernel_.precomputed:  # type: ignore[attr-defined]  # of the subclass
            raise ValueError(
                "a chart needs the rows, which a precomputed kernel does not keep: give a kernel of "
                "er.kernels"
            )
