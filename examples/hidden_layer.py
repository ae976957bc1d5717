"""What does a hidden layer buy?  Exclusive or, all functions of bits, and curves as near as one likes.

Run it (a few seconds):

    python examples/hidden_layer.py
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import empirisk as er
from empirisk.problems import Layers
from empirisk.problems.activations import Identity, ReLU, Step

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])


def by_hand(layers: Layers, *parts: np.ndarray) -> np.ndarray:
    """Return the parameters of a network from weights and biases, layer by layer."""
    w = np.zeros(layers.size)
    places = [place for pair in layers.split(w) for place in pair]
    for place, given in zip(places, parts, strict=True):
        place[:] = given
    return w


def exclusive_or() -> None:
    """Show that no neuron says a xor b, that three do, and how often steps on the log-loss find them."""
    print("1. Exclusive or\n")
    print(f"  {er.hypotheses.Halfspaces(2).shatters(SQUARE)}")
    print(f"  one step neuron: {er.HalfspaceClassifier().fit(SQUARE, XOR).proof_}\n")
    layers = Layers((2, 2, 1), (Step(), Step()))
    w = by_hand(layers, np.ones((2, 2)), np.array([-0.5, -1.5]), np.array([[1.0], [-1.0]]), np.array([-0.5]))
    print(f"  three by hand, OR without AND, say {layers.scores(w, SQUARE)[:, 0].astype(int).tolist()}")
    models = [
        er.MLPClassifier(2, "tanh", step=0.3, n_epochs=2_000, random_state=seed).fit(SQUARE, XOR)
        for seed in range(20)
    ]
    found = sum(bool((model.predict(SQUARE) == XOR).all()) for model in models)
    ends = sorted({round(model.loss_, 3) for model in models})
    slope = np.median([model.certificate_.relative for model in models])
    print(
        f"  a network 2-2-1 with tanh learned it from {found} of 20 random starts; F ended at one of {ends},"
    )
    print(
        f"  the gradient at {slope:.0e} of that at the start (median): stationary points, and not all good\n"
    )


def functions_of_bits(n: int = 3) -> None:
    """Write every function of n signs with one neuron for each row where it is 1."""
    print(f"2. All {2**2**n} functions of {n} signs\n")
    rows = np.array(np.meshgrid(*[[-1.0, 1.0]] * n)).reshape(n, -1).T
    right = 0
    for number in range(1, 2**2**n):
        wanted = (number >> np.arange(2**n)) & 1
        u = rows[wanted == 1]
        layers = Layers((n, len(u), 1), (Step(), Step()))
        # <x, u> is n where x = u, and at most n - 2 elsewhere: each neuron knows one row, the last one is OR.
        w = by_hand(layers, u.T, np.full(len(u), 1.0 - n), np.ones((len(u), 1)), np.array([-0.5]))
        right += int((layers.scores(w, rows)[:, 0] == wanted).all())
    print(f"  one hidden layer, a neuron for each row where the function is 1: {right + 1} are right")
    print(f"  (0 needs no neuron). Up to {2**n} neurons for {n} signs: the price doubles with each sign.\n")


def steps(f: Callable[[np.ndarray], np.ndarray], m: int) -> tuple[Layers, np.ndarray]:
    """Return a network of m step neurons that equals f in the middle of m + 1 cells of [0, 1]."""
    layers = Layers((1, m, 1), (Step(), Identity()))
    at = f((np.arange(m + 1) + 0.5) / (m + 1))
    edges = np.arange(1, m + 1) / (m + 1)
    return layers, by_hand(layers, np.ones((1, m)), -edges, np.diff(at)[:, None], at[:1])


def bends(f: Callable[[np.ndarray], np.ndarray], m: int) -> tuple[Layers, np.ndarray]:
    """Return a network of m rectifiers that joins the values of f at m + 1 places of [0, 1] by lines."""
    layers = Layers((1, m, 1), (ReLU(), Identity()))
    knots = np.linspace(0.0, 1.0, m + 1)
    slopes = np.diff(f(knots)) * m
    return layers, by_hand(
        layers, np.ones((1, m)), -knots[:-1], np.diff(slopes, prepend=0.0)[:, None], f(knots[:1])
    )


def wave(x: np.ndarray) -> np.ndarray:
    """Return sin 2 pi x, whose slope is at most 2 pi, and whose second derivative 4 pi^2."""
    return np.asarray(np.sin(2.0 * np.pi * x))


def curves() -> None:
    """Compare the largest error of step neurons, of rectifiers and of learned networks with their width."""
    print("3. A curve, sin 2 pi x on [0, 1]: the largest error of one hidden layer\n")
    x = np.linspace(0.0, 1.0, 20_001)[:, None]
    print("  neurons     steps    at most    lines    at most    learned")
    for m in (4, 8, 16, 32, 64, 128):
        errors = []
        for build in (steps, bends):
            layers, w = build(wave, m)
            errors.append(float(np.abs(layers.scores(w, x)[:, 0] - wave(x[:, 0])).max()))
        # Half a cell at the largest slope; the interpolation error of lines.
        bounds = np.pi / (m + 1), 4.0 * np.pi**2 / (8.0 * m**2)
        model = er.MLPRegressor(m, alpha=0.0, step=0.01, schedule="cosine", batch_size=50, n_epochs=300)
        model.fit(x[::100], wave(x[::100, 0]))
        learned = float(np.abs(model.predict(x) - wave(x[:, 0])).max())
        print(
            f"  {m:7d} {errors[0]:9.4f} {bounds[0]:10.4f} {errors[1]:8.5f} {bounds[1]:10.5f} {learned:10.4f}"
        )
    print(
        "\n  Twice the neurons halve the error of steps, and quarter that of lines.  What is learned stays "
        "far"
    )
    print("  above that of lines: that a good network exists does not say that training finds it.\n")


def jumps() -> None:
    """Write the indicator of an interval exactly with two step neurons, and nearly with four rectifiers."""
    print("4. The indicator of [0.3, 0.6)\n")
    x = np.linspace(0.0, 1.0, 20_001)[:, None]
    wanted = ((x[:, 0] > 0.3) & (x[:, 0] <= 0.6)).astype(float)
    layers = Layers((1, 2, 1), (Step(), Identity()))
    w = by_hand(layers, np.ones((1, 2)), np.array([-0.3, -0.6]), np.array([[1.0], [-1.0]]), np.zeros(1))
    print(f"  two step neurons: largest error {np.abs(layers.scores(w, x)[:, 0] - wanted).max():.0f}")
    layers = Layers((1, 4, 1), (ReLU(), Identity()))
    for side in (0.1, 0.01, 0.001):
        edges = np.array([0.3, 0.3 + side, 0.6 - side, 0.6])
        heights = np.array([[1.0], [-1.0], [-1.0], [1.0]]) / side
        w = by_hand(layers, np.ones((1, 4)), -edges, heights, np.zeros(1))
        error = np.abs(layers.scores(w, x)[:, 0] - wanted)
        said = f"mean error {error.mean():.4f}, largest {error.max():.2f}"
        print(f"  four rectifiers, sides {side:5.3f} wide: {said}")
    print(
        "\n  A continuous function is no nearer than 1/2 to both sides of a jump: the mean error falls alone."
    )


def main() -> None:
    """Tell the four stories one after the other."""
    exclusive_or()
    functions_of_bits()
    curves()
    jumps()


if __name__ == "__main__":
    main()
