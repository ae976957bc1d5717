"""How often the intervals of `compare_partitions` hold the mean agreement, and that of a population.

    python -m bench.coverage.compare_partitions            all, writes docs/maths/agreement-coverage.md
    python -m bench.coverage.compare_partitions --only 50  the settings whose name holds "50" anew
    python -m bench.coverage.compare_partitions --scale 0.1    a tenth of the samples, printed only

Labels of a are dealt evenly; b has the label of a, taken modulo its number of clusters, or in a share of the
rows one that is dealt anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import empirisk as er
from bench.coverage.forest_samples import Rng, Setting, Shares
from bench.coverage.study import Study
from empirisk.partitions.agreements import REGISTRY

PAGE = Path(__file__).resolve().parents[2] / "docs" / "maths" / "agreement-coverage.md"
STORE = Path(__file__).resolve().parents[1] / "results" / "agreement-coverage.json"
TABLES = 4000  # whose mean is the truth
MANY = 10.0**9  # rows of a table that is the population


def law(k: int, l_: int, anew: float) -> NDArray:
    """Return the chances of all pairs of labels."""
    chances = np.full((k, l_), anew / (k * l_))
    chances[np.arange(k), np.arange(k) % l_] += (1.0 - anew) / k
    return chances


@cache
def truths(n: int, k: int, l_: int, anew: float) -> dict[str, tuple[float, float]]:
    """Return the mean of each agreement over tables of n rows, and its value on the population."""
    chances = law(k, l_, anew)
    rng = np.random.default_rng(1)
    tables = rng.multinomial(n, chances.ravel(), size=TABLES).reshape(TABLES, k, l_)
    whole = np.rint(MANY * chances)
    limits = {
        name: float(kind().of_tables(whole))
        for name, kind in REGISTRY.items()
        if name != "adjusted_mutual_information"
    }
    # By many rows, chance has no information left.
    information = REGISTRY["variation_of_information"]().of_tables
    ends = float(information(whole.sum(axis=1)[:, None]) + information(whole.sum(axis=0)[None]))
    limits["adjusted_mutual_information"] = (ends - limits["variation_of_information"]) / ends
    return {name: (float(kind().of_tables(tables).mean()), limits[name]) for name, kind in REGISTRY.items()}


def setting(n: int, k: int, l_: int, anew: float, samples: int = 400) -> Setting:
    """Return one law of labels and the intervals on its samples; refusals count by themselves."""

    def one(rng: Rng) -> Shares:
        pairs = rng.choice(k * l_, size=n, p=law(k, l_, anew).ravel())
        found = er.compare_partitions(
            pairs // l_, pairs % l_, n_permutations=99, random_state=int(rng.integers(1 << 31))
        )
        out: Shares = {}
        for at, what in enumerate(("", ", population")):
            for name, e in found.estimates.items():
                if e.low is not None and e.high is not None:
                    held = e.low <= truths(n, k, l_, anew)[name][at] <= e.high
                    out[REGISTRY[name]().label + what] = float(held)
        out["refused"] = float(found.estimates["adjusted_rand"].low is None)
        return out

    return Setting(f"{n} rows, {k} and {l_} clusters, {100 * anew:g} % anew", one, samples)


SETTINGS = {
    "Few clusters": [setting(n, 3, 3, anew) for n in (50, 200) for anew in (0.05, 0.2, 0.6, 1.0)],
    "Many clusters": [
        *(setting(n, 10, 10, anew) for n in (50, 200) for anew in (0.2, 1.0)),
        setting(200, 3, 10, 1.0),
        *(setting(200, 100, 3, anew, 100) for anew in (0.2, 1.0)),
    ],
}
NOTES = {
    "Few clusters": """
Where 5 % of the labels are dealt anew, often no label of 50 rows differs: the answer is "cannot tell" then,
and the shares are those of samples with a difference.
""",
    "Many clusters": """
Information of few rows in many cells is larger than that of the population, and the interval lies about the
larger one. The adjusted indices take away the part that is chance, the variation of information does not.
""",
}
HEAD = """# How often intervals of agreements hold

Made by `python -m bench.coverage.compare_partitions` with seed 0: labels of a are dealt evenly, b has the
same label (modulo its number of clusters), or in a share of the rows one that is dealt anew. In per cent: how
often the 95 % interval holds the mean of the agreement over samples of so many rows, which it is about, and
the agreement of a population. How the interval is made is in [partitions.md](partitions.md).
"""

STUDY = Study(__doc__ or "", SETTINGS, NOTES, HEAD, "", PAGE, STORE)

if __name__ == "__main__":
    STUDY.main()
