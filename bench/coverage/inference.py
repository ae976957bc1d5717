"""Coverage of intervals of coefficients and of bands of predictions.

`python -m bench.coverage.inference` draws samples with a known truth, asks the public methods for their 95 %
intervals, and writes docs/maths/inference-coverage.md.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import NormalDist

import numpy as np
from scipy.special import expit

import empirisk as er

PAGE = Path(__file__).resolve().parents[2] / "docs" / "maths" / "inference-coverage.md"
STORE = Path(__file__).resolve().parents[1] / "results" / "inference-coverage.json"

Rng = np.random.Generator
Hits = dict[str, bool]


@dataclass(frozen=True)
class Setting:
    """`draw` looks up the truth in the intervals of one sample, by name of the interval."""

    what: str
    draw: Callable[[Rng], Hits]
    samples: int = 1000


def inside(table: er.inference.Summary, k: int, truth: float) -> bool:
    """Whether an interval of the table holds the truth."""
    return bool(table.low[k] <= truth <= table.high[k])


def _noise(n: int, law: str) -> Setting:
    """A slope under noise that is even, that grows with |x|, or that is heavy-tailed."""

    def draw(rng: Rng) -> Hits:
        X = rng.normal(size=(n, 2))
        noise = {
            "normal": lambda: rng.normal(size=n),
            "grows with |x|": lambda: (0.3 + np.abs(X[:, 0])) * rng.normal(size=n),
            "t with 3 df": lambda: rng.standard_t(3, size=n),
        }[law]()
        y = 1.0 + X @ [1.0, 0.5] + noise
        model = er.LinearRegression().fit(X, y)
        kinds = ("classical", "HC0", "HC1", "HC2", "HC3")
        return {kind: inside(model.summary(X, y, covariance=kind), 1, 1.0) for kind in kinds}

    return Setting(f"slope, {n} rows, noise {law}", draw)


def _lopsided(n: int) -> Setting:
    """A slope of a lognormal column whose noise has the size of the column: few rows carry it."""

    def draw(rng: Rng) -> Hits:
        x, other = rng.lognormal(size=n), rng.normal(size=n)
        X = np.column_stack([x, other])
        y = 1.0 + x + 0.5 * other + x * rng.normal(size=n)
        model = er.LinearRegression().fit(X, y)
        kinds = ("classical", "HC0", "HC1", "HC2", "HC3")
        return {kind: inside(model.summary(X, y, covariance=kind), 1, 1.0) for kind in kinds}

    return Setting(f"slope of a lognormal column, {n} rows, noise grows with |x|", draw)


def _drawn(n: int) -> Setting:
    """Rows drawn by chances that grow with the column, weighted by their inverse; noise grows with |x|."""

    def draw(rng: Rng) -> Hits:
        X = rng.normal(size=(4 * n, 2))
        y = 1.0 + X @ [1.0, 0.5] + (0.5 + np.abs(X[:, 0])) * rng.normal(size=4 * n)
        chance = np.clip(expit(1.2 * X[:, 0] - 1.5), 0.05, 1.0)
        taken = rng.uniform(size=4 * n) < chance
        X, y, weight = X[taken], y[taken], 1.0 / chance[taken]
        model = er.LinearRegression().fit(X, y, weight)
        ways = {
            "classical": {},
            "precision": {"weights": "precision"},
            "HC3 of frequencies": {"covariance": "HC3", "weights": "frequency"},
            "HC1": {"covariance": "HC1"},
            "HC3": {"covariance": "HC3"},
        }
        return {name: inside(model.summary(X, y, weight, **how), 1, 1.0) for name, how in ways.items()}

    return Setting(f"slope, about {n} rows of unequal chances, inverse weights", draw)


def _clusters(groups: int, size: int) -> Setting:
    """A column that is constant in groups, with a random effect of the group."""

    def draw(rng: Rng) -> Hits:
        code = np.repeat(np.arange(groups), size)
        x = np.repeat(rng.normal(size=groups), size)[:, None]
        y = x[:, 0] + 0.7 * rng.normal(size=groups)[code] + rng.normal(size=groups * size)
        model = er.LinearRegression().fit(x, y)
        out = {"classical": inside(model.summary(x, y), 1, 1.0)}
        for kind in ("CR0", "CR1", "cluster"):
            out[kind] = inside(model.summary(x, y, covariance=kind, groups=code), 1, 1.0)
        return out

    return Setting(f"slope between {groups} groups of {size}", draw)


def _glm(family: str, n: int) -> Setting:
    """Slope, mean and new target of generalized linear models, at a row 1.5 deviations out."""

    def draw(rng: Rng) -> Hits:
        X = rng.normal(size=(n, 2))
        new = np.array([[1.5, 0.0]])
        scores = 0.5 + np.vstack([X, new]) @ [0.5, -0.5]
        z, z_new = scores[:-1], float(scores[-1])
        mean = {"binomial": expit}.get(family, np.exp)
        law = {
            "poisson": rng.poisson,
            "binomial": lambda m: rng.binomial(1, m),
            "gamma": lambda m: rng.gamma(2.0, m / 2.0),
        }[family]
        y, y_new = law(mean(z)).astype(float), float(law(mean(z_new)))
        model = er.GeneralizedLinearModel(family).fit(X, y)
        table = model.summary(X, y)
        out = {
            "slope": inside(table, 1, 0.5),
            "slope, HC3": inside(model.summary(X, y, covariance="HC3"), 1, 0.5),
        }
        band = model.interval(new, training=(X, y))
        out["mean"] = bool(band.low[0] <= mean(z_new) <= band.high[0])
        if family != "binomial":
            band = model.interval(new, kind="prediction", training=(X, y))
            out["new target"] = bool(band.low[0] <= y_new <= band.high[0])
        return out

    return Setting(f"{family}, {n} rows", draw, 500)


def _bands(n: int, law: str) -> Setting:
    def draw(rng: Rng) -> Hits:
        X, new = rng.normal(size=(n, 3)), np.array([[2.0, -1.0, 0.0]])
        noise = rng.normal(size=n + 1) if law == "normal" else rng.exponential(size=n + 1) - 1.0
        y = X @ [1.0, 0.5, 0.0] + noise[:-1]
        model = er.LinearRegression().fit(X, y)
        mean = model.interval(new, training=(X, y))
        wide = model.interval(new, kind="prediction", training=(X, y))
        return {
            "mean": bool(mean.low[0] <= 1.5 <= mean.high[0]),
            "new target": bool(wide.low[0] <= 1.5 + noise[-1] <= wide.high[0]),
        }

    return Setting(f"least squares, {n} rows, {law} noise", draw)


def _debiased(n: int, p: int, s: int, rho: float) -> Setting:
    """Effects of 1, columns 0 .. s - 1; neighbours have correlation rho."""

    def draw(rng: Rng) -> Hits:
        X = rng.normal(size=(n, p))
        for j in range(1, p):
            X[:, j] = rho * X[:, j - 1] + math.sqrt(1.0 - rho**2) * X[:, j]
        y = X[:, :s].sum(axis=1) + rng.normal(size=n)
        found = er.debiased_lasso(X, y, columns=[0, s, p - 1])
        truth = np.array([1.0, 0.0, 0.0])
        hit = (found.low <= truth) & (truth <= found.high)
        return {"effect 1": bool(hit[0]), "0, beside an effect": bool(hit[1]), "0, far away": bool(hit[2])}

    return Setting(f"debiased lasso, n = {n}, p = {p}, {s} effects, correlation {rho:g}", draw, 100)


def _quantile(n: int, q: float, law: str) -> Setting:
    """A slope of a quantile under even noise, or noise that grows with the column."""

    def draw(rng: Rng) -> Hits:
        X = rng.normal(size=(n, 2))
        size = {"even": np.ones(n), "grows with x": np.exp(0.5 * X[:, 0])}[law]
        # Where it grows the slope of the quantile at a row is not linear: the column enters through its size.
        X = np.column_stack([size, X[:, 1]]) if law != "even" else X
        y = 1.0 + X @ [1.0, 0.5] + size * rng.normal(size=n)
        truth = 1.0 + (NormalDist().inv_cdf(q) if law != "even" else 0.0)
        model = er.QuantileRegressor(q).fit(X, y)
        out = {
            "sparsity": inside(model.summary(), 1, truth),
            "sparsity, Bofinger": inside(model.summary(bandwidth="bofinger"), 1, truth),
            "kernel": inside(model.summary(covariance="kernel"), 1, truth),
            "kernel, Bofinger": inside(model.summary(covariance="kernel", bandwidth="bofinger"), 1, truth),
        }
        if n <= 100:
            out["bootstrap"] = inside(model.summary(covariance="bootstrap", n_resamples=50), 1, truth)
        return out

    return Setting(f"slope of the {q:g}-quantile, {n} rows, noise {law}", draw, 200)


SETTINGS = {
    "Coefficients of least squares": [
        *(_noise(n, law) for law in ("normal", "grows with |x|", "t with 3 df") for n in (20, 50, 200)),
        *(_lopsided(n) for n in (80, 250)),
    ],
    "Sampling weights": [_drawn(n) for n in (60, 250, 1000)],
    "Dependence within groups": [_clusters(*shape) for shape in ((8, 10), (20, 10), (60, 5))],
    "Bands of least squares": [_bands(n, law) for law in ("normal", "exponential") for n in (15, 60)],
    "Generalized linear models": [_glm(f, n) for f in ("poisson", "gamma", "binomial") for n in (40, 200)],
    "Quantile regression": [
        _quantile(n, q, law) for law in ("even", "grows with x") for q in (0.5, 0.9) for n in (100, 400)
    ],
    "Debiased lasso": [
        _debiased(60, 80, 3, 0.0),
        _debiased(100, 200, 3, 0.0),
        _debiased(100, 200, 3, 0.5),
        _debiased(100, 200, 10, 0.5),
    ],
}


def measure(setting: Setting, scale: float = 1.0, seed: int = 0) -> dict[str, float]:
    """Coverage in per cent by interval; samples without a fit (separable classes) are counted apart."""
    rng = np.random.default_rng([seed, *setting.what.encode()])
    samples, refused = max(2, int(setting.samples * scale)), 0
    hits: dict[str, int] = {}
    for _ in range(samples):
        try:
            found = setting.draw(rng)
        except ValueError:
            refused += 1
            continue
        for name, hit in found.items():
            hits[name] = hits.get(name, 0) + hit
    answered = samples - refused
    shares = {name: 100.0 * hit / answered for name, hit in hits.items()}
    return {"samples": samples, "refused": refused, **shares}


HEAD = """# Measured coverage of intervals of coefficients and bands

Made by `python -m bench.coverage.inference` with seed 0: the share of samples, in per cent, whose 95 %
interval holds the truth. One Monte-Carlo standard error is 0.7 at 1000 samples, 1.0 at 500, 1.5 at 200, 2.2
at 100.
*Refused*: samples without a fit (separable classes). "cluster" is CR2 with Satterthwaite's degrees of
freedom.
"""

TAIL = """
## How to read it

- The classical table trusts equal, independent noise: where the noise grows with the column, or rows of a
  group belong together, its intervals miss far more often than 5 %. HC3 is the safest of the four with few
  rows; HC0 and HC1 are for many, and say so where a coefficient rests on few rows in effect.
- HC2 and HC3 take the t distribution on the *effective* rows of each coefficient, `(sum v)^2 / sum v^2` with
  `v = a^2 / (1 - h)`, a the row's part in the coefficient: about 5 of 80 for a lognormal column. On n - p
  degrees of freedom HC3 covered 89.7 % there, and 91.8 % at 250 rows (HC4 94.9 and 94.8, HC4m 91.9 and 93.7,
  HC5 93.3 and 96.0; 1500 and 600 samples). Under even noise and with 20 rows the price is a coverage of
  about 97 %.
- Weights of rows that were drawn with unequal chances are neither repetitions nor precisions: read so,
  intervals cover 33 to 69 %. Robust covariances read them as sampling weights; where a few weights are large
  they rest on few rows, and HC3 is the one to take.
- With few groups CR0 and CR1 cover too little, even with the t distribution on groups - 1 degrees of
  freedom; CR2 with Satterthwaite's degrees of freedom is what `covariance="cluster"` gives.
- Bands under exponential noise keep their coverage in all, but the prediction band misses on one side only:
  such noise never falls below it. It is about the law itself, and wants one that is right.
- Prediction intervals of counts cover more than 95 % because counts are whole numbers.
- The debiased lasso covers in all four settings within the error of the simulation, ten effects included; the
  theory promises it only for few effects.
"""


def page(results: dict[str, dict[str, float]]) -> str:
    """One table for each group of settings."""
    out = HEAD
    for group, settings in SETTINGS.items():
        settings = [s for s in settings if s.what in results]
        names = list(dict.fromkeys(k for s in settings for k in results[s.what]))
        names = [k for k in names if k not in ("samples", "refused")]
        out += f"\n## {group}\n\n| setting | samples | refused | {' | '.join(names)} |\n"
        out += "|---" * (3 + len(names)) + "|\n"
        for s in settings:
            r = results[s.what]
            cells = " | ".join(f"{r[k]:.1f}" if k in r else "--" for k in names)
            what = s.what.replace("|", "\\|")
            out += f"| {what} | {r['samples']:.0f} | {r['refused']:.0f} | {cells} |\n"
    return out + TAIL


def stored() -> dict[str, dict[str, float]]:
    """The last full-size result of every setting."""
    return json.loads(STORE.read_text(encoding="utf-8")) if STORE.exists() else {}


def main() -> None:
    """Measure all settings and write the page; with --only the others keep their last result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", help="measure the settings whose name holds this")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the samples; 1 writes the page")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    for s in (s for settings in SETTINGS.values() for s in settings if args.only in s.what):
        found = measure(s, args.scale)
        print(s.what, found, flush=True)
        if args.scale == 1.0:
            STORE.write_text(
                json.dumps({**stored(), s.what: found}, indent=1, sort_keys=True) + "\n", encoding="utf-8"
            )
    if args.scale == 1.0:
        PAGE.write_text(page(stored()), encoding="utf-8")


if __name__ == "__main__":
    main()
