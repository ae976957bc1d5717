"""Classification by a network of layers, trained by minibatch steps.

Rumelhart, Hinton and Williams, Nature 323 (1986).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from empirisk.estimators.agreement import agreeing, largest
from empirisk.estimators.log_probabilities import LogProbabilities, softmax_logs
from empirisk.estimators.network.network_base import NetworkEstimator
from empirisk.estimators.streamed_labels import StreamedLabels
from empirisk.losses import Logistic, Loss, Softmax
from empirisk.typing import Array

__all__ = ["MLPClassifier"]


class MLPClassifier(LogProbabilities, StreamedLabels, NetworkEstimator):
    """Classification by a network of layers, with the gradient norm on all rows as its certificate.

    ``min_W (1/S) sum_i s_i l(y_i, z_i) + alpha (r ||W||_1 + (1-r) ||W||^2 / 2)``

    z_i are the scores of row i: ``h_0 = x``, ``h_l = f(h_(l-1) W_l + b_l)``, and the last layer without f.
    l is the log-loss: logistic for two classes, softmax for more.  The steps go along the gradients of small
    random batches; columns are standardised inside.

    Parameters
    ----------
    hidden : int or sequence of int, default (100,)
        Units of each hidden layer; () is the linear model.
    activation : str or Activation, default "relu"
        f: "relu", "leaky_relu", "gelu", "softplus", "tanh", "sigmoid", "identity".
    normalization : str, Normalization or None, default None
        What brings the sums of each hidden layer to mean 0 and variance 1, before a learned gain and bias and
        the activation: "layer" looks at the units of a row, "batch" at the rows: in steps those of the
        batch, in the objective, the certificate and predictions all training rows.
    alpha : float, default 1e-4
        Strength of the penalty on the weights of all layers, on the mean-loss scale; biases are free.
        scikit-learn divides its own by the rows of a batch: its 1e-4 is 5e-7 here.
    l1_ratio : float, default 0.0
        r, in [0, 1]: 0 is L2, 1 is L1.
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class; "balanced" gives every class weight S/K.
    optimizer : str or UpdateRule, default "adam"
        "adam", "adamw", "rmsprop", "adagrad", "adadelta", "gradient_step" (plain SGD), "momentum",
        "nesterov", or an object of ``er.optimizers``, which brings its own schedule.
    step : float or "auto", default "auto"
        First step size, > 0; "auto" is the usual one of the rule (0.001 for Adam).
    schedule : str or Schedule, default "constant"
        "constant", "cosine", "inverse_time", "step_decay", or an object of ``er.optimizers``.
    n_epochs : int, default 200
        Most passes over the rows.
    batch_size : int or "auto", default "auto"
        Rows a step; "auto" is 200, or all where there are fewer.
    dropout : float, default 0.0
        Share of the hidden units that each row leaves out in training, in [0, 1).
    clip : float or None, default None
        Longest gradient, > 0; longer ones are shortened to it.
    standardise : bool, default True
        Whether the network reads columns minus their means, over their standard deviations.
    early_stopping : bool, default False
        Hold out rows, keep the epoch whose loss on them was smallest, and stop `patience` epochs after it.
    validation_share : float, default 0.1
        Share of the rows that are held out, in (0, 1).
    patience : int, default 10
        Epochs without a smaller held-out loss.
    tol : float or None, default None
        With a number, training ends as soon as the certificate over its scale is at most this (looked at
        every 10 epochs), and warns when it is not reached.  None takes all epochs.
    n_init : int, default 1
        Random starts; the best is kept, and the certificate says how far they lie apart.
    warm_start : bool, default False
        Begin each fit at the weights of the fit before, where layers and classes are the same.
    checkpoint : path or None, default None
        A file that ``fit`` writes its state to.  The same fit, begun again, goes on from there and ends with
        the same bits; a file of other rows or parameters is refused.  It is removed when the fit is done.
    checkpoint_every : int, default 10
        Epochs between two states.
    device : str, default "cpu"
        Where steps are computed: "cpu" is compiled code; "cuda" or "cuda:1" a graphics processor of NVIDIA by
        PyTorch (``pip install 'empirisk[torch]'``), "cpu-torch" PyTorch on the processor.  All take the same
        steps but for rounding; certificate and predictions are always computed on the processor.
    random_state : int, Generator, RandomState or None, default None
        Seed of the weights, the order of rows and the dropout; None is 0.  Equal seeds give equal bits.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    coefs_, intercepts_, gains_ : list of array
        Weights (inputs, units), biases (units,) and gains (units,) of each layer; no gains without
        normalization.
    moments_ : list of (array, array) or None
        Means and variances over the training rows of layers with batch normalization.
    loss_ : float
        The objective on the training rows.
    validation_loss_ : Estimate or None
        Mean loss of the held-out rows with its interval, and in ``validation_curve_`` that of each epoch.
    certificate_ : Certificate
        Norm of the gradient on all training rows, over that at the start (there on 4096 rows drawn from them
        where there are more).  It tells how near to a stationary
        point the weights are, and nothing about other points.  After ``partial_fit`` there is none.
    solution_ : Solution
        Status, steps, passes, and a note on dead units or steps that were too long.
    n_iter_, t_ : int
        Epochs and steps.

    Raises
    ------
    ValueError
        On labels that ``partial_fit`` was not told of, a step that is not positive, "step" as the activation,
        a device that PyTorch does not find.
    ImportError
        On a device that needs PyTorch, without it.

    Notes
    -----
    6 operations a row and weight in each epoch, in the format of X; the certificate costs one more pass, in
    double precision.  Sparse rows become dense batch by batch.  Weights of rows are factors on their losses;
    a weight of 2 draws the row once, not twice, so that it equals repetition in the objective and not in the
    steps.

    References
    ----------
    Rumelhart, Hinton & Williams 1986; Glorot & Bengio 2010; He et al. 2015 (starts); Kingma & Ba 2015 (Adam);
    Srivastava et al. 2014 (dropout).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> y = ["even", "odd", "odd", "even"]
    >>> model = er.MLPClassifier(8, activation="tanh", step=0.05).fit(X, y)
    >>> model.predict(X).tolist()
    ['even', 'odd', 'odd', 'even']
    """

    classes_: Any
    class_weight: Any

    def __init__(
        self,
        hidden: Any = (100,),
        activation: Any = "relu",
        *,
        normalization: Any = None,
        alpha: float = 1e-4,
        l1_ratio: float = 0.0,
        class_weight: Any = None,
        optimizer: Any = "adam",
        step: float | str = "auto",
        schedule: Any = "constant",
        n_epochs: int = 200,
        batch_size: int | str = "auto",
        dropout: float = 0.0,
        clip: float | None = None,
        standardise: bool = True,
        early_stopping: bool = False,
        validation_share: float = 0.1,
        patience: int = 10,
        tol: float | None = None,
        n_init: int = 1,
        warm_start: bool = False,
        checkpoint: Any = None,
        checkpoint_every: int = 10,
        device: str = "cpu",
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Go on with the rows of one block, each once, in random batches.

        The units of the columns come from the first block; schedules that need to know the end become a
        constant step.  A block may lack classes.  Rows are not held out, so that ``early_stopping=True`` is
        refused; ``n_epochs``, ``n_init``, ``tol`` and ``checkpoint`` are those of ``fit`` alone.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features, the same columns in every block.
        y : array, shape (n,)
            Labels among `classes`.
        classes : array, shape (K,), optional
            All labels that can come; needed at the first call, may be repeated later.
        sample_weight : array, shape (n,), optional
            Weights >= 0, relative to their mean in the block.

        Returns
        -------
        self
        """
        return self._with_classes(X, y, classes, sample_weight)

    # -- the problem ------------------------------------------------------------------------------

    def _loss(self) -> Loss:
        return Logistic() if len(self.classes_) == 2 else Softmax()

    def _n_scores(self, targets: Array) -> int:
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    def _score_names(self) -> list[str]:
        return [str(label) for label in self.classes_[1 if len(self.classes_) == 2 else 0 :]]

    # -- answers ----------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Return the scores of the last layer: shape (n,) for two classes, (n, K) for more."""
        z = self._scores(X)
        return z[:, 0] if z.shape[1] == 1 else z

    def predict(self, X: Any) -> Any:
        """Return the class of the largest score of each row, shape (n,)."""
        z = self.decision_function(X)
        return self.classes_[largest(z)]

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, shape (n, K): the softmax of the scores."""
        z = self.decision_function(X)
        return agreeing(np.asarray(np.exp(softmax_logs(z))), z)

    def _log_probabilities(self, X: Any) -> Array:
        return softmax_logs(self.decision_function(X))
