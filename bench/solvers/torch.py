"""PyTorch on the CPU: a plain loop over batches, by one thread or two, with Adam's steps fused or not."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from bench.objectives.network import Network, Recipe
from bench.solvers.base import Solver

LIBRARY = "PyTorch"


def _train(X: Any, y: Any, recipe: Recipe, threads: int, fused: bool) -> Network:
    import torch  # optional: where it is missing, the table says so

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    rows, targets = torch.from_numpy(X), torch.from_numpy(np.asarray(y, dtype=np.int64))
    layers = [torch.nn.Linear(X.shape[1], recipe.hidden), torch.nn.Linear(recipe.hidden, int(y.max()) + 1)]
    for layer in layers:
        torch.nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
        torch.nn.init.zeros_(layer.bias)
    net = torch.nn.Sequential(layers[0], torch.nn.ReLU(), layers[1]).to(rows.dtype)
    groups = [
        {"params": [layer.weight for layer in layers], "weight_decay": recipe.alpha},
        {"params": [layer.bias for layer in layers]},
    ]
    rule = torch.optim.Adam(groups, lr=recipe.step, fused=fused)
    loss = torch.nn.CrossEntropyLoss()
    for _ in range(recipe.epochs):
        order = torch.randperm(len(targets))
        for batch in order.split(recipe.batch):
            rule.zero_grad()
            loss(net(rows[batch]), targets[batch]).backward()
            rule.step()
    return Network(
        [layer.weight.detach().numpy().T for layer in layers],
        [layer.bias.detach().numpy() for layer in layers],
    )


NETWORKS = [
    Solver(LIBRARY, label, partial(_train, threads=threads, fused=fused))
    for label, threads, fused in (
        ("Adam, 1 thread", 1, False),
        ("Adam, 2 threads", 2, False),
        ("fused Adam, 1 thread", 1, True),
        ("fused Adam, 2 threads", 2, True),
    )
]
SOLVERS = {"mlp_epoch": NETWORKS, "latency_mlp": NETWORKS}
