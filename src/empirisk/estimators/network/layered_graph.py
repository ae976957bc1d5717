"""A network as a layered graph: neurons, and arcs with weights from each layer to the next.

The nodes are ``V = V_0 u ... u V_T``, V_0 the inputs and V_T the scores; ``v_(t,i)`` is neuron i of layer t,
and ``v_(t,0) = 1`` the constant neuron of every layer but the last, whose arcs carry the biases.
``w_rj^(t)`` is the weight of the arc from ``v_(t-1,r)`` to ``v_(t,j)``, and ``w^(t)`` the matrix of all arcs
into layer t (Shalev-Shwartz and Ben-David, Understanding Machine Learning, 2014, section 20.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from empirisk.data.tabular import Tabular
from empirisk.estimators.checks import check_count
from empirisk.typing import Array
from empirisk.wording import counted

__all__ = ["NetworkGraph"]

CONSTANT = "1"


class NetworkGraph(Tabular):
    """``G = (V, E)`` with weights ``w: E -> R``: every node of a layer is joined with every one of the next.

    Parameters
    ----------
    coefs : sequence of array, shape (inputs, units)
        Weights of each layer, from the inputs on.
    intercepts : sequence of array, shape (units,)
        Biases of each layer: the weights of the arcs that leave the constant neurons.
    activations : sequence of str
        Name of the activation of each layer.
    inputs : sequence of str, optional
        Names of the columns; ``x0, x1, ...`` when left out.
    outputs : sequence of str, optional
        Names of the scores; ``z1, z2, ...`` when left out.
    units : str, default ""
        The units in which the first layer reads columns, in words.

    Raises
    ------
    ValueError
        When the shapes or the names do not fit each other, or a weight is NaN or infinite.

    See Also
    --------
    MLPClassifier, MLPRegressor : ``model.graph()`` gives the graph of a fitted network.

    Examples
    --------
    Exclusive or by hand: OR without AND.

    >>> import numpy as np, empirisk as er
    >>> hidden, last = np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([[1.0], [-1.0]])
    >>> graph = er.NetworkGraph([hidden, last], [np.array([-0.5, -1.5]), np.array([-0.5])], ["step", "step"])
    >>> graph
    network 2-2-1: 7 nodes, 9 arcs
      layer  neurons  activation  arcs into it  largest weight
      0      2                    0
      1      2        step        6             -1.5 from 1 to v1,2
      2      1        step        3             1 from v1,1 to z1
    >>> graph.weights(1)  # biases in the first row
    array([[-0.5, -1.5],
           [ 1. ,  1. ],
           [ 1. ,  1. ]])
    >>> graph.node(1, 2), graph.node(0, 0)
    ('v1,2', '1')
    """

    def __init__(
        self,
        coefs: Sequence[Array],
        intercepts: Sequence[Array],
        activations: Sequence[str],
        *,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        units: str = "",
    ) -> None:
        if not len(coefs) == len(intercepts) == len(activations) >= 1:
            raise ValueError(
                f"coefs, intercepts and activations must have one entry for each layer, got {len(coefs)}, "
                f"{len(intercepts)} and {len(activations)}"
            )
        matrices: list[Array] = []
        for t, (weights, bias) in enumerate(zip(coefs, intercepts, strict=True), 1):
            W, b = np.asarray(weights, dtype=np.float64), np.asarray(bias, dtype=np.float64)
            before = len(W) if not matrices else matrices[-1].shape[1]
            if W.ndim != 2 or W.shape[0] != before or b.shape != (W.shape[1],):
                raise ValueError(
                    f"layer {t} must have weights ({before}, units) and biases (units,), got {W.shape} and "
                    f"{b.shape}"
                )
            matrices.append(np.vstack([b, W]))
            if not np.isfinite(matrices[-1]).all():
                r, j = (int(i[0]) for i in np.nonzero(~np.isfinite(matrices[-1])))
                source = f"the bias of unit {j + 1}" if r == 0 else f"the weight of unit {r} in unit {j + 1}"
                raise ValueError(f"{source} of layer {t} is {matrices[-1][r, j]}; give finite numbers")
        self._matrices = matrices
        self.widths: tuple[int, ...] = (len(matrices[0]) - 1, *(m.shape[1] for m in matrices))
        self.activations = tuple(activations)
        self.inputs = _names("inputs", inputs, [f"x{j}" for j in range(self.widths[0])])
        self.outputs = _names("outputs", outputs, [f"z{j + 1}" for j in range(self.widths[-1])])
        self.units = units

    # -- nodes and arcs ---------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """T, the number of layers with arcs into them."""
        return len(self._matrices)

    @property
    def n_nodes(self) -> int:
        """``|V|``, with a constant neuron in every layer but the last."""
        return sum(self.widths) + self.depth

    @property
    def n_arcs(self) -> int:
        """``|E|``, the number of weights and biases."""
        return sum(int(m.size) for m in self._matrices)

    def node(self, layer: int, place: int) -> str:
        """Return the name of ``v_(layer, place)``; place 0 is the constant neuron.

        Parameters
        ----------
        layer : int
            From 0, the inputs, to the depth, the scores.
        place : int
            From 1; 0 is the constant, which the last layer lacks.

        Raises
        ------
        ValueError
            When there is no such node.
        """
        constant = 0 if layer < self.depth else 1
        if not 0 <= layer <= self.depth or not constant <= place <= self.widths[layer]:
            raise ValueError(f"there is no node {place} in layer {layer} of the network {self._dashed}")
        if place == 0:
            return CONSTANT
        if layer == 0:
            return self.inputs[place - 1]
        return self.outputs[place - 1] if layer == self.depth else f"v{layer},{place}"

    def weights(self, layer: int) -> Array:
        """Return ``w^(t)``, the weights of all arcs into layer t, a copy.

        Parameters
        ----------
        layer : int
            t, from 1 to the depth.

        Returns
        -------
        array, shape (1 + neurons before, neurons)
            Row r has the arcs that leave ``v_(t-1,r)``; row 0 has the biases.
        """
        if not 1 <= layer <= self.depth:
            raise ValueError(f"layer must be in 1, ..., {self.depth}, got {layer!r}")
        return np.array(self._matrices[layer - 1])

    # -- a table ----------------------------------------------------------------------------------

    @property
    def _dashed(self) -> str:
        return "-".join(map(str, self.widths))

    @property
    def title(self) -> str:
        """The neurons of each layer, and the size of the graph."""
        return f"network {self._dashed}: {counted(self.n_nodes, 'node')}, {counted(self.n_arcs, 'arc')}"

    def _shown(self) -> dict[str, list[Any]]:
        """Return one line a layer: neurons, activation, arcs, and the arc of the largest weight."""
        largest = [""]
        for t, m in enumerate(self._matrices, 1):
            r, j = _largest(m)
            largest.append(f"{m[r, j]:.4g} from {self.node(t - 1, r)} to {self.node(t, j + 1)}")
        return {
            "layer": list(range(self.depth + 1)),
            "neurons": list(self.widths),
            "activation": ["", *self.activations],
            "arcs into it": [0, *(m.size for m in self._matrices)],
            "largest weight": largest,
        }

    def _columns(self) -> dict[str, list[Any]]:
        """Return one row an arc: layer and places of both ends, their names, the weight."""
        out: dict[str, list[Any]] = {k: [] for k in ("layer", "from", "to", "source", "target", "weight")}
        for t, m in enumerate(self._matrices, 1):
            before = [self.node(t - 1, r) for r in range(len(m))]
            here = [self.node(t, j + 1) for j in range(m.shape[1])]
            out["layer"] += [t] * m.size
            out["from"] += np.repeat(np.arange(len(m)), m.shape[1]).tolist()
            out["to"] += np.tile(np.arange(1, m.shape[1] + 1), len(m)).tolist()
            out["source"] += np.repeat(before, m.shape[1]).tolist()
            out["target"] += here * len(m)
            out["weight"] += m.ravel().tolist()
        return out

    def _notes(self) -> list[str]:
        return [f"inputs are {self.units}"] if self.units else []

    # -- a picture --------------------------------------------------------------------------------

    def plot(self, ax: Any = None, *, max_nodes: int = 8) -> Any:
        """Draw the layers from left to right, arcs as wide as their weights, and return the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure when left out.
        max_nodes : int, default 8
            Of a larger layer so many neurons are drawn: those whose largest arc in or out has the largest
            weight, in their order.  The picture says how many are left out.
        """
        from empirisk.plots.network import NetworkDisplay

        return NetworkDisplay(self.view(check_count("max_nodes", max_nodes, 1))).plot(ax)

    def view(self, max_nodes: int = 8) -> dict[str, Any]:
        """Return what the chart draws: the nodes of each layer, the arcs between them, the largest weight."""
        kept = [self._strongest(t, max_nodes) for t in range(self.depth + 1)]
        layers = [
            {
                "nodes": [self.node(t, i) for i in places],
                "numbers": [int(i) for i in places],
                "left_out": self.widths[t] - sum(i > 0 for i in places),
                "neurons": self.widths[t],
                "activation": "" if t == 0 else self.activations[t - 1],
            }
            for t, places in enumerate(kept)
        ]
        arcs = [
            [t, a, b, float(m[r, j - 1])]
            for t, m in enumerate(self._matrices, 1)
            for a, r in enumerate(kept[t - 1])
            for b, j in enumerate(p for p in kept[t] if p > 0)
        ]
        t = 1 + int(np.argmax([abs(m[_largest(m)]) for m in self._matrices]))
        m = self._matrices[t - 1]
        r, j = _largest(m)
        largest = {
            "weight": float(m[r, j]),
            "source": self.node(t - 1, r) if r else "the constant",
            "target": self.node(t, j + 1),
        }
        return {
            "layers": layers,
            "arcs": arcs,
            "largest": largest,
            "n_arcs": self.n_arcs,
            "units": self.units,
        }

    def _strongest(self, t: int, most: int) -> list[int]:
        """Return which places of layer t are drawn: the constant, and the neurons of large weights."""
        size = np.zeros(self.widths[t])
        if t > 0:
            size = np.abs(self._matrices[t - 1]).max(axis=0)
        if t < self.depth:
            size = np.maximum(size, np.abs(self._matrices[t][1:]).max(axis=1))
        places = np.sort(np.argsort(-size, kind="stable")[:most]) + 1
        return ([0] if t < self.depth else []) + [int(i) for i in places]


def _largest(m: Array) -> tuple[int, int]:
    """Return row and column of the entry of the largest size, the first where there are several."""
    r, j = np.unravel_index(int(np.argmax(np.abs(m))), m.shape)
    return int(r), int(j)


def _names(what: str, given: Sequence[str] | None, usual: list[str]) -> tuple[str, ...]:
    """Return the names of nodes as text, one each."""
    names = usual if given is None else [str(name) for name in given]
    if len(names) != len(usual):
        raise ValueError(f"{what} must hold {len(usual)} names, got {len(names)}")
    return tuple(names)
