"""The command: ``python tools/same_numbers.py record FILE`` and, after a change, ``... compare FILE``.

A change of structure changes no number.  The script fits every estimator on small fixed tables (dense,
sparse, float32, weighted, far from the origin), asks every function that gives evidence, evaluates every
bound at fixed arguments and writes two reports, all through public names.  Every answer is kept as a checksum
of its bits, beside a few of its numbers for the reader.  ``compare`` names each answer whose bits differ.

Bits hang on the processor and on the versions of NumPy, SciPy and scikit-learn: record and compare on one
machine with one environment.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import inspect
import json
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

import empirisk as er

ROOT = Path(__file__).parents[1]
# What may differ from run to run, or describes the run and not the answer.
UNSTABLE = ("second", "time", "trace", "state", "elapsed", "estimator", "model", "random")
Answer = Callable[[], Any]


# -- the tables ---------------------------------------------------------------------------------


def table(classes: bool, n: int = 80, p: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a signal, positive targets or two classes."""
    rng = np.random.default_rng(20)
    X = np.round(rng.normal(size=(n, p)), 3)
    z = X[:, 0] - 0.5 * X[:, 1] + 0.7 * rng.normal(size=n)
    return X, (z > 0.3).astype(int) if classes else np.round(np.exp(0.4 * z), 3)


def made(kind: str) -> Any:
    """The estimator with its defaults, a seed, and few members."""
    known = inspect.signature(er.estimators.REGISTRY[kind]).parameters
    few = {"n_estimators": 6, "random_state": 0}
    return er.estimators.REGISTRY[kind](**{k: v for k, v in few.items() if k in known})


def fitted(kind: str, way: str) -> Any:
    """What a fit gives: predictions, coefficients, strength, the certificate in numbers and in words."""
    est = made(kind)
    X, y = table(is_classifier(est))
    weights = np.where(np.arange(len(y)) % 3 == 0, 2.0, 0.5)
    given = {"sample_weight": weights} if way == "weighted" else {}
    if way == "sparse":
        X = sparse.csr_matrix(np.where(np.abs(X) > 0.4, X, 0.0))
    elif way == "float32":
        X = X.astype(np.float32)
    elif way == "far":
        X = X + 1e6
    est.fit(X, y, **given)
    out = {"predictions": est.predict(X), "claim": str(est.certificate_.claim)}
    if hasattr(est, "predict_proba"):
        out["probabilities"] = est.predict_proba(X)
    for name in ("coef_", "intercept_", "alpha_"):
        if hasattr(est, name):
            out[name] = getattr(est, name)
    return out


def search(m: Any) -> Any:
    """The result of a small search over whatever strength or size the estimator has."""
    known = m.get_params()
    name, grid = next(
        (k, v)
        for k, v in (
            ("alpha", [0.01, 0.1]),
            ("max_depth", [1, 2]),
            ("n_estimators", [3, 6]),
            ("tol", [1e-6, 1e-5]),
        )
        if k in known
    )
    return (
        er.selection.GridSearch(m, {name: grid}, cv=3, random_state=0).fit(*table(is_classifier(m))).result_
    )


EVIDENCE: dict[str, Callable[[Any, np.ndarray, np.ndarray], Any]] = {
    "evaluate": lambda m, X, y: er.evaluate(m.fit(X[:50], y[:50]), X[50:], y[50:]),
    "cross_evaluate": lambda m, X, y: er.cross_evaluate(m, X, y, cv=4, random_state=0),
    "compare": lambda m, X, y: er.compare(m, made(OTHER[is_classifier(m)]), X, y, cv=4, random_state=0),
    "learning_curve": lambda m, X, y: er.selection.learning_curve(m, X, y, cv=3, random_state=0),
    "leave_one_out": lambda m, X, y: er.selection.leave_one_out(m, X[:30], y[:30], max_seconds=1e4),
    "search": lambda m, X, y: search(m),
    "stability": lambda m, X, y: er.selection.stability(m, X, y, n_replace=3, random_state=0),
    "bias_variance": lambda m, X, y: er.selection.bias_variance(m, X, y, n_sets=4, random_state=0),
    "partial_dependence": lambda m, X, y: er.partial_dependence(m.fit(X, y), X, [0]),
    "risk_bounds": lambda m, X, y: er.risk_bounds(m.fit(X[:50], y[:50]), X[:50], y[:50], X[50:], y[50:]),
    "diagnose": lambda m, X, y: er.diagnose(m, X, y, cv=3, random_state=0),
    "verify": lambda m, X, y: er.verify(m.fit(X, y), X, y),
}
OTHER = {True: "DecisionTreeClassifier", False: "DecisionTreeRegressor"}
ASKED_OF = ("Ridge", "Lasso", "LogisticRegression", "PoissonRegressor", "LinearSVC", "RandomForestClassifier",
            "GradientBoostingRegressor")  # fmt: skip


def bound_answers() -> Iterator[tuple[str, Answer]]:
    """Every bound that can be called with these common arguments."""
    rng = np.random.default_rng(3)
    common = {
        "n": 400, "delta": 0.05, "rate": 0.1, "variance": 0.05, "size": 50, "dimension": 4, "vc": 4, "k": 1,
        "kl": 2.0, "margin": 0.5, "radius": 2.0, "growth": 1000.0, "stability": 0.001, "lipschitz": 1.0,
        "log_size": 5.0, "complexity": 0.05, "training_error": 0.1, "weights": np.full(4, 0.25),
        "hypotheses": 100, "parameters": 3, "domain_size": 50, "rho": 1.0, "norm": 2.0, "gibbs": 0.2,
        "disagreement": 0.2, "n_pairs": 400, "errors": 20, "error": 0.1, "smoothness": 1.0, "alpha": 0.1,
        "strong_convexity": 0.1, "distance": 2.0, "steps": 100, "points": 50, "n_clusters": 3,
        "losses": (rng.random(400) < 0.1).astype(float), "description": 20, "divergence": 3.0,
        "gradient": 1.0, "noise": 0.1, "step": 0.05,
        "largest_loss": 1.0, "tandem": 0.1, "X": rng.normal(size=(50, 2)), "w": np.array([1.0, 0.0]),
        "y": np.where(rng.random(50) < 0.5, -1.0, 1.0),
    }  # fmt: skip
    for name, bound in er.bounds.REGISTRY.items():
        known = inspect.signature(bound).parameters
        given = {k: v for k, v in common.items() if k in known}
        if "vc" in given:
            given.pop("hypotheses", None)
        yield f"bound {name}", lambda bound=bound, given=given: bound(**given)


def reported(name: str, target: str) -> Any:
    """``report.json`` of one table, without what describes the run."""
    from typer.testing import CliRunner

    from empirisk.cli import app

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.csv"
        lines = (ROOT / "examples" / "data" / name).read_text(encoding="utf-8").splitlines()
        data.write_text("\n".join(lines[:301]) + "\n", encoding="utf-8")
        out = Path(folder) / "out"
        given = ["report", str(data), "--target", target, "--out", str(out), "--seed", "0"]
        run = CliRunner().invoke(app, given, catch_exceptions=False)
        if not (out / "report.json").exists():
            raise RuntimeError(run.output)
        found = json.loads((out / "report.json").read_text(encoding="utf-8"))
        found.pop("provenance", None)
        return found


def answers() -> Iterator[tuple[str, Answer]]:
    """Names and what to call, in a fixed order."""
    for kind in sorted(er.estimators.REGISTRY):
        for way in ("dense", "sparse", "float32", "weighted", "far"):
            yield f"fit {kind} {way}", lambda kind=kind, way=way: fitted(kind, way)
    for kind in ASKED_OF:
        for name, ask in EVIDENCE.items():
            yield (
                f"{name} of {kind}",
                lambda kind=kind, ask=ask: ask(made(kind), *table(is_classifier(made(kind)))),
            )
    yield "bootstrap", lambda: er.bootstrap("mean", table(False)[1], random_state=0)
    yield "summary", lambda: er.LinearRegression().fit(*table(False)).summary()
    yield "path", lambda: er.path(er.Lasso(), *table(False))
    yield from bound_answers()
    yield "report winequality", lambda: reported("winequality-red.csv", "quality")
    yield "report visits", lambda: reported("visits.csv", "mdvis")


# -- bits ---------------------------------------------------------------------------------------


def leaves(thing: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The numbers and words of an answer, by their public names."""
    if depth > 8 or any(word in name.rsplit(".", 1)[-1].lower() for word in UNSTABLE):
        return
    if isinstance(thing, np.ndarray | np.generic | float | int | str | bool | type(None)):
        yield name, thing
    elif sparse.issparse(thing):
        yield name, thing.toarray()
    elif isinstance(thing, Mapping):
        for key in thing:
            yield from leaves(thing[key], f"{name}.{key}", depth + 1)
    elif isinstance(thing, list | tuple):
        for i, item in enumerate(thing):
            yield from leaves(item, f"{name}.{i}", depth + 1)
    elif dataclasses.is_dataclass(thing):
        for f in dataclasses.fields(thing):
            if not f.name.startswith("_"):
                yield from leaves(getattr(thing, f.name), f"{name}.{f.name}", depth + 1)
    elif hasattr(thing, "__dict__") and type(thing).__module__.startswith("empirisk"):
        for key in sorted(k for k in vars(thing) if not k.startswith("_")):
            yield from leaves(vars(thing)[key], f"{name}.{key}", depth + 1)


def bits(value: Any) -> bytes:
    """A form in which equal bits, and nothing else, are equal."""
    array = np.asarray(value)
    if array.dtype.kind in "fiubc":
        return array.dtype.str.encode() + str(array.shape).encode() + np.ascontiguousarray(array).tobytes()
    return repr(array.tolist()).encode()


def kept(answer: Answer) -> dict[str, Any]:
    """Checksums of each leaf of an answer, and the first numbers for the reader; or its refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = dict(leaves(answer()))
        except (ValueError, TypeError, AttributeError) as error:
            found = {"refused": f"{type(error).__name__}: {error}"}
    return {name: [hashlib.sha256(bits(v)).hexdigest()[:16], told(v)] for name, v in found.items()}


def told(value: Any) -> str:
    """The first numbers of a leaf, for the reader."""
    array = np.asarray(value).ravel()
    return " ".join(f"{v:.9g}" if isinstance(v, float) else str(v)[:200] for v in array[:3].tolist())


def compare(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """One line for each leaf that differs, is new or is gone."""
    out = []
    for name in sorted(before.keys() | after.keys()):
        a, b = before.get(name, {}), after.get(name, {})
        for leaf in sorted(a.keys() | b.keys()):
            was, now = a.get(leaf, ["", "absent"]), b.get(leaf, ["", "absent"])
            if was[0] != now[0]:
                out.append(f"{name}{leaf}: {was[1]} -> {now[1]}")
    return out


def main() -> int:
    """Record, or compare with a record; the exit status is 1 when an answer differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", default="", help="answers whose name contains this")
    given = parser.parse_args()
    found = {name: kept(answer) for name, answer in answers() if given.only in name}
    if given.what == "record":
        given.file.write_text(json.dumps(found, indent=0), encoding="utf-8")
        print(f"{len(found)} answers with {sum(map(len, found.values()))} numbers, arrays and words are kept")
        return 0
    before = json.loads(given.file.read_text(encoding="utf-8"))
    different = compare({k: v for k, v in before.items() if given.only in k}, found)
    print("\n".join(different) or f"all {len(found)} answers are the same")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
