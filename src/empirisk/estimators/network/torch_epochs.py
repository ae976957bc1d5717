"""Epochs of minibatch steps by PyTorch, on a graphics processor or on the processor.

The first weights, the order of the rows, the units that dropout leaves out, the losses and the rules are
those of the compiled loop; only the products, their slopes and the steps are PyTorch's.  Both take the same
path but for rounding.  What is claimed about the end is computed by the problem, on the processor.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.data.seeds import within
from empirisk.estimators.network.training import Bad, Training, epoch_rows
from empirisk.problems.network import NetworkProblem
from empirisk.problems.normalizations.base import LEAST_VARIANCE
from empirisk.typing import Array, IndexArray

__all__ = ["DEVICES", "TorchEpochs"]

# What users may write, beside "cuda:1" and so on.
DEVICES = ("cpu", "cuda", "cpu-torch")

# Units of a layer have streams of their own in each step; as in the compiled loop.
MOST_LAYERS = 64


class TorchEpochs:
    """The epochs of one problem, whose rows are copied to the device once (sparse ones batch by batch).

    Parameters
    ----------
    problem : NetworkProblem
        Rows in memory.
    device : str
        "cuda", "cuda:k" or "cpu-torch".

    Raises
    ------
    ImportError
        Without PyTorch.
    ValueError
        Without that device, or for an activation or normalization that has no form here.
    MemoryError
        When the device has no room for the rows.
    """

    def __init__(self, problem: NetworkProblem, device: str) -> None:
        self.torch = torch = _torch(device)
        self.device = torch.device("cpu" if device == "cpu-torch" else device)
        (block,) = problem.data
        self.dtype = getattr(torch, str(block.design.dtype))
        self.X = block.design.X
        self.held: Any = None
        self.bends = [_named(_bends(torch), "activation", f) for f in problem.layers.activations]
        self.norms = [
            None if f is None else _named(_norms(torch), "normalization", f)
            for f in problem.layers.normalizations
        ]
        if not hasattr(self.X, "toarray"):
            rows = self._inputs(problem, slice(None))
            try:
                self.held = self._on_device(rows)
            except torch.cuda.OutOfMemoryError as error:
                raise MemoryError(
                    f"X has {rows.nbytes:,} bytes, more than device={device!r} has free: give float32, fewer "
                    "rows, or device='cpu'"
                ) from error

    def __call__(
        self,
        problem: NetworkProblem,
        run: Training,
        rule: Any,
        order: IndexArray,
        batch: int,
        *,
        clip: float = 0.0,
        dropout: float = 0.0,
    ) -> tuple[Training, Bad | None]:
        """Return the run after the rows of `order`, and where it met numbers that are not finite."""
        torch, (block,) = self.torch, problem.data
        order = epoch_rows(problem, run, order, batch)
        weight = np.asarray(block.weight, dtype=np.float64)
        relative = weight / weight[weight > 0.0].mean()
        w = self._on_device(run.w).requires_grad_()
        memory = tuple(self._on_device(part) for part in run.memory)
        penalised = self._on_device(problem.layers.masked(np.ones_like(run.w)))
        taken, layer, move = run.taken, 0, _named(_moves(torch), "update rule", rule)
        for at in range(0, len(order), batch):
            rows = order[at : at + batch]
            x = self._on_device(self._inputs(problem, rows)) if self.held is None else self._pick(rows)
            outputs = self._forward(problem, w, x, relative[rows], taken, dropout)
            z = outputs[-1].detach().cpu().numpy().astype(np.float64)
            slope = relative[rows][:, None] / len(rows) * problem.row_slopes(np.asarray(block.y)[rows], z)
            w.grad = None
            outputs[-1].backward(self._on_device(slope))
            layer = self._bad(problem, outputs, w.grad)
            if layer:
                break
            with torch.no_grad():
                _penalise(torch, w, penalised, problem.alpha, problem.l1_ratio)
                if clip > 0.0:
                    w.grad *= min(1.0, clip / max(float(w.grad.double().norm()), 1e-300))
                move(rule, rule.schedule.at(taken + 1), w, w.grad, *memory, taken + 1)
            taken += 1
        done = [part.detach().cpu().numpy() for part in (w, *memory)]
        after = replace(run, w=done[0], memory=(done[1], done[2]), taken=taken, epochs=run.epochs + 1)
        return after, Bad(after.epochs, layer) if layer else None

    # -- rows -------------------------------------------------------------------------------------

    def _inputs(self, problem: NetworkProblem, rows: Any) -> Array:
        """Return rows as the first layer reads them, in the format of X."""
        return np.asarray(problem.inputs(self.X[rows]), dtype=self.X.dtype)

    def _on_device(self, part: Array) -> Any:
        """Return a copy of an array on the device, in the format of the rows."""
        return self.torch.tensor(part, dtype=self.dtype, device=self.device)

    def _pick(self, rows: IndexArray) -> Any:
        return self.held[self.torch.as_tensor(rows, device=self.device)]

    # -- the layers -------------------------------------------------------------------------------

    def _forward(
        self, problem: NetworkProblem, w: Any, x: Any, weight: Array, taken: int, dropout: float
    ) -> list[Any]:
        """Return the outputs of each layer, on the tape of PyTorch."""
        layers, outputs = problem.layers, [x]
        share = self._on_device(weight / weight.sum())[:, None]
        parts = zip(layers.split(w), layers.gains(w), self.norms, self.bends, strict=True)
        for number, ((weights, bias), gain, norm, bend) in enumerate(parts):
            a = outputs[-1] @ weights
            a = a + bias if norm is None else gain * norm(a, share) + bias
            h = bend(a)
            if dropout > 0.0 and number + 1 < layers.depth:
                kept = _kept(within(problem.seed, 64), taken, number, tuple(h.shape), dropout)
                h = h * self._on_device(kept / (1.0 - dropout))
            outputs.append(h)
        return outputs[1:]

    def _bad(self, problem: NetworkProblem, outputs: list[Any], grad: Any) -> int:
        """Return the first layer, from 1, whose outputs, else whose gradient, is not finite; else 0."""
        finite = self.torch.isfinite
        if bool(finite(outputs[-1]).all() & finite(grad).all()):
            return 0
        wrong = [not bool(finite(h).all()) for h in outputs]
        if not any(wrong):
            wrong = [
                not bool(finite(weights).all() & finite(bias).all())
                for weights, bias in problem.layers.split(grad)
            ]
        return wrong.index(True) + 1 if any(wrong) else len(wrong)


def _torch(device: str) -> Any:
    """Return PyTorch, where it is installed and has the device."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise ImportError(
            f"device={device!r} needs PyTorch: pip install 'empirisk[torch]', or take device='cpu'"
        ) from error
    if device == "cpu-torch":
        return torch
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if int(device.partition(":")[2] or 0) >= count:
        found = f"only {count}" if count else "none"
        raise ValueError(
            f"device={device!r} is a graphics processor of NVIDIA, and PyTorch {torch.__version__} finds "
            f"{found}; install its driver and a build of PyTorch with CUDA, or take device='cpu'"
        )
    return torch


def _bends(torch: Any) -> dict[str, Callable[[Any], Any]]:
    """Return the activations that have a form of PyTorch, with the slopes of ours at their kinks."""
    relu = torch.nn.functional
    return {
        "gelu": relu.gelu,
        "identity": lambda a: a,
        "leaky_relu": lambda a: relu.leaky_relu(a, 0.01),
        "relu": torch.relu,
        "sigmoid": torch.sigmoid,
        "softplus": lambda a: torch.logaddexp(a, torch.zeros_like(a)),
        "tanh": torch.tanh,
    }


def _norms(torch: Any) -> dict[str, Callable[[Any, Any], Any]]:
    """Return the normalizations of the sums of a batch, whose rows count by their shares."""

    def batch(a: Any, share: Any) -> Any:
        off = a - (share * a).sum(dim=0)
        return off * torch.rsqrt((share * off**2).sum(dim=0) + LEAST_VARIANCE)

    def layer(a: Any, share: Any) -> Any:
        off = a - a.mean(dim=1, keepdim=True)
        return off * torch.rsqrt((off**2).mean(dim=1, keepdim=True) + LEAST_VARIANCE)

    return {"batch": batch, "layer": layer}


def _named(table: dict[str, Any], what: str, wanted: Any) -> Any:
    """Return the form of PyTorch of an activation, a normalization or a rule, or refuse it by name."""
    if wanted.name not in table:
        raise ValueError(f"the {what} {wanted.name!r} has no form of PyTorch; take device='cpu'")
    return table[wanted.name]


def _kept(seed: int, taken: int, layer: int, shape: tuple[int, int], dropout: float) -> Array:
    """Return which units dropout keeps, 1 or 0: the counter-based draws of the compiled loop.

    Steele, Lea and Flood (OOPSLA 2014): the 64 bits at a place of the stream of a seed.
    """

    def bits(key: Any, i: Any) -> Any:
        z = key + (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    with np.errstate(over="ignore"):
        stream = bits(np.uint64(seed), np.uint64(taken * MOST_LAYERS + layer))
        drawn = bits(stream, np.arange(shape[0] * shape[1], dtype=np.uint64)) >> np.uint64(11)
    return np.asarray(drawn >= np.uint64(int(dropout * 2.0**53)), dtype=np.float64).reshape(shape)


def _penalise(torch: Any, w: Any, penalised: Any, alpha: float, l1_ratio: float) -> None:
    """Add the slopes of the penalty to the gradient."""
    if alpha > 0.0:
        w.grad += penalised * (alpha * (1.0 - l1_ratio) * w + alpha * l1_ratio * torch.sign(w))


def _moves(torch: Any) -> dict[str, Callable[..., None]]:
    """Return the update rules, which move w in place: of rule, size, w, gradient, two memories, step t."""

    def momentum(rule: Any, size: float, w: Any, g: Any, u: Any, v: Any, t: int) -> None:
        u.mul_(rule.m).add_(size * g)
        w -= u

    def nesterov(rule: Any, size: float, w: Any, g: Any, u: Any, v: Any, t: int) -> None:
        u.mul_(rule.m).add_(size * g)
        w -= rule.m * u + size * g

    def adagrad(rule: Any, size: float, w: Any, g: Any, u: Any, v: Any, t: int) -> None:
        u += g * g
        w -= size * g / (torch.sqrt(u) + rule.eps)

    def rmsprop(rule: Any, size: float, w: Any, g: Any, u: Any, v: Any, t: int) -> None:
        u.mul_(rule.rho).add_((1.0 - rule.rho) * g * g)
        w -= size * g / (torch.sqrt(u) + rule.eps)

    def adadelta(rule: Any, size: float, w: Any, g: Any, u: Any, v: Any, t: int) -> None:
        u.mul_(rule.rho).add_((1.0 - rule.rho) * g * g)
        step = -torch.sqrt((v + rule.eps) / (u + rule.eps)) * g
        v.mul_(rule.rho).add_((1.0 - rule.rho) * step * step)
        w += size * step

    def adam(rule: Any, size: float, w: Any, g: Any, u: Any, v: Any, t: int) -> None:
        u.mul_(rule.beta1).add_((1.0 - rule.beta1) * g)
        v.mul_(rule.beta2).add_((1.0 - rule.beta2) * g * g)
        shrink = size * getattr(rule, "decay", 0.0) * w  # of AdamW
        root = torch.sqrt(v) / (1.0 - rule.beta2**t) ** 0.5
        w -= size / (1.0 - rule.beta1**t) * u / (root + rule.eps) + shrink

    return {
        "adadelta": adadelta,
        "adagrad": adagrad,
        "adam": adam,
        "adamw": adam,
        "gradient_step": lambda rule, size, w, g, u, v, t: w.sub_(size * g),
        "momentum": momentum,
        "nesterov": nesterov,
        "rmsprop": rmsprop,
    }
