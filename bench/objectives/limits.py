"""What each objective must read and multiply at least, and why ours is further than three times from that.

Every row reads its input once; those that are named in WORK multiply, too, at least what is said.  A reason
stands where a large row takes more than three times its limit; it says what is done beside one reading.
"""

from __future__ import annotations

from bench.limit import Work

__all__ = ["READ_ONCE", "WHY", "WORK"]

READ_ONCE = Work()
GRAM = Work(lambda n, p: float(n) * p * (p + 1))  # sums of products of all pairs of columns
DUAL = Work(lambda n, p: float(n) * (n + 1) * p)  # of rows: there are fewer of them
QUERIES = 10_000  # of the rows of "points 1e5x64"
HIDDEN, CLASSES = 256, 10  # units of the networks in network.py
PAIRS_OF_ROWS = Work(lambda n, p: 2.0 * QUERIES * n * p)

WORK: dict[str, Work] = {
    "ols": GRAM,
    "ridge": Work(lambda n, p: float(n) * p * (min(n, p) + 1)),
    "ridge_loo": GRAM,
    "components": GRAM,
    "components_wide": DUAL,
    "lda": GRAM,
    "qda": GRAM,
    "nearest_brute": PAIRS_OF_ROWS,
    "nearest_brute_float32": PAIRS_OF_ROWS,
    # Forward, the slopes of the weights, and the slopes of the hidden units.
    "mlp_epoch": Work(lambda n, p: 2.0 * n * HIDDEN * (2.0 * p + 3.0 * CLASSES)),
}

PASSES = "the solver reads the rows once an iteration and takes several, with an exponential for each row"
COORDINATES = (
    "descent reads the columns that may enter again and again, and the certificate reads all of them"
)
ONE_BY_ONE = "passes take the rows one by one in a random order, and each step waits for the one before"
GRID = "fits at 30 strengths on several folds share one reading of the rows, and each is a problem of its own"
ROUNDS = (
    "there are a hundred trees or more, and each level of a tree adds every row to one bin of every column, "
    "which is a load and a store of 16 bytes each"
)
SORTED = "the columns are sorted, and each level of the tree passes through every column in order"
FOREST = "a hundred trees of full depth each read their rows at every level"
STEPS = "each step reads every row and all centres, but for what bounds save"
NARROW = "columns are few, so that centring and packing the rows costs as much as the products, and more"
DRAWS = (
    "ten thousand steps follow each other, each on 256 rows drawn at random, with random numbers in every "
    "step"
)
NEAREST = "the nearest so far of each query are kept in order beside the products"
PAIRS = "the distances of all pairs of rows are computed, and those of groups at each merger"
MIXTURE = "every step weighs every row under 16 full covariances, and there are tens to hundreds of steps"
SWAPS = "the distances are read again for each swap of a medoid with a row, and there are many"
WORDS = "words are counted in the order of the rows, which jumps through the 50,000 counts of a class"

WHY: dict[str, str] = {
    "ols": NARROW,
    "ridge": (
        "a factor and residuals follow the products, and products of few rows or columns do not reach the "
        "rate of large ones"
    ),
    "ridge_loo": (
        "the leave-one-out errors of 50 strengths follow the products, after a decomposition into "
        "eigenvectors"
    ),
    "lasso": COORDINATES,
    "lasso_path": COORDINATES,
    "l1_logistic": COORDINATES,
    "group_lasso": COORDINATES,
    "group_logistic": COORDINATES,
    "softmax": PASSES,
    "l1_softmax": PASSES,
    "elastic_net_softmax": PASSES,
    "logistic": PASSES,
    "poisson": PASSES,
    "gamma": PASSES,
    "sgd_logistic": ONE_BY_ONE,
    "rough_logistic": ONE_BY_ONE,
    "svm_hinge": ONE_BY_ONE,
    "quantile": (
        "an interior-point method takes about twenty steps, each with several passes over the rows and a "
        "weighted product of all pairs of columns, and the exact optimum is read off and proved then"
    ),
    "huber": (
        "coefficients and scale take turns, in all about forty passes over the rows with the loss of each, "
        "and medians of the residuals between them; the products of Newton's steps are a small part"
    ),
    "svm_squared_hinge": (
        "Newton's steps take about a dozen passes over the rows, and five weighted products of all pairs of "
        "columns, which cost half as much"
    ),
    "svc_rbf": (
        "the rows of the kernel matrix that the steps ask for are computed anew, each reading all rows"
    ),
    "kernel_ridge": "the kernel matrix of all pairs of rows is formed and factored",
    "components_sparse": (
        "iterations multiply by the sparse matrix and its transpose, jumping through memory at each entry"
    ),
    "projection": (
        "a fast Hadamard transform adds and subtracts the numbers of a row in many rounds, which is more "
        "work than reading them once"
    ),
    "nearest_brute": NEAREST,
    "nearest_brute_float32": NEAREST,
    "nearest_tree": (
        "a tree over the rows is built first, which sorts them, and each query then jumps through it"
    ),
    "linkage_single": PAIRS,
    "linkage_average": PAIRS,
    "linkage_complete": PAIRS,
    "linkage_ward": "each merger looks for the nearest centre, and there are as many mergers as rows",
    "linkage_connected": (
        "the neighbours of all rows are found first, and each merger looks through those of two groups"
    ),
    "gmm_full": MIXTURE,
    "gmm_4_starts": MIXTURE,
    "adaboost": "each round reads the order of every column once, jumping to the weights of the rows",
    "tree": SORTED,
    "shallow_tree": SORTED,
    "forest": FOREST,
    "extra_trees": FOREST,
    "boosting": ROUNDS,
    "boosting_classes": ROUNDS,
    "boosting_many_classes": ROUNDS,
    "boosting_categories": ROUNDS,
    "predict_boosting": "each row meets a hundred trees of 31 leaves, whose cuts it is compared with",
    "predict_forest": (
        "each row walks down a hundred trees of full depth, and each node waits for the one before"
    ),
    "tree_shap": "each row weighs all paths of all trees",
    "grid_ridge": GRID,
    "grid_lasso": GRID,
    "grid_logistic": GRID,
    "grid_svc": GRID,
    "k_medoids": SWAPS,
    "k_medoids_given": SWAPS,
    "kmeans_20_steps": STEPS,
    "kmeans_converged": STEPS,
    "kmeans_4_starts": STEPS,
    "kmeans_seeding": "each further centre reads the rows again, and there are as many readings as centres",
    "mini_batches": "batches are drawn at random many times over, and the rows of each meet all centres",
    "mlp_epoch": (
        "a step is a product of 128 rows, which does not reach the rate of large ones, and changes all "
        "weights"
    ),
    "sgld": DRAWS,
    "sgld_plain": DRAWS,
    "lda": NARROW,
    "qda": NARROW,
    "multinomial_nb": WORDS,
    "bernoulli_nb": WORDS,
    "mle_gamma": "a logarithm of each number is taken, and sums are formed in a fixed order",
    "mle_negative_binomial": (
        "counts are tallied, and the equation of the likelihood is solved on the tally in several steps"
    ),
}
