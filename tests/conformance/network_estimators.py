"""The networks under test, in several of the ways that they can be used; in short runs."""

from __future__ import annotations

from tests.conformance.estimators import Use, use

USES: list[Use] = [
    use("MLPClassifier", hidden=8, n_epochs=20, step=0.01),
    use("MLPClassifier", hidden=(6, 5), activation="tanh", n_epochs=20, batch_size=20, early_stopping=True),
    use("MLPClassifier", hidden=(6, 5), normalization="batch", n_epochs=15, batch_size=20, dropout=0.1),
    use("MLPRegressor", hidden=(6, 5), activation="gelu", normalization="layer", n_epochs=15),
    use("MLPRegressor", hidden=8, n_epochs=20, step=0.01),
    use("MLPRegressor", hidden=(5, 4), activation="softplus", loss="huber", optimizer="rmsprop", n_epochs=15),
]
