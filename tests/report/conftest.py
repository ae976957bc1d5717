"""Example reports (with made-up numbers), and hard variants of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.report.groups import make_clusters, noise, three_groups
from tests.report.reports import make_report, numbers, two_classes

Json = dict[str, Any]
HERE = Path(__file__).parent / "fixtures"
HOSTILE = '</script><script>alert(\'x\')</script>"onload="alert(1)" $\\frac{ `|` <b>&amp;'


def load(name: str) -> Json:
    return json.loads((HERE / f"example_{name}.json").read_text(encoding="utf-8"))


def rename(value: Any, old: str, new: str) -> Any:
    """The same JSON with one string replaced wherever it is a whole value."""
    if isinstance(value, dict):
        return {k: rename(v, old, new) for k, v in value.items()}
    if isinstance(value, list):
        return [rename(v, old, new) for v in value]
    return new if value == old else value


def hostile() -> Json:
    """Names and sentences that try to be HTML, script, mathtext and Markdown."""
    report = load("classification")
    for old in ("age", "capital-gain", ">50K", "Logistic regression (L1)", "income", "sex"):
        report = rename(report, old, f"{HOSTILE} {old}")
    report["findings"][0]["sentence"] = HOSTILE
    report["verdict"]["sentence"] = HOSTILE
    report["task"]["sentence"] = HOSTILE
    report["provenance"]["command"] = HOSTILE
    report["findings"] += [report["findings"][1]] * 4
    report["data"]["columns"][1]["summary"] = HOSTILE
    return report


def full_top() -> Json:
    """Three findings in as many words as they have, a long sentence and a long next step."""
    report = load("classification")
    shares = "the share of '>50K' is 10 % where it is missing and 25 % elsewhere, by 26,049 training rows"
    ask = "Ask why it is missing, and whether it will be missing in the same way when the model is used."
    found = report["findings"][0] | {
        "level": "warning",
        "sentence": f"Whether 'occupation' is missing goes with the target: {shares}. So is 'workclass'.",
        "advice": ask,
    }
    report["findings"] = [found | {"code": code} for code in ("ER106", "ER113", "ER208")]
    report["verdict"] |= {
        "sentence": (
            "Logistic regression (elastic net) is right on 85.2 of 100 later rows weighted by fnlwgt (84.4 to"
            " 86.1), if they are drawn like these; by log-loss 6,513 test rows cannot tell it from nothing."
        ),
        "findings": ["ER106", "ER113", "ER208"],
        "next_step": {
            "sentence": (
                "Look for new columns: a richer class was not shown to help, and whether more rows would help"
                " cannot be told."
            ),
            "gain": None,
        },
    }
    lost = {"section": "test.roc", "sentence": "The ROC curve could not be made (OverflowError: inf)."}
    report["failed"] = [lost]
    return report


def nothing_chosen() -> Json:
    """The constant prediction was chosen, and nothing else was fitted."""
    report = load("classification")
    for row in report["candidates"]:
        row["chosen"] = row["role"] == "baseline"
    name = next(c["name"] for c in report["candidates"] if c["role"] == "baseline")
    report["verdict"] |= {
        "model": name,
        "simplest": None,
        "findings": [],
        "next_step": None,
        "certificate": None,
    }
    report["model"] |= {"name": name, "certificate": None}
    return report


def long_names() -> Json:
    report = load("classification")
    for old in ("age", "capital-gain", "marital-status=Married", ">50K"):
        report = rename(report, old, old + "_averyveryverylongname" * 12)
    return report


def wide() -> Json:
    """200 columns, each with a coefficient and an importance."""
    report = load("regression")
    column, model = report["data"]["columns"][0], report["model"]
    report["data"]["columns"] = [{**column, "name": f"column {i}"} for i in range(199)] + report["data"][
        "columns"
    ][-1:]
    term, importance = model["coefficients"][1], model["importances"][0]
    model["coefficients"] = [{**term, "term": f"column {i}", "column": f"column {i}"} for i in range(199)]
    model["importances"] = [{**importance, "column": f"column {i}"} for i in range(199)]
    return report


def many_classes() -> Json:
    report = load("classification")
    names = [f"class number {i}" for i in range(30)]
    recall = report["test"]["confusion"]["recall"][0]
    report["task"] |= {"kind": "multiclass", "classes": names, "positive": None}
    for part in report["split"]["parts"]:
        part["class_counts"] = [40] * 30
    report["test"] |= {"roc": None, "pr": None, "scores": None}
    counts = [[30 if i == j else int(i + 1 == j) for j in range(30)] for i in range(30)]
    report["test"]["confusion"] = {
        "labels": names,
        "counts": counts,
        "threshold": None,
        "recall": [recall] * 30,
        "precision": None,
    }
    report["model"]["coefficients"] = [
        {**report["model"]["coefficients"][2], "class": name} for name in names[:6]
    ]
    return report


def bare() -> Json:
    """Nothing that may be null or empty is there; no interval can be told."""
    report = load("regression")
    nothing = {
        "value": 0.5,
        "low": None,
        "high": None,
        "level": 0.95,
        "n": 1,
        "method": "none",
        "reason": "One row.",
    }
    unknown = {**nothing, "value": None}
    report["test"] |= dict.fromkeys(("observed", "residuals", "quantiles", "coverage", "subgroups"))
    for metric in [report["verdict"]["headline"], *report["test"]["metrics"]]:
        metric |= {"model": nothing, "baseline": unknown, "difference": None}
    for c in report["candidates"]:
        c |= {
            "score": None,
            "versus_baseline": None,
            "versus_best": None,
            "complexity": None,
            "certificate": None,
        }
        c |= {"fit_seconds": None, "parameters": {}, "note": "Could not be fitted."}
    report["verdict"] |= {"findings": [], "next_step": None, "certificate": None}
    report["model"] |= {"coefficients": None, "importances": None, "certificate": None}
    report["data"] |= {"duplicates": None, "handling": [], "format": None}
    for c in report["data"]["columns"]:
        c |= {"histogram": None, "summary": None, "override": None}
    report["split"]["folds"] = None
    report["selection"]["winner"] = None
    report |= {
        "learning_curve": None,
        "attribution": None,
        "best_possible": None,
        "bounds": None,
        "selection_curves": [],
        "findings": [],
        "checks": [],
        "absent": {},
    }
    return report


def no_intervals() -> Json:
    """Long reasons instead of the intervals of the coefficients, curves and bins."""
    report = load("regression")
    reason = "The L1 penalty chose the terms on these rows, so an ordinary interval would be much too short."
    for c in report["model"]["coefficients"]:
        for key in ("value", "per_sd"):
            if c[key]:
                c[key] |= {"low": None, "high": None, "reason": reason}
    for key in ("observed", "residuals"):
        for b in report["test"][key]["bins"]:
            b["mean"] |= {"low": None, "high": None, "reason": reason}
    report["test"]["quantiles"] |= {"low": None, "high": None}
    report["learning_curve"]["validation"] |= {"low": None, "high": None}
    return report


def clusters_hostile() -> Json:
    """Names and sentences of a report on clusters that try to be HTML, script, mathtext and Markdown."""
    report = load("clusters")
    for old in ("price", "town", "Oslo", "noise"):
        report = rename(report, old, f"{HOSTILE} {old}")
    report["verdict"]["sentences"][1] = HOSTILE
    report["profile"]["clusters"][0]["traits"] = [HOSTILE] * 3
    report["map"]["axes"][0]["sentence"] = HOSTILE
    report["provenance"]["command"] = HOSTILE
    return report


CASES: dict[str, Callable[[], Json]] = {
    "classification": lambda: load("classification"),
    "regression": lambda: load("regression"),
    "hostile": hostile,
    "long_names": long_names,
    "wide": wide,
    "many_classes": many_classes,
    "bare": bare,
    "no_intervals": no_intervals,
    "clusters": lambda: load("clusters"),
    "no_clusters": lambda: load("no_clusters"),
    "clusters_hostile": clusters_hostile,
}


@pytest.fixture(scope="session")
def classes_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small report on two classes, which all tests share and leave as it is."""
    folder = tmp_path_factory.mktemp("classes_made")
    make_report(folder, two_classes(), "answer")
    return folder


@pytest.fixture(scope="session")
def numbers_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small report on a regression, which all tests share and leave as it is."""
    folder = tmp_path_factory.mktemp("numbers_made")
    make_report(folder, numbers(), "y")
    return folder


@pytest.fixture(scope="session")
def groups_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a report on three groups, which all tests share and leave as it is."""
    folder = tmp_path_factory.mktemp("groups_made")
    make_clusters(folder, three_groups(), drop=("species",))
    return folder


@pytest.fixture(scope="session")
def noise_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a report on a table without groups, which all tests share and leave as it is."""
    folder = tmp_path_factory.mktemp("noise_made")
    make_clusters(folder, noise())
    return folder


@pytest.fixture
def classification() -> Json:
    return load("classification")


@pytest.fixture
def regression() -> Json:
    return load("regression")


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Json:
    """Each example and each hard variant in turn."""
    return copy.deepcopy(CASES[request.param]())
