"""The layers of a network: where each block of parameters lies, and the passes forwards and backwards.

With ``h_0 = x``, layer l computes ``a_l = h_(l-1) W_l + b_l`` and ``h_l = f_l(a_l)``; the scores are the
outputs of the last layer.  The slopes go back through the same matrices (Rumelhart, Hinton and Williams,
Nature 323, 1986): ``d_l = (d_(l+1) W_(l+1)') f_l'(a_l)``, ``dW_l = h_(l-1)' d_l``, ``db_l = sum d_l``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from empirisk.data.seeds import Seed, check_seed, within
from empirisk.problems.activations import Activation, Identity
from empirisk.problems.base import Layout, Part
from empirisk.typing import Array

__all__ = ["Layers"]


@dataclass(frozen=True)
class Layers:
    """Widths and activations of a network whose parameters lie in one array, layer after layer.

    Parameters
    ----------
    widths : tuple of int
        Columns of the input, units of each layer, and at last the scores of a row; at least two numbers.
    activations : tuple of Activation
        One for each layer, the last one of the scores.

    Examples
    --------
    >>> from empirisk.problems.activations import Tanh
    >>> layers = Layers.of((2, 3, 1), Tanh())
    >>> layers.size, [part.name for part in layers.layout.parts]
    (13, ['weights 1', 'biases 1', 'weights 2', 'biases 2'])
    """

    widths: tuple[int, ...]
    activations: tuple[Activation, ...]

    def __post_init__(self) -> None:
        if len(self.widths) < 2 or min(self.widths) < 1:
            raise ValueError(f"widths must be at least two numbers >= 1, got {self.widths!r}")
        if len(self.activations) != len(self.widths) - 1:
            raise ValueError(
                f"activations must name one for each of the {len(self.widths) - 1} layers, got "
                f"{len(self.activations)}"
            )

    @classmethod
    def of(cls, widths: tuple[int, ...], hidden: Activation) -> Layers:
        """Return layers with one activation for all but the last, whose scores stay as they are."""
        return cls(tuple(widths), (hidden,) * (len(widths) - 2) + (Identity(),))

    @property
    def depth(self) -> int:
        """The number of layers with weights."""
        return len(self.activations)

    @property
    def size(self) -> int:
        """The number of weights and biases of all layers."""
        return sum((a + 1) * b for a, b in zip(self.widths[:-1], self.widths[1:], strict=True))

    @property
    def layout(self) -> Layout:
        """Weights and biases of each layer; penalties look at weights alone."""
        parts: list[Part] = []
        for number, (a, b) in enumerate(zip(self.widths[:-1], self.widths[1:], strict=True), 1):
            parts += [Part(f"weights {number}", a * b), Part(f"biases {number}", b, penalised=False)]
        return Layout((self.size,), tuple(parts))

    def split(self, w: Array) -> Iterator[tuple[Array, Array]]:
        """Yield weights (inputs, units) and biases (units,) of each layer, as views."""
        at = 0
        for a, b in zip(self.widths[:-1], self.widths[1:], strict=True):
            yield w[at : at + a * b].reshape(a, b), w[at + a * b : at + (a + 1) * b]
            at += (a + 1) * b

    def masked(self, w: Array) -> Array:
        """Return a copy of w whose biases are 0: what penalties look at."""
        out = np.array(w)
        for _, bias in self.split(out):
            bias[:] = 0.0
        return out

    def draw(self, seed: Seed) -> Array:
        """Return random parameters: weights of the spread that keeps that of the sums, biases 0.

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
        return w

    def forward(self, w: Array, x: Array) -> tuple[list[Array], list[Array]]:
        """Return the sums of each layer, and the outputs of the input and each layer."""
        sums: list[Array] = []
        outputs: list[Array] = [x]
        for (weights, bias), f in zip(self.split(w), self.activations, strict=True):
            sums.append(outputs[-1] @ weights + bias)
            outputs.append(f.value(sums[-1]))
        return sums, outputs

    def scores(self, w: Array, x: Array) -> Array:
        """Return the outputs of the last layer, shape (n, scores)."""
        for (weights, bias), f in zip(self.split(w), self.activations, strict=True):
            x = f.value(x @ weights + bias)
        return x

    def backward(
        self, w: Array, sums: list[Array], outputs: list[Array], slope: Array
    ) -> tuple[Array, Array]:
        """Return the gradient in the parameters, and the squared norm of each row's own part of it.

        Parameters
        ----------
        w : array
            The parameters.
        sums, outputs : list of array
            What :meth:`forward` returned.
        slope : array, shape (n, scores)
            Derivative of the objective in the outputs of the last layer, row by row.
        """
        grad = np.empty(self.size)
        squares = np.zeros(len(slope))
        pairs, views = list(self.split(w)), list(self.split(grad))
        for number in reversed(range(self.depth)):
            slope = slope * self.activations[number].slope(sums[number])
            weights, bias = views[number]
            weights[:], bias[:] = outputs[number].T @ slope, slope.sum(axis=0)
            squares += ((outputs[number] ** 2).sum(axis=1) + 1.0) * (slope**2).sum(axis=1)
            if number:
                slope = slope @ pairs[number][0].T
        return grad, squares
