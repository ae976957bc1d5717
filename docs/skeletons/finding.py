"""ER299: columns that differ between training and test rows: a copy-me file for a finding.

Copy to src/empirisk/diagnosis/<name>.py, one finding a file, give it a free code, add one row to the REGISTRY
of that folder, a page docs/findings/<code>.md, and scenarios with and without the fault in
bench/alarms/cases_<name>.py.  A finding states a null that a user can read, and may answer that the rows
cannot tell.  Findings that ask "would this alternative be better?" use ``ctx.out_of_fold``, ``ctx.compare``
and ``ctx.share``; see overfitting.py there.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import ks_2samp

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context

__all__ = ["CODE", "shifted_columns"]

CODE = "ER299"


def shifted_columns(ctx: Context) -> Answer:
    """Kolmogorov-Smirnov tests of every column; ``p = number of columns * smallest p``.

    Null: no column has another distribution in the test rows.

    References
    ----------
    F. J. Massey, "The Kolmogorov-Smirnov test for goodness of fit", JASA 46 (1951), 68-78.

    Examples
    --------
    >>> from empirisk.diagnosis import context
    >>> from sklearn.linear_model import Ridge
    >>> rows = np.arange(60.0)[:, None]
    >>> answer = shifted_columns(context(Ridge(), rows, rows[:, 0] % 7, X_test=rows + 30.0))
    >>> answer.outcome.value, answer.where
    ('fires', ('x0',))
    """
    if ctx.X_test is None:
        raise NotRun("no test rows were given (X_test)")
    train, test = np.asarray(ctx.X, dtype=np.float64), np.asarray(ctx.X_test, dtype=np.float64)
    each = np.array([ks_2samp(a, b).pvalue for a, b in zip(train.T, test.T, strict=True)])
    worst = int(each.argmin())
    p = min(1.0, float(each.size * each[worst]))
    name = ctx.columns[worst]
    shown = (
        f"Kolmogorov-Smirnov on {len(train):,} and {len(test):,} rows, p = {p:.2g} over {each.size} columns"
    )
    if p > ctx.level:
        sentence = "No column is seen to differ between training and test rows."
        return Answer(CODE, Outcome.CLEAR, sentence, p, evidence=shown)
    sentence = f"Test rows differ from training rows, most in {name!r}."
    advice = "Find out how the rows were split; these test rows are another population."
    return Answer(CODE, Outcome.FIRES, sentence, p, evidence=shown, advice=advice, where=(name,))
