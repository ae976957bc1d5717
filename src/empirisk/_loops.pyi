"""Compiled loops. Every result has the same bits for any number of threads.

``X`` is a dense float64 or float32 array in any memory order, or (where ``Matrix`` is written) a SciPy CSR
or CSC matrix with int32 or int64 indices. All other floats are float64 (other types are converted, which
copies). Shapes are checked (ValueError names the argument); finiteness, signs of weights and the column
numbers of sparse matrices are not.
"""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csc_matrix, csr_array, csr_matrix

Float: TypeAlias = NDArray[np.float64]
Real: TypeAlias = NDArray[np.floating[Any]]
Index: TypeAlias = NDArray[np.integer[Any]]
Dense: TypeAlias = NDArray[np.floating[Any]]
Matrix: TypeAlias = Dense | csr_array | csc_array | csr_matrix | csc_matrix

def max_threads() -> int:
    """Threads that a parallel loop may use (OMP_NUM_THREADS, threadpoolctl)."""

def variant() -> Literal["baseline", "avx2", "avx512"]:
    """The instruction set in use; the environment variable EMPIRISK_ISA may ask for less before import."""

def gram(X: Dense, weights: Real | None = None, col_center: Real | None = None, wide: bool = False) -> Float:
    """``(X - 1c')' diag(s) (X - 1c')``, (p, p), for weights >= 0; X is neither copied nor centred in memory.

    float32: blocks of 256 rows are summed in float32, or with `wide` in float64, the blocks in float64.
    """

def gram_rows(
    X: Dense, weights: Real | None = None, col_center: Real | None = None, wide: bool = False
) -> Float:
    """``D (X - 1c') (X - 1c')' D`` with ``D = diag(sqrt(s))``, (n, n); `wide` as in :func:`gram`."""

def col_moments(X: Matrix, weights: Real | None = None) -> tuple[Float, Float]:
    """Weighted means and weighted sums of squares about them, (p,) each; zeros where no weight is left."""

def column_sums(
    X: Dense,
    weights: Real | None = None,
    origin: float = 0.0,
    square: bool = False,
    log: bool = False,
    log_rest: bool = False,
) -> tuple[float, float, float, float, float, float, float] | None:
    """Weight, sums of x, x^2, log x and log(1 - x), smallest and largest x of one column; origin is taken off
    before x and x^2 are summed.

    None where an x is not finite, a weight not above 0 and finite, or a logarithm not of a normal number.
    """

def column_tally(X: Dense, weights: Real | None = None) -> Float | None:
    """The weight of each count 0, 1, ... up to the largest one of a column; None where a number is no count
    below 2048, or a weight not above 0 and finite.
    """

def kernel_block(
    form: str, numbers: Real, A: Matrix, B: Matrix | None = None, center: Real | None = None
) -> Any:
    """``k(a_i, b_j)``, (n, m), of the format of A; without B exactly symmetric.  `numbers` has four.

    Dense rows are centred by `center` while they are packed; CSR rows are taken as they are.
    """

def kernel_product(
    form: str,
    numbers: Real,
    A: Matrix,
    B: Matrix,
    weights: Real,
    n_columns: int,
    center: Real | None = None,
) -> Float:
    """``sum_j k(a_i, b_j) weights[j, c]``, (n, n_columns); the matrix is not stored."""

class Linker:
    """A tree of merged clusters of rows (n >= 2), grown in steps.

    `metric` is "euclidean", "manhattan", "cosine" (rows of length one) or "precomputed" (their symmetric
    matrix); "ward", "centroid" and "median" take the first and the last.
    Heights are squares where rows are Euclidean and the linkage is made of single pairs or of centroids.
    A step raises ValueError where a cluster has no nearest one: distances that are NaN or infinite.
    """

    merges: int
    wants: float
    def __init__(self, X: Dense, linkage: str, metric: str, weight: Real, boxes: int = -1) -> None:
        """Single and Ward's linkage search rows in a tree of boxes (1), or compare all (0); -1: measured."""

    def step(self, work: int) -> bool:
        """Work for about so many multiply-adds; False when all is merged.  The next step takes `wants`
        bytes.
        """

    def result(self) -> tuple[Index, Index, Float]:
        """A row of both clusters of each merge and its height, (n - 1,) each, in the order of finding."""

class ConnectedLinker:
    """A tree whose merges follow the edges of a graph, which hold in both directions.

    `X` are centres, (n, p), of "ward", "centroid" or "median"; or, where it is `given`, the square matrix of
    what the recurrence of the linkage holds, which is changed in its place.  Edges of row i:
    ``ends[starts[i]:starts[i + 1]]``.  When none is left, all clusters are neighbours.
    """

    constrained: int
    def __init__(
        self, X: Dense, linkage: str, given: bool, weight: Real, starts: Index, ends: Index
    ) -> None: ...
    def step(self, work: int) -> bool:
        """Work for about so many multiply-adds; False when all is merged."""

    def result(self) -> tuple[Index, Index, Float]:
        """A row of both clusters of each merge and its height, (n - 1,) each, `constrained` ones first."""

def merge_tree(first: Index, second: Index, height: Real, order: Literal["given", "nested"]) -> Float:
    """SciPy's linkage matrix, (n - 1, 4), of merges that name one row of each cluster.

    "nested" puts them in the order of heights and row numbers, with those inside a cluster before it.
    """

def cut_tree(matrix: Real, kept: NDArray[np.bool_]) -> Index:
    """Clusters of the leaves, (n,), by first leaf, after the merges of a linkage matrix that are kept."""

class Smo:
    """Sequential minimal optimisation of ``1/2 v'K v + linear.v`` over a box and a fixed sum of v.

    Rows of K are kept in float32, as many as fit into the cache; every variable names its row.
    """

    @staticmethod
    def of_kernel(form: str, numbers: Real, X: Matrix, center: Real | None, cache_bytes: float) -> Smo:
        """Return one that reads rows of a compiled kernel on dense or CSR rows."""

    @staticmethod
    def of_blocks(n: int, block: Any, diagonal: Real, cache_bytes: float) -> Smo:
        """Return one that reads ``block(rows, columns)``, float64 of shape (len(rows), len(columns))."""

    def run(
        self,
        value: Float,
        f: Float,
        row: Index,
        low: Float,
        high: Float,
        linear: Float,
        tolerance: float,
        most_outer: int,
    ) -> dict[str, Any]:
        """Move `value` and ``f = K v`` in place until the largest violation is at most `tolerance`.

        Returns the working sets and pairs that were moved, the violation, the rows of K that were made so
        far, and a pair of rows along which K curves down, or None.
        """

def matvec(X: Matrix, w: Real, b: float | Real | None = None, out: Float | None = None) -> Float:
    """``X w + b``: w (p,) and b a float give (n,); w (p, k) and b (k,) give (n, k)."""

def nearest_rows(
    X: Matrix, Q: Matrix, k: int, left_out: Index | None = None, center: Real | None = None
) -> tuple[Float, Index]:
    """Squared Euclidean distances and numbers of the k rows of X nearest to each row of Q, (m, k), rising.

    Exact: distances are sums of squared differences, and equal ones are sorted by the number of the row.
    `left_out` names for each query a row that it must not find.
    """

def window_sums(
    X: Dense,
    Q: Dense,
    window: str,
    bandwidths: Real,
    weight: Real,
    target: Real,
    slopes: bool = False,
    fall_back: bool = False,
    left_out: Index | None = None,
    left_weight: Real | None = None,
) -> tuple[Float, Float, Index, Any]:
    """Sums over rows of X with weights ``w = weight * K(||q - x||^2 / h^2)``, for every h and row of Q.

    Returned are the sums, shape (m * queries, D (D + 1)/2 + D + 1), with ``u = (1, x - nearest row)`` of D
    terms (without `slopes` D = 1): ``w u u'`` (upper triangle, row by row), ``w u target`` and ``w^2``; the
    smallest squared distance and the nearest row of each query; and where no row has weight, (m, queries).
    There `fall_back` takes the rows at the smallest distance.  The Gaussian window is relative to the nearest
    row.  A query has `left_weight` (0) as weight of its row `left_out`; -1 is none.
    """

def rmatvec(X: Matrix, u: Real, out: Float | None = None) -> Float:
    """``X' u``: u (n,) gives (p,), u (n, k) gives (p, k)."""

def linear_pass(
    X: Matrix,
    y: Real,
    s: Real | None,
    w: Real,
    b: float,
    loss: str,
    parameter: float = 0.0,
    offset: Real | None = None,
    want_grad: bool = True,
    want_z: bool = False,
    want_derivatives: bool = False,
) -> tuple[float, Float | None, float, Float | None, Float | None, Float | None]:
    """``(sum s l, sum s l' x, sum s l', z, l', l'')`` with ``z = X w + b``, l at z + offset; one read of X.

    What is not wanted is None. s None means ones; z is 0 where s is. z, l' and l'' are (n,), the derivatives
    without the weights. loss is a name of :data:`empirisk.problems.fused.FUSED`, parameter what that takes.
    """

def softmax_pass(
    X: Matrix,
    y: NDArray[np.integer[Any]],
    s: Real | None,
    W: Real,
    b: Real | None,
    want_grad: bool = True,
    want_z: bool = False,
    want_probabilities: bool = False,
) -> tuple[float, Float | None, Float, Float | None, Float | None]:
    """``(sum s l, its gradient in W and in b, Z = X W + b, probabilities P)`` for class indices y."""

def weighted_hessian_product(X: Matrix, d: Real, v: Real, v_b: float = 0.0) -> tuple[Float, float]:
    """``(X' (d * (X v + v_b)), sum d * (X v + v_b))`` in one read of X."""

def softmax_hessian_product(
    X: Matrix, P: Real, s: Real | None, V: Real, v_b: Real | None = None
) -> tuple[Float, Float]:
    """The softmax Hessian times (V, v_b): ``X' R`` and ``1' R``.

    ``R_i = s_i (diag(P_i) - P_i P_i') (V' x_i + v_b)``.
    """

def exp(x: Real) -> Float:
    """The exponential function of the passes, elementwise on a vector; within 1.25 ulp."""

def log1p(x: Real) -> Float:
    """``log(1 + x)`` for ``0 <= x < 2**1022`` or inf, elementwise on a vector; within 1.5 ulp."""

def descend_gram(
    G: Real,
    r_square: float,
    q: Real,
    w: Real,
    l1: float,
    l2: float,
    positive: bool,
    max_epochs: int,
    tol_gap: float,
    tol_move: float,
) -> tuple[int, float, float, float]:
    """Coordinate descent on ``r(w)'r(w)/2 + l1 |w|_1 + l2 |w|^2/2`` with Gram matrix G (k, k).

    Changes q and w in place. q = minus the gradient of the quadratic at w (k,), r_square = ``r'r`` at w.
    Stops at a duality gap of tol_gap or when no coordinate moves its column by more than tol_move. Returns
    (epochs, gap, move, r_square).
    """

def descend_groups(
    G: Real,
    r_square: float,
    q: Real,
    w: Real,
    start: Index,
    strength: Real,
    max_epochs: int,
    tol_gap: float,
    tol_move: float,
) -> tuple[int, float, float, float]:
    """Block coordinate descent on ``r(w)'r(w)/2 + sum_g strength_g ||w_g||`` with Gram matrix G (k, k).

    Group g holds the coordinates ``start[g]`` to ``start[g + 1]``; its block of G must be diagonal (a
    rotation within the group makes it so).  Otherwise as :func:`descend_gram`; the gap is infinite where a
    strength is 0.
    """

def descend_columns(
    X: Matrix,
    index: Index,
    h: Real,
    mean: Real | None,
    curvature: Real,
    u: Real,
    w: Real,
    l1: float,
    l2: float,
    positive: bool,
    max_epochs: int,
    tol_gap: float,
    tol_move: float,
) -> tuple[int, float, float, float]:
    """The same on the columns of dense or CSC X; changes u (n + 1,) and w (k,) in place.

    ``u_i = h_i r_i`` and a last place of 0; mean (k,) the h-weighted means (then u sums to 0) or None;
    curvature (k,) the h-weighted sums of squares about them.
    """

def descend_group_columns(
    X: Matrix,
    index: Index,
    h: Real,
    mean: Real | None,
    curvature: Real,
    u: Real,
    w: Real,
    start: Index,
    strength: Real,
    axes: Real,
    max_epochs: int,
    tol_gap: float,
    tol_move: float,
) -> tuple[int, float, float, float]:
    """:func:`descend_groups` on columns of X in place, as :func:`descend_columns`.

    w and `curvature` are along the axes of each group: ``axes`` holds the matrices V_g (rows first), one
    after the other, with ``X_g'diag(h)X_g = V_g diag(curvature_g) V_g'``.
    """

def gram_columns(X: Dense, index: Index, h: Real, mean: Real | None, first: int, G: Real) -> None:
    """Fills ``G[i, j] = sum_r h_r (x_ri - m_i)(x_rj - m_j)`` for ``first <= j < k`` and its mirror image."""

def columns_rmatvec(X: Matrix, index: Index | None, u: Real) -> Float:
    """``X[:, index]' u`` for dense or CSC X without a copy; index None means all columns."""

def columns_matvec(X: Matrix, index: Index, w: Real) -> Float:
    """``X[:, index] w`` for dense or CSC X without a copy."""

def dual_ascend(
    X: Matrix,
    center: Real,
    low: Real,
    high: Real,
    tube: float,
    curvature: float,
    logistic: bool,
    share: Real,
    square: Real,
    l2: float,
    pull: float,
    theta: Float,
    w: Float,
    b: Float,
    order: Index,
    active: int,
    shrink: float,
    epochs: int,
    seed: int,
) -> tuple[int, int, float, int]:
    """Dual coordinate ascent over the rows ``order[:active]`` of dense (contiguous rows) or CSR X.

    center, low, high, tube, curvature, logistic: see :class:`empirisk.losses.dual_rows.DualRows`; share (n,)
    weights that sum to 1; square (n,) squared norms of the rows; pull > 0 adds ``pull (b - c)^2 / 2``.
    Changes theta (n,), w (p,), b (1,) and order (int64) in place. Rows whose scores miss moving them by more
    than the largest move of the epoch before (at first: shrink) go behind `active`. Returns (epochs, active,
    largest move of a score, rows visited).
    """

def stochastic_steps(
    X: Matrix,
    y: Real,
    weight: Real | None,
    loss: str,
    parameter: float,
    order: Index,
    sizes: Real,
    v: Float,
    *,
    sum: Float | None = None,
    velocity: Float | None = None,
    anchor: Real | None = None,
    drift: Real | None = None,
    center: Real | None = None,
    scale: Real | None = None,
    share: Real | None = None,
    l1: Real | None = None,
    l2: Real | None = None,
    low: Real | None = None,
    intercept: bool = False,
    unit: float = 1.0,
    batch: int = 1,
    every: int = 1,
    momentum: float = 0.0,
    whole: bool = False,
) -> None:
    """Stochastic proximal gradient steps over the rows `order` of dense (contiguous rows) or CSR X.

    One step per `batch` rows B: ``v <- prox(v - size (mean_B weight_i (l'(y_i, v.x_i) - anchor_i) x_i +
    drift))``, the proximal step of ``size (l1_j |v_j| + l2_j v_j^2 / 2)`` above `low`, in the coordinates
    ``(x - center) scale``, with `unit` as the last, constant column. Over CSR only stored columns move, and
    share (p,) multiplies drift, l1 and l2 there; with `whole` (l2 alone, equal for all columns) every column
    shrinks at every step, as over dense X. Step t has size ``sizes[t // every]``. Changes v, `sum`
    (gains every iterate at which a gradient was taken) and `velocity`, all (p + intercept,), in place.
    """

def kernel_stochastic_steps(
    matrix: Real,
    y: Real,
    order: Index,
    loss: str,
    parameter: float,
    alpha: float,
    first: int,
    score: Float,
    added: Float,
) -> None:
    """Stochastic steps first, first + 1, ... on the weights of rows, over the rows `order`.

    `matrix` (n, n) is the kernel; y and score have shape (problems, n). Step t adds ``-l'(y, score / (alpha
    t))`` to the weight of its row, writes it into `added` (problems, steps), and moves the scores.
    """

def perceptron_pass(
    X: Matrix,
    y: Real,
    order: Index,
    v: Float,
    lag: Float | None,
    longest: Float | None,
    intercept: bool,
    time: float,
    run: int,
    best: int,
) -> tuple[int, int, int]:
    """One pass over the rows `order` of dense (contiguous rows) or CSR X: ``v += y_i (x_i, 1)`` on mistakes.

    A mistake is ``y_i v.(x_i, 1) <= 0``. `lag` gains (rows seen before) y_i (x_i, 1): the sum of v over all
    rows so far is ``time v - lag``. `longest` becomes the v that stood the longest run of rows, of `best`
    rows before; `run` is how long v has stood. All (p + intercept,), changed in place. Returns (mistakes,
    run, best).
    """

def resample_sums(X: Real, starts: Index, draws: Index, key: int, first: int, n_resamples: int) -> Float:
    """Sums over the rows that each resample draws, (n_resamples, cols), for X (n, cols) in C order.

    The rows stand in consecutive segments, segment s from ``starts[s]`` to ``starts[s + 1]``; ``draws``
    (segments,) or (n_resamples, segments) tells how many rows of each are drawn with replacement, the same
    number in all for every resample. int64 both. Resample b of the call has the stream of (key, first + b).
    """

def resample_rows(starts: Index, draws: Index, key: int, first: int, out: Index) -> None:
    """Fills out (n_resamples, sum of draws), int64, with the row numbers that the same resamples draw."""

def optimal_tree(
    rank: NDArray[np.int32],
    label: NDArray[np.int32] | None,
    y: Float | None,
    weight: Float,
    n_classes: int,
    leaf_penalty: float,
    depth: int,
    seconds: float,
) -> tuple[float, float, list[int], list[int], list[int]]:
    """Cost of the best tree found, a lower bound of the optimum, and its cuts in heap order.

    ``rank`` is (p, n); a cut of column j sends ranks up to ``low`` left, from ``high`` on right; column -1 is
    a leaf.  The cost is the weight of the errors, or the weighted sum of squares of y, plus leaf_penalty for
    each leaf.
    """

def stump_columns(
    X: Matrix, n_categories: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]:
    """Sorted rows of each column of numbers and the rows without a value: order, order_start, missing,
    missing_start as in :func:`best_stump`. X is dense or CSC, NaN missing; categories have no order.
    """

def best_stump(
    weight: Float,
    scale: float,
    y: NDArray[np.int32],
    n_classes: int,
    real: bool,
    order: NDArray[np.uint32],
    order_start: NDArray[np.int64],
    missing: NDArray[np.uint32],
    missing_start: NDArray[np.int64],
    codes: NDArray[np.int32],
    n_categories: NDArray[np.int64],
    q: NDArray[np.int64],
    leaf: NDArray[np.int32],
    words: NDArray[np.uint32],
) -> tuple[int, int, bool, float]:
    """Column (-1: none), entries of its order that go left, whether missing values do, and the score.

    ``order[order_start[j]:order_start[j + 1]]`` are the rows of column j in ascending order as
    ``2 row + (the next number is larger)``; ``weight * scale`` sums to 1.  Fills `leaf` (n,) with 0 (left)
    and 1, `words` with the categories that go left; q (n,) is workspace.
    """

def vote_step(
    y: NDArray[np.int32],
    base: Float,
    leaf: NDArray[np.int32],
    value: Float,
    factor: Float,
    score: Float,
    weight: Float,
) -> tuple[float, float, float, float]:
    """``score += value[leaf]``, ``weight *= factor[leaf, y]`` in place, for value (L, k), factor (L, K).

    Returns the sums of weight, of base over misclassified rows, of base exp(-margin) (0 for k = 1), and the
    least margin: y F for two classes (k = 1), half of F_y - max of the others for more.
    """

def shuffle_tree(
    feature: NDArray[np.int32],
    threshold: Float,
    left: NDArray[np.int32],
    missing_left: NDArray[np.bool_],
    category_start: NDArray[np.int64],
    category_words: NDArray[np.uint32],
    value: Float,
    n_categories: NDArray[np.int64],
    X: Float,
    rows: NDArray[np.int64],
    donors: NDArray[np.int64],
    group: NDArray[np.int32],
    at: NDArray[np.int64],
    out: Float,
) -> None:
    """``out[at[i], g] += value(leaf of x with group g from donor g) - value(leaf of x)``, ``x = X[rows[i]]``.

    The arrays of one tree as in :class:`empirisk.trees.Trees`; ``group[j]`` is the group of column j, -1 for
    none; `at` names different places of out (places, groups, k). One column of donors serves all groups.
    """

def bin_codes(
    X: Dense, column: NDArray[np.int64], cut_start: NDArray[np.int64], cuts: Float, out: NDArray[np.uint8]
) -> None:
    """``out[j, i] =`` number of cuts of column j below ``X[i, j]``, one more than all cuts where that is NaN.

    Column j has the cuts ``cuts[cut_start[j]:cut_start[j + 1]]``, rising and at most 254; only the rows
    ``column`` of out (p, n) are written.
    """

def transpose_codes(codes: NDArray[np.uint8], out: NDArray[np.uint8]) -> None:
    """``out = codes.T``, both in C order."""

def scalar_derivatives(
    loss: str,
    parameter: float,
    y: Real,
    z: Real,
    weight: Real | None,
    offset: Real | None,
    g: Float,
    h: Float,
    weigh_sizes: bool,
) -> tuple[float, float, float]:
    """``(sum w l, max |l'|, max l'')`` at z + offset; l' and l'' (not below 0) go into g and h unweighted.

    With `weigh_sizes` the maxima are those of ``w |l'|`` and ``w l''``.  A row of weight 0 has g = h = 0.
    loss is a name of :data:`empirisk.problems.fused.FUSED`.
    """

def softmax_derivatives(
    y: Index, z: Real, weight: Real | None, g: Float, h: Float, weigh_sizes: bool
) -> tuple[float, float, float]:
    """The same for class codes y and scores z (k, n): ``g = p - e_y``, ``h = k/(k-1) p (1-p)``, (k, n)."""

class RowTree:
    """A k-d tree of dense rows, at most `leaf` panels of eight rows in a leaf.

    `power` is that of the Minkowski distance, infinity for the largest difference; queries have the number
    format of the rows.
    """

    def __init__(self, X: Matrix, leaf: int) -> None: ...
    def nearest(self, Q: Matrix, k: int, power: float, left_out: Index | None = None) -> tuple[Float, Index]:
        """Distances and numbers of the k nearest rows, (m, k), by the sum of powers and the number."""

    def count_within(self, Q: Matrix, radius: float, power: float) -> Index:
        """How many rows are within the radius of each query."""

    def within(self, Q: Matrix, radius: float, power: float, starts: Index) -> tuple[Index, Float]:
        """Numbers and distances of the rows within the radius, those of query i from ``starts[i]`` on."""

class BoostGrower:
    """Trees for given derivatives on codes, see cpp/trees/boost_grow.hpp; `rows` (n, p), `columns` (p, n)."""

    def __init__(
        self,
        rows: NDArray[np.uint8],
        columns: NDArray[np.uint8],
        n_bins: NDArray[np.int64],
        n_categories: NDArray[np.int64],
        cut_start: NDArray[np.int64],
        cuts: Float,
        code_start: NDArray[np.int64],
        codes: NDArray[np.uint8],
        outputs: int,
        max_leaves: int,
        max_depth: int,
        min_rows: int,
        max_features: int,
        l2: float,
        min_gain: float,
        smoothing: float,
        sign: list[int],
        interactions: list[list[int]],
    ) -> None: ...
    def grow(
        self,
        g: Real,
        h: Real,
        weight: Real | None,
        g_scale: float,
        h_scale: float,
        whole: bool,
        shift: int,
        rows: NDArray[np.int32] | None,
        tried: list[int],
        seed: int,
        rate: float,
        longest: float,
        mean_weight: float,
    ) -> int:
        """Grow a tree on `rows` (None: all) and the columns `tried`; its number of leaves.

        Splits are chosen by the integers ``w g g_scale``, ``w h h_scale`` (whole weights
        multiply the rounded derivative), of which a histogram holds h above `shift` bits of row counts;
        values are ``rate * a / (b + l2)`` from sums in double, within -+ `longest`.
        """
    def grow_outputs(
        self,
        g: Real,
        h: Real,
        weight: Real | None,
        g_scale: float,
        h_scale: float,
        whole: bool,
        shift: int,
        rows: NDArray[np.int32] | None,
        tried: list[list[int]],
        seeds: list[int],
        rate: float,
        longest: float,
        mean_weight: float,
        z: Real,
        others: NDArray[np.int32] | None,
        watched: NDArray[np.uint8] | None,
        z_watched: Real | None,
    ) -> None:
        """Grow, add to the scores (outputs, n) and keep one tree for each output, as :meth:`grow`,
        :meth:`add_to_rows`, :meth:`add_to` and :meth:`store` do one after the other.

        `others` are rows besides those to learn from, `watched` the codes of rows that are watched.  Whole
        trees grow side by side where there are at least as many outputs as threads.
        """
    def leaf_rows(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Rows of all leaves, leaf after leaf, and where each leaf begins, (leaves + 1,)."""
    def set_values(self, values: Float) -> None:
        """Other values of the leaves; inner nodes get the weighted mean of their children."""
    def add_to_rows(self, z: Float) -> None:
        """Add to z (n,) the value of the leaf of each row that the tree was grown on."""
    def add_to(self, codes: NDArray[np.uint8], rows: NDArray[np.int32] | None, z: Float) -> None:
        """Add the tree's prediction of codes (m, p) to z (m,), for `rows` alone or for all."""
    def store(self, output: int) -> None:
        """Keep the tree as the next one of an output."""
    def shorten(self, factor: float) -> None:
        """Multiply the values of the last tree of each output."""
    def add_last(self, output: int, codes: NDArray[np.uint8], z: Float) -> None:
        """Add the last tree's prediction of codes (m, p) to z (m,)."""
    def take_trees(self, output: int) -> dict[str, NDArray[Any]]:
        """The kept trees of an output, as the arrays of :class:`empirisk.trees.Trees`; they are handed over
        and no longer kept.
        """

class TreeLoop:
    """Trees packed for prediction; see :class:`empirisk.trees.structure.Trees` for the arrays."""

    def __init__(
        self,
        start: NDArray[np.int64],
        feature: NDArray[np.int32],
        threshold: Float,
        left: NDArray[np.int32],
        missing_left: NDArray[np.bool_],
        category_start: NDArray[np.int64] | None,
        category_words: NDArray[np.uint32],
        n_categories: NDArray[np.int64],
    ) -> None: ...
    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf of each row in each tree, (n, T)."""

    def predict(self, X: Any, value: Float, tree_weight: Real | None = None) -> Float:
        """Sums of values (N, k) over the leaves of each row, (n, k)."""

    def shap(self, X: Any, value: Float, share: Real, out: Float) -> None:
        """Adds path-dependent Shapley values to out (n, p, k); share (N,): of the parent's weight."""

    def background_shap(self, X: Any, background: Any, value: Float, out: Float) -> bool:
        """Adds Shapley values against background rows to out (n, p, k); False when a path is too long."""

def grow_forest(
    columns: NDArray[np.uint8],
    n_bins: NDArray[np.int64],
    n_categories: NDArray[np.int64],
    cut_start: NDArray[np.int64],
    cuts: Float,
    code_start: NDArray[np.int64],
    codes: NDArray[np.uint8],
    y: Float,
    weight: Float | None,
    n_classes: int,
    part: NDArray[np.int64] | None,
    criterion: str,
    draws: int,
    balanced: bool,
    below: Float | None,
    guide: NDArray[np.int32] | None,
    max_depth: int,
    max_leaves: int,
    min_rows_split: int,
    min_rows_leaf: int,
    min_weight_leaf: float,
    min_gain: float,
    max_features: int,
    random_cuts: bool,
    monotonic: NDArray[np.int8] | None,
    unit: Float | None,
    groups: int,
    seed: int,
    first: int,
    n_trees: int,
) -> dict[str, Any]:
    """The node arrays of trees first, first + 1, ..., and their out-of-bag sums if unit > 0."""

def bag_counts(
    draws: int,
    below: Float | None,
    guide: NDArray[np.int32] | None,
    seed: int,
    first: int,
    out: NDArray[np.int32],
) -> None:
    """Fill out (n, T) with how often each tree drew each row."""

def grow_exact(
    X: Matrix,
    n_categories: NDArray[np.int64],
    loop: str,
    label: NDArray[np.int32] | None,
    n_classes: int,
    first: Float | None,
    second: Float | None,
    l2: float,
    max_depth: int,
    max_leaves: int,
    min_rows_split: int,
    min_rows_leaf: int,
    min_weight_leaf: float,
    min_gain: float,
    max_features: int,
    seed: int,
    signs: NDArray[np.int8] | None,
) -> dict[str, Any]:
    """The node arrays of one tree; -1: no limit.

    Rows have class codes `label` and weights `second`, or targets `first` and weights `second` (None: 1), or
    the two moments of the Newton gain.  X is dense or CSC with sorted indices.
    """

def line_sums(values: Real, weights: Real, shift: float) -> Float:
    """Prefix sums of ``s (x - shift)^q``, q = 0, 1, 2: the high and the low part of each, (6, n + 1)."""

def line_layer(
    sums: Float,
    groups: int,
    last: int,
    before: Float,
    at_least: NDArray[np.int32] | None,
    ceiling: float,
    cost: Float,
    start: NDArray[np.int32],
) -> int:
    """Fill cost and start, (n + 1,) each, of the best splits of the first i sorted numbers into groups.

    `before` holds the costs of one group less, up to `last`, and `at_least` where its last groups begin.
    Returns the last i whose cost is at most the ceiling.
    """

def row_distances(columns: Float, power: int, begin: int, end: int, out: Dense) -> None:
    """Fill rows begin..end of the (n, n) distances of n rows, and their mirror image; rows are columns here.

    Power 2 is the Euclidean distance, 1 the Manhattan, 0 the largest difference.
    """

def medoid_gains(
    distances: Dense, weight: Real | None, nearest: Real | None, rows: NDArray[np.int64]
) -> Float:
    """``sum_o s_o max(0, nearest_o - d_co)`` for some rows c; without `nearest` ``-sum_o s_o d_co``."""

def medoid_assign(
    distances: Dense,
    weight: Real | None,
    medoids: NDArray[np.int64],
    near: NDArray[np.int32],
    apart: Float,
) -> None:
    """Fill near and apart, (2 n,) each: the two nearest medoids of each row, and how far they are."""

def medoid_exchange(
    distances: Dense,
    weight: Real | None,
    medoids: NDArray[np.int64],
    near: NDArray[np.int32],
    apart: Float,
    at: tuple[int, int, int, float],
    least_gain: float,
    candidates: int,
) -> tuple[int, int, int, float]:
    """Exchange medoids with rows, in place, while that lowers the sum of distances by more than least_gain.

    `at` is the next candidate, the candidates since the last exchange, the exchanges, and the largest gain
    among those candidates; the search ends when all n were seen in vain, or after so many `candidates`.
    """

SEED_CHUNK: int

def panel_width(is_float32: bool) -> int:
    """Centres of one panel: the lanes of a vector of float32 or float64."""

def nearest_centers(
    X: Matrix, centers: Real, shift: Real | None, label: NDArray[np.int32], square: Real | None = None
) -> None:
    """Write the nearest centre of each row, and its squared distance by differences in float64.

    X is CSR, or dense with the columns of a row side by side.  `shift` is a point among the centres.
    """

def nearest_centers_bounded(
    X: Matrix,
    centers: Real,
    shift: Real | None,
    order: Index,
    square: Real,
    walked: Real,
    group_walked: Real,
    upper: NDArray[np.float32],
    lower: NDArray[np.float32],
    label: NDArray[np.int32],
) -> tuple[int, int]:
    """The same labels, by bounds that are kept from call to call.

    Returns how many labels changed, and how many pairs of a row and a group had to meet.

    `order` (groups, size) names the centres of each group, rising, -1 where there is none; size is a multiple
    of `panel_width`.  `square` is ``||x - shift||^2``; `walked` (K) and `group_walked` (groups) say how far
    centres have gone, at least, since the bounds began with upper = inf, lower = 0.
    """

def cluster_sums(
    X: Matrix,
    weight: Real | None,
    label: NDArray[np.int32],
    before: NDArray[np.int32] | None,
    shift: Real | None,
    sum: Real,
    mass: Real,
) -> None:
    """Add to sum (K, p) and mass (K) what rows bring whose label is not `before`, which they leave."""

def seed_step(X: Matrix, weight: Real | None, candidate: Index, taken: int, square: Dense) -> Float:
    """Squared distances to candidate rows, into square (n, room), and their weighted sums, (chunks, count).

    Each is the smaller one of the distance and of ``square[i, taken]`` before the call; -1: none.
    """

def gaussian_mixture_pass(
    X: Dense,
    mean: Real,
    inverse: Real,
    log_scale: Real,
    weights: Real | None = None,
    given: Real | None = None,
    rows: bool = False,
    sums: bool = True,
) -> tuple[Any, Any, Any]:
    """Sums (or None), log-densities (n,) and chances of the parts (n, K) (both with `rows`, or None each).

    `inverse` holds inverse lower factors (F, p, p), or reciprocal deviations (F, p), F = 1 or K.  The sums
    are those of ``w log f``, ``r w``, ``r w d`` and ``r w d d'`` (lower triangle) or ``r w d^2``, d = x -
    mean, one after the other.  `given` chances r are taken in the place of those of the parts.
    """

def signed_hadamard(X: Matrix, sign: Real, rows: Index) -> Any:
    """The named rows of ``H (sign * x) / sqrt(d)`` for each row x, (n, d), in the format of X; X is dense or
    CSR with ascending columns.

    H is the Walsh-Hadamard matrix of -1 and +1 of the next power of two above the columns: entry (i, j) is
    -1 where the number of bits that i and j share is odd.
    """

def run_chains(
    target: Any,
    move: str,
    w: Real,
    grad: Real,
    u: Real,
    step: Real,
    scale: Real,
    factor: Real | None,
    seed: int,
    first: int,
    count: int,
    thin: int = 1,
    search: bool = False,
    wanted: float = 0.8,
    most_steps: int = 10,
    length: float = 0.0,
) -> tuple[Float, Float]:
    """``count`` transitions of each chain: draws (chains * rows, d), and acceptance, gradients, depth,
    divergence, U and step of each (chains * rows, 6); places, gradients, U and the search for the step
    change in place.
    """

def start_steps(
    target: Any,
    move: str,
    w: Real,
    grad: Real,
    u: Real,
    step: Real,
    scale: Real,
    factor: Real | None,
    seed: int,
    first: int,
    guess: float,
    find: bool = True,
) -> None:
    """Begin the search for the step of each chain, from one that is accepted about as often as not."""

def ask_places(target: Any, w: Real, grad: Real, u: Real) -> None:
    """U and its gradient at the place of each chain."""

def run_minibatches(
    target: Any,
    anchor: Any,
    w: Real,
    scale: Real,
    factor: Real | None,
    seed: int,
    first: int,
    sizes: Real,
    thin: int,
    size: int,
    replace: bool,
) -> tuple[Float, Float]:
    """Langevin steps of the given sizes with gradients from ``size`` rows of a linear target: draws
    (chains * rows, d), and for each 1 where the chain stays because a step left the finite numbers.
    ``anchor`` holds place, gradient and slopes of the rows of control variates, or is None.
    """

def stream_normals(seed: int, chain: int, step: int, count: int) -> Float:
    """The first normal numbers of the stream of a seed, a chain and a step."""

def network_steps(
    X: Matrix,
    y: Real,
    weight: Real | None,
    w: Real,
    widths: list[int],
    activations: list[str],
    loss: str,
    parameter: float,
    order: Index,
    batch: int,
    sizes: Real,
    rule: str,
    *,
    memory_one: Real | None = None,
    memory_two: Real | None = None,
    first: float = 0.0,
    second: float = 0.0,
    eps: float = 0.0,
    decay: float = 0.0,
    taken: int = 0,
    center: Real | None = None,
    inverse: Real | None = None,
    l1: float = 0.0,
    l2: float = 0.0,
    clip: float = 0.0,
    dropout: float = 0.0,
    seed: int = 0,
    gradient: Real | None = None,
    normalizations: list[str] = ...,
) -> tuple[int, int]:
    """Steps of a network on batches of the rows `order`, X dense or CSR; w and the memories change in place.

    They have the format of X, y holds class codes (n,) for "softmax", else (n, scores).  Layers read
    ``(x - center) * inverse``.  `first` and `second` are the shares that the rule keeps, `taken` the steps
    before.  Products are those of SciPy's BLAS, which the caller keeps on one thread.  Returns the steps that
    were taken, and the first layer (from 1) whose numbers were not finite in the next one, 0 for none.
    """
