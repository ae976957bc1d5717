"""Correct digits on NIST's certified regressions: ours, and the peers that are installed.

Run ``python -m bench.nist`` in the root of the repository; writes ``bench/results/nist.md``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from empirisk.estimators import LinearRegression
from tests.oracles import nist

Answer = tuple[np.ndarray, np.ndarray | None]


def ours(case: nist.Case) -> Answer:
    X, y = case.arrays()
    table = LinearRegression(fit_intercept=case.intercept).fit(X, y).summary(X, y)
    return table.coef, table.se


def scikit_learn(case: nist.Case) -> Answer:
    from sklearn.linear_model import LinearRegression as Peer

    model = Peer(fit_intercept=case.intercept).fit(*case.arrays())
    return (np.append(model.intercept_, model.coef_) if case.intercept else model.coef_), None


def statsmodels(case: nist.Case) -> Answer:
    import statsmodels.api as sm

    X, y = case.arrays()
    fit = sm.OLS(y, sm.add_constant(X) if case.intercept else X).fit()
    return fit.params, fit.bse


def normal_equations(case: nist.Case) -> Answer:
    X, y = case.arrays()
    A = np.column_stack([np.ones(len(y)), X]) if case.intercept else X
    try:
        return np.linalg.solve(A.T @ A, A.T @ y), None
    except np.linalg.LinAlgError:
        return np.full(A.shape[1], np.nan), None


PROGRAMS: dict[str, Callable[[nist.Case], Answer]] = {
    "empirisk": ours,
    "scikit-learn": scikit_learn,
    "statsmodels": statsmodels,
    "normal equations": normal_equations,
}


def table() -> str:
    """A Markdown table of the smallest log relative error over the coefficients and standard deviations."""
    lines = [
        "# Correct digits on the NIST regressions",
        "",
        "Smallest log relative error over the coefficients / over their standard deviations (15: all digits; "
        "absolute where the certified value is 0; -: not computed by that program).",
        "",
        "| case | " + " | ".join(PROGRAMS) + " |",
        "|---" * (len(PROGRAMS) + 1) + "|",
    ]
    for name in nist.NAMES:
        case = nist.case(name)
        cells = []
        for program in PROGRAMS.values():
            coef, se = program(case)
            first = min(nist.digits(float(v), c) for v, c in zip(coef, case.coef, strict=True))
            second = "-"
            if se is not None:
                second = f"{min(nist.digits(float(v), c) for v, c in zip(se, case.se, strict=True)):.1f}"
            cells.append(f"{first:.1f} / {second}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = table()
    print(text)
    target = Path(__file__).parent / "results" / "nist.md"
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
