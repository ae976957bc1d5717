"""Solving for the number that is not given, and theorems by name on the command line."""

from __future__ import annotations

import importlib
import json
import math

import pytest
from typer.testing import CliRunner

import empirisk as er
from empirisk.bounds.base import Theorem, solve_for
from empirisk.bounds.calculator import solvable, whole_number
from empirisk.bounds.search import MAX_ROWS, smallest, smallest_n
from empirisk.bounds.words import up
from empirisk.cli import app

THEOREM = Theorem("test", "{n} {epsilon} {delta}", (), "nobody")


@pytest.mark.parametrize("answer", [1, 2, 3, 7, 64, 1000, 10**9 + 7, 10**18])
@pytest.mark.parametrize("guess", [None, 0.3, 5.0, 999.0, 1e9, 1e30])
def test_smallest_n(answer: int, guess: float | None) -> None:
    asked = []

    def works(n: int) -> bool:
        asked.append(n)
        return n >= answer

    assert smallest_n(works, guess=guess) == answer
    assert len(asked) < 150
    assert min(asked) >= 1
    assert max(asked) <= MAX_ROWS


def test_smallest_n_may_not_exist() -> None:
    assert smallest_n(lambda n: False) is None
    assert smallest_n(lambda n: n >= 5, least=8) == 8


@pytest.mark.parametrize("answer", [1e-290, 1e-12, 0.3, 0.999])
def test_smallest_number(answer: float) -> None:
    assert smallest(lambda x: x >= answer, 1e-300, 1.0) == pytest.approx(answer, rel=1e-15)
    assert smallest(lambda x: x >= answer, 0.0, 1.0) == pytest.approx(answer, rel=1e-12)


def test_both_forms_of_a_relation_agree() -> None:
    forward = {"epsilon_of": lambda n, d: math.sqrt(math.log(2 / d) / (2 * n))}
    backward = {"delta_of": lambda n, e: 2 * math.exp(-2 * n * e * e)}
    for given in ({"n": 50, "epsilon": 0.2}, {"n": 50, "delta": 0.1}, {"epsilon": 0.03, "delta": 0.1}):
        three = {"n": None, "epsilon": None, "delta": None, **given}
        one, two = (solve_for(THEOREM, **three, **f, candidates=4) for f in (forward, backward))
        assert one.n == two.n
        assert (one.epsilon, one.delta) == pytest.approx((two.epsilon, two.delta), rel=1e-9)


def test_vacuous_statements_say_so() -> None:
    weak = er.bounds.hoeffding(n=1, delta=0.05)
    assert weak.vacuous
    assert "excludes nothing" in str(weak)
    assert "excludes nothing" in weak._repr_html_()
    assert er.bounds.hoeffding(n=10, epsilon=0.01).delta == 1.0
    assert er.bounds.lower_agnostic(epsilon=0.9, delta=0.05, vc=5).vacuous
    assert not er.bounds.hoeffding(n=1000, delta=0.05).vacuous


def test_printed_numbers_are_rounded_up() -> None:
    assert [up(x) for x in (0.05, 0.042941, 1.00004, 0.9, 0.0, 123456.0)] == [
        "0.05",
        "0.04295",
        "1.001",
        "0.9",
        "0",
        "1.235e+05",
    ]


def test_a_smaller_n_never_works_with_exact_numbers() -> None:
    # log(2/delta)/(2 epsilon^2) is exactly 100 in the reals: rounding must not make it 101.
    assert er.bounds.hoeffding(epsilon=0.1, delta=2 * math.exp(-2)).n == 100


def call(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(w) for w in words])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["hoeffding", "--n", 1000, "--delta", 0.05], "epsilon = 0.04295"),
        (["finite_realizable", "--hypotheses", "3^10", "--epsilon", 0.1, "--delta", 0.05], "n = 140"),
        (["vc_excess", "--vc=3", "--n", 20000, "--epsilon", 0.1], "delta ="),
        (["margin", "--margin", 0.2, "--any-margin", "--n", 10**5, "--delta", 0.05], "theorem 5.9"),
        (["hoeffding", "--n", "1e6", "--delta", 0.05], "epsilon = 0.001359"),
        (["hoeffding", "--n", "1e18", "--delta", 0.05], "n = 1,000,000,000,000,000,000"),
        (["finite_realizable", "--hypotheses", "1e30", "--n", "2^13", "--delta", 0.05], "10^30"),
        (["stability", "--rho", 1, "--alpha", 0.1, "--n", 1000], "In expectation"),
    ],
)
def test_bound_on_the_command_line(words: list[object], said: str) -> None:
    code, out, err = call("bound", *words)
    assert (code, err) == (0, "")
    assert said in out
    code, out, _ = call("bound", *words, "--json")
    assert json.loads(out)["theorem"] == words[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bound"], "name a theorem"),
        (["bound", "hoefding", "--n", 5], "did you mean hoeffding?"),
        (["bound", "xyz", "--n", 5], "--list"),
        (["bound", "hoeffding", "--n", 5], "exactly two"),
        (["bound", "hoeffding", "--n", 5, "--delta", 2], "delta must"),
        (["bound", "hoeffding", "--n", 5, "--delta", 0.1, "--foo", 1], "no option --foo"),
        (["bound", "hoeffding", "--n", 5, "--delta", 0.1, "--high"], "--high needs a value"),
        (["bound", "hoeffding", "--n", 5, "--delta", 0.1, "--high", "x"], "--high must be a number"),
        (["bound", "hoeffding", "--n", 5, "--delta", 0.1, "--sides", 3], "sides must be 1"),
        (["bound", "bernstein", "--n", 5, "--delta", 0.1], "needs --variance"),
        (["bound", "stability", "--rho", 1, "--alpha", 1, "--n", 5, "--delta", 0.1], "expectation"),
        (["bound", "occam", "--n", 5], "rows of data"),
        (["bound", "hoeffding", "--n", "1e19", "--delta", 0.1], "n must lie between 1 and 1e+18"),
        (["bound", "finite_realizable", "--hypotheses", "1.5", "--n", 5, "--delta", 0.1], "a whole number"),
        (["bound", "finite_realizable", "--hypotheses", "1e9999999999", "--n", 5], "a whole number"),
        (["bound", "finite_realizable", "--hypotheses", 0, "--n", 5, "--delta", 0.1], "must be at least 1"),
        (["samples", "--vc", 0], "vc must lie between 1 and 1e+07"),
        (["samples", "--vc", -3], "vc must lie between 1 and 1e+07"),
        (["samples", "--vc", 3, "--classes", 4], "give one of"),
        (["samples", "--epsilon", 0], "epsilon must"),
    ],
)
def test_wrong_words_get_a_sentence_and_exit_code_2(words: list[object], said: str) -> None:
    code, out, err = call(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_list_and_samples_on_the_command_line() -> None:
    code, out, _ = call("bound", "--list")
    assert code == 0
    heads = [line.split()[0] for line in out.splitlines() if not line.startswith(" ")]
    assert heads == list(solvable(er.bounds.REGISTRY))
    code, out, _ = call("samples", "--classes", 100, "--no-simulate", "--json")
    assert code == 0
    rows = json.loads(out)["requirements"]
    assert er.bounds.finite_agnostic(hypotheses=100, epsilon=0.05, delta=0.05).n in [r["n"] for r in rows]
    code, out, _ = call("samples", "--parameters", 3, "--epsilon", 0.1)
    assert "discretisation" in out


def test_whole_numbers_of_the_command_line_are_whole() -> None:
    code, out, err = call("bound", "hoeffding", "--n", "1.5", "--delta", 0.1)
    assert (code, out) == (2, "")
    assert "must be a whole number, got '1.5'" in err
    assert whole_number("1e30") == 10**30
    code, out, _ = call("samples", "--classes", "3^10", "--no-simulate", "--json")
    assert code == 0
    assert "59,049" in json.loads(out)["title"]


def test_long_simulations_are_announced_on_the_error_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("empirisk.bounds.sample_sizes")
    monkeypatch.setattr(module, "seconds", lambda points, delta: 2.9)
    code, out, err = call("samples", "--vc", 2, "--epsilon", 0.3, "--delta", 0.3, "--json")
    assert code == 0
    assert json.loads(out)["requirements"]
    assert err == "Simulating: about 12 seconds (--no-simulate leaves them out).\n"
