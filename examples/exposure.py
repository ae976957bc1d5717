"""Counts with an exposure: does smoking kill, and how certain is the answer?

The ten cells of Doll and Hill's study of British doctors: deaths from coronary disease and person-years
by age and smoking (Breslow and Day 1987, table 4.1).  Run it (a second):

    python examples/exposure.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import empirisk as er

AGES = ["35-44", "45-54", "55-64", "65-74", "75-84"]
DEATHS = np.array([32, 104, 206, 186, 102, 2, 12, 28, 28, 31])
YEARS = np.array([52407, 43248, 28612, 12663, 5317, 18790, 10673, 5710, 2585, 1462])


def table(interaction: bool) -> pd.DataFrame:
    """Smoking, age, and if asked for an effect of smoking that falls with age."""
    smokes = np.repeat([1.0, 0.0], 5)
    X = pd.DataFrame({"smokes": smokes})
    for j, age in enumerate(AGES[1:], 1):
        X[age] = np.tile(np.eye(5)[:, j], 2)
    if interaction:
        X["smokes by age"] = smokes * np.tile(np.arange(5.0), 2)
    return X


def main() -> None:
    """Fit rates, look at their variance, find what is missing."""
    print("1. Counts without their exposure mislead\n")
    X = table(False)
    wrong = er.PoissonRegressor(alpha=0.0).fit(X, DEATHS)
    right = er.PoissonRegressor(alpha=0.0).fit(X, DEATHS, exposure=YEARS)
    print(f"  deaths:                     smokers {np.exp(wrong.coef_[0]):.2f} times those of others")
    print(f"  deaths for each person-year: smokers {np.exp(right.coef_[0]):.2f} times those of others")
    print("  Four in five doctors smoked: the first number counts doctors, the second compares risks.\n")

    print("2. How certain is it?\n")
    print(right.summary(X, DEATHS, exposure=YEARS))
    print(f"\n  {right.certificate_}\n")

    print("3. Does the model hold?\n")
    print(f"  deviance {right.deviance_:.2f} on 4 degrees of freedom, dispersion {right.dispersion_:.2f}")
    print(
        "  The counts vary almost three times as much around it as Poisson counts do: something is missing.\n"
    )

    print("4. The effect of smoking falls with age\n")
    X = table(True)
    better = er.PoissonRegressor(alpha=0.0).fit(X, DEATHS, exposure=YEARS)
    print(f"  deviance {better.deviance_:.2f} on 3 degrees of freedom, dispersion {better.dispersion_:.2f}")
    for j, age in enumerate(AGES):
        ratio = np.exp(better.coef_[0] + j * better.coef_[-1])
        print(f"  {age}: smokers die {ratio:.1f} times as often")
    print("\n  One ratio for all ages was the wrong summary, and the dispersion had said so.")


if __name__ == "__main__":
    main()
