"""ER211 and ER216: hits of known chance in each class."""

from __future__ import annotations

from typing import Any

import numpy as np

from bench.alarms.given import Given, add
from bench.alarms.harness import BOUNDARY, FAULT, INTERVAL, NULL, Rng
from bench.alarms.rules_data import majority_rule
from empirisk.diagnosis import Answer, Context
from empirisk.evaluation.intervals.clopper_pearson import clopper_pearson


def draw(
    rng: Rng, n: int, share: float, gap: float, classes: int = 2, grouped: bool = False, recall: float = 0.8
) -> dict[str, Any]:
    """Class 0 has a share of the rows and is found less often than the others by a gap.

    With groups, rows of five share class and luck: the chance of a hit is that of the class in half of the
    groups 0.15 lower, in half of them 0.15 higher.
    """
    code = np.arange(n) // 5 if grouped else np.arange(n)
    m = int(code.max()) + 1
    y = np.where(rng.random(m) < share, 0, rng.integers(1, classes, m) if classes > 2 else 1)[code]
    luck = (0.15 * rng.choice([-1.0, 1.0], m))[code] if grouped else 0.0
    hit = rng.random(n) < recall - gap * (y == 0) + luck
    told = np.where(hit, y, (y + rng.integers(1, classes, n)) % classes)
    made = {"est": Given(), "X": told[:, None].astype(np.float64), "y": y}
    return made | ({"groups": code} if grouped else {})


for gap, truth in ((0.0, NULL), (0.2, BOUNDARY), (0.4, FAULT)):
    for per_cent in (5, 20, 40):
        rows = (500,) if per_cent == 5 else (100, 500)
        add(
            "ER211",
            f"two classes, {per_cent} % of the rows, gap {gap}",
            draw,
            {"share": per_cent / 100, "gap": gap},
            truth=truth,
            n=rows,
            runs=1000 if truth == BOUNDARY else 200,
            rule=majority_rule,
            least=((45, 95) if len(rows) == 2 else (60,)) if truth == FAULT else 0,
        )
    if gap:
        settings = {"share": 0.2, "gap": gap, "classes": 4}
        add(
            "ER211",
            f"four classes, 20 % of the rows, gap {gap}",
            draw,
            settings,
            truth=truth,
            n=500,
            runs=1000,
        )
        settings = {"share": 0.4, "gap": gap, "grouped": True}
        add(
            "ER211",
            f"groups of five, 40 % of the rows, gap {gap}",
            draw,
            settings,
            truth=truth,
            n=500,
            runs=1000,
        )


def misses(ctx: Context, answer: Answer) -> bool:
    """Whether the interval of the recall of class 0 misses its true 0.6."""
    mine = ctx.oof.y == 0
    e = clopper_pearson(int((ctx.oof.output("pred")[mine] == 0).sum()), int(mine.sum()))
    return not (e.low is not None and e.high is not None and e.low <= 0.6 <= e.high)


add(
    "ER216",
    "interval of a recall of 0.6, 20 % of the rows",
    draw,
    {"share": 0.2, "gap": 0.2},
    truth=INTERVAL,
    n=(60, 500),
    runs=1000,
    event=misses,
)
