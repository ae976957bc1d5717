"""The layers of a network: where each block of parameters lies, and the passes forwards and backwards.

With ``h_0 = x``, layer l computes ``a_l = h_(l-1) W_l + b_l`` and ``h_l = f_l(a_l)``; the scores are the
outputs of the last layer.  The slopes go back through the same matrices (Rumelhart, Hinton and Williams,
Nature 323, 1986): ``d_l = (d_(l+1) W_(l+1)') f_l'(a_l)``, ``dW_l = h_(l-1)' d_l``, ``db_l = sum d_l``.

A normalised layer brings its sums ``h_(l-1) W_l`` to mean 0 and variance 1 first, u, and its activation reads
``a_l = gain_l u + b_l``: a bias before it would be lost.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from empirisk.data.seeds import Seed, check_seed, within
from empirisk.problems.activations import Activation, Identity
from empirisk.problems.base import Layout, Part
from empirisk.problems.normalizations import Normalization
from empirisk.problems.normalizations.base import Moments
from empirisk.typing import Array

__all__ = ["Layers", "Trace"]


@dataclass(frozen=True, eq=False)
class Trace:
    """What rows leave on their way forwards, for the way back.

    Parameters
    ----------
    outputs : list of array
        The input, and the outputs of each layer.
    sums : list of array
        What the activation of each layer reads.
    units : list of (array, array) or None
        The normalised sums u of each layer and the factors ``1 / sqrt(v + 1e-5)``, None without
        normalization.
    """

    outputs: list[Array]
    sums: list[Array]
    units: list[tuple[Array, Array] | None]


@dataclass(frozen=True)
class Layers:
    """Widths and activations of a network whose parameters lie in one array, layer after layer.

    Parameters
    ----------
    widths : tuple of int
        Columns of the input, units of each layer, and at last the scores of a row; at least two numbers.
    activations : tuple of Activation
        One for each layer, the last one of the scores.
    normalizations : tuple of (Normalization or None), optional
        One for each layer; none at all when left out.

    Examples
    --------
    >>> from empirisk.problems.activations import Tanh
    >>> from empirisk.problems.normalizations import LayerNormalization
    >>> layers = Layers.of((2, 3, 1), Tanh())
    >>> layers.size, [part.name for part in layers.layout.parts]
    (13, ['weights 1', 'biases 1', 'weights 2', 'biases 2'])
    >>> [part.name for part in Layers.of((2, 3, 1), Tanh(), LayerNormalization()).layout.parts]
    ['weights 1', 'biases 1', 'gains 1', 'weights 2', 'biases 2']
    """

    widths: tuple[int, ...]
    activations: tuple[Activation, ...]
    normalizations: tuple[Normalization | None, ...] = ()

    def __post_init__(self) -> None:
        if len(self.widths) < 2 or min(self.widths) < 1:
            raise ValueError(f"widths must be at least two numbers >= 1, got {self.widths!r}")
        if len(self.activations) != len(self.widths) - 1:
            raise ValueError(
                f"activations must name one for each of the {len(self.widths) - 1} layers, got "
                f"{len(self.activations)}"
            )
        if not self.normalizations:
            object.__setattr__(self, "normalizations", (None,) * self.depth)
        if len(self.normalizations) != self.depth:
            raise ValueError(
                f"normalizations must name one or None for each of the {self.depth} layers, got "
                f"{len(self.normalizations)}"
            )
        for number, (norm, units) in enumerate(zip(self.normalizations, self.widths[1:], strict=True), 1):
            if norm is not None and not norm.over_rows and units < 2:
                raise ValueError(
                    f"normalization={norm.name!r} of layer {number}, which has one unit, makes every sum 0; "
                    "give it more units, or no normalization"
                )

    @classmethod
    def of(
        cls, widths: tuple[int, ...], hidden: Activation, normalization: Normalization | None = None
    ) -> Layers:
        """Return layers that are alike but for the last, whose scores are its sums."""
        count = len(widths) - 2
        return cls(tuple(widths), (hidden,) * count + (Identity(),), (normalization,) * count + (None,))

    @property
    def depth(self) -> int:
        """The number of layers with weights."""
        return len(self.activations)

    @property
    def size(self) -> int:
        """The number of weights, biases and gains of all layers."""
        return self._ends()[-1]

    def _ends(self) -> list[int]:
        """Return where the parameters of each layer end."""
        ends, at = [], 0
        for a, b, norm in zip(self.widths[:-1], self.widths[1:], self.normalizations, strict=True):
            at += (a + 1 + (norm is not None)) * b
            ends.append(at)
        return ends

    @property
    def layout(self) -> Layout:
        """Weights, biases and gains of each layer; penalties look at weights alone."""
        parts: list[Part] = []
        kinds = zip(self.widths[:-1], self.widths[1:], self.normalizations, strict=True)
        for number, (a, b, norm) in enumerate(kinds, 1):
            parts += [Part(f"weights {number}", a * b), Part(f"biases {number}", b, penalised=False)]
            if norm is not None:
                parts.append(Part(f"gains {number}", b, penalised=False))
        return Layout((self.size,), tuple(parts))

    def split(self, w: Array) -> Iterator[tuple[Array, Array]]:
        """Yield weights (inputs, units) and biases (units,) of each layer, as views.

        Raises
        ------
        ValueError
            When w has another shape than (size,).
        """
        if np.shape(w) != (self.size,):
            raise ValueError(
                f"w must have shape ({self.size},), one number for each parameter of the network, got "
                f"{np.shape(w)}"
            )
        at = 0
        for a, b, end in zip(self.widths[:-1], self.widths[1:], self._ends(), strict=True):
            yield w[at : at + a * b].reshape(a, b), w[at + a * b : at + (a + 1) * b]
            at = end

    def gains(self, w: Array) -> list[Array]:
        """Return the gains (units,) of each layer as a view, of length 0 without normalization."""
        return [
            w[end - (0 if norm is None else b) : end]
            for b, end, norm in zip(self.widths[1:], self._ends(), self.normalizations, strict=True)
        ]

    def join(self, weights: Sequence[Array], biases: Sequence[Array], gains: Sequence[Array]) -> Array:
        """Return the parameters of all layers in one array, in double precision."""
        parts = [np.ravel(part) for layer in zip(weights, biases, gains, strict=True) for part in layer]
        return np.concatenate(parts).astype(np.float64)

    def misshapen(self, given: Mapping[str, Sequence[Array]]) -> str:
        """Return in words which of coefs_, intercepts_ and gains_ have no shapes of these layers; else ''."""
        blank = np.zeros(self.size)
        pairs = list(self.split(blank))
        wanted = {
            "coefs_": [weights.shape for weights, _ in pairs],
            "intercepts_": [bias.shape for _, bias in pairs],
            "gains_": [gain.shape for gain in self.gains(blank)],
        }
        for name, shapes in wanted.items():
            found = [np.shape(part) for part in given[name]]
            if found != shapes:
                return f"{name} has the shapes {found}, and the layers have {shapes}"
        return ""

    def masked(self, w: Array) -> Array:
        """Return a copy of w in which all but the weights is 0: what penalties look at."""
        out = np.array(w)
        for (_, bias), gain in zip(self.split(out), self.gains(out), strict=True):
            bias[:], gain[:] = 0.0, 0.0
        return out

    def draw(self, seed: Seed) -> Array:
        """Return random parameters: weights of the spread that keeps that of the sums, biases 0, gains 1.

        Layers before a rectifier draw normal weights of variance ``gain^2 / fan_in`` (He, Zhang, Ren and Sun,
        ICCV 2015), the others uniform ones within ``gain sqrt(6 / (fan_in + fan_out))`` (Glorot and Bengio,
        AISTATS 2010).  The same seed draws the same numbers.
        """
        rng = np.random.default_rng(np.random.Philox(key=within(check_seed(seed, "seed"), 64)))
        w = np.zeros(self.size)
        for (weights, _), f in zip(self.split(w), self.activations, strict=True):
            a, b = weights.shape
            if f.rectifies:
                weights[:] = rng.normal(scale=f.gain / math.sqrt(a), size=(a, b))
            else:
                reach = f.gain * math.sqrt(6.0 / (a + b))
                weights[:] = rng.uniform(-reach, reach, size=(a, b))
        for gain in self.gains(w):
            gain[:] = 1.0
        return w

    def forward(self, w: Array, x: Array, moments: Sequence[Moments | None] | None = None) -> Trace:
        """Return what rows leave on their way through the layers.

        `moments` are the means and variances of all rows, for the sums of each layer that is normalised over
        rows, and None for the others; a shorter list ends the way before the first layer that it lacks.
        """
        trace = Trace([x], [], [])
        given = (None,) * self.depth if moments is None else moments
        for (weights, bias), gain, norm, f, known in zip(
            self.split(w), self.gains(w), self.normalizations, self.activations, given, strict=False
        ):
            a, unit = trace.outputs[-1] @ weights, None
            if norm is not None:
                unit = norm.standardise(a, known)
                a = gain * unit[0]
            a += bias
            trace.units.append(unit)
            trace.sums.append(a)
            trace.outputs.append(f.value(trace.sums[-1]))
        return trace

    def scores(self, w: Array, x: Array, moments: Sequence[Moments | None] | None = None) -> Array:
        """Return the outputs of the last layer, shape (n, scores)."""
        return self.forward(w, x, moments).outputs[-1]

    def backward(
        self,
        w: Array,
        trace: Trace,
        slope: Array,
        share: Array | None = None,
        totals: Sequence[Moments | None] = (),
    ) -> tuple[Array, Array]:
        """Return the gradient in the parameters, and the squared norm of each row's own part of it.

        Parameters
        ----------
        w : array
            The parameters.
        trace : Trace
            What :meth:`forward` returned.
        slope : array, shape (n, scores)
            Derivative of the objective in the outputs of the last layer, row by row.
        share : array, shape (n,), optional
            Share of each row in the weight of all rows, where a layer is normalised over rows.
        totals : sequence of (array, array) or None, optional
            For each such layer the sums over all rows of the slopes d in its u, and of ``d u``.  Where they
            are not known yet the way back ends: the gradient is 0 below that layer, and in its weights.
        """
        grad = np.zeros(self.size)
        squares = np.zeros(len(slope))
        pairs, views = list(self.split(w)), list(self.split(grad))
        gains, for_gains = self.gains(w), self.gains(grad)
        for number in reversed(range(self.depth)):
            slope = slope * self.activations[number].slope(trace.sums[number])
            (weights, bias), h = views[number], trace.outputs[number]
            bias[:] = slope.sum(axis=0)
            squares += _squares(slope)
            norm, unit = self.normalizations[number], trace.units[number]
            if norm is not None and unit is not None:
                for_gains[number][:] = (slope * unit[0]).sum(axis=0)
                squares += _squares(slope * unit[0])
                total = totals[number] if totals else None
                if norm.over_rows and total is None:
                    return grad, squares
                slope = norm.slopes(slope * gains[number], *unit, share, total)
            weights[:] = h.T @ slope
            squares += _squares(h) * _squares(slope)
            if number:
                slope = slope @ pairs[number][0].T
        return grad, squares


def _squares(rows: Array) -> Array:
    """Return the squared norm of each row, without an array of squares."""
    return np.asarray(np.einsum("ij,ij->i", rows, rows))
