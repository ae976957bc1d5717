"""Every finding says in its first sentence what to do: the top of a report shows no more of its advice."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import empirisk
from empirisk.diagnosis import REGISTRY
from empirisk.report.audit.audit import CHECKS
from empirisk.report.render.write import render_markdown
from empirisk.report.sections.prose import first_sentence, first_step
from tests.report.conftest import load

ROOT = Path(str(empirisk.__file__)).parent
# Where the advice stands among the arguments.
PLACES = {"Finding": 4, "Answer": 6}
# How a first step begins: with what to do, a condition for it, or that nothing is to be done.
BEGINS = re.compile(
    r"Add|Ask|Change|Check|Choose|Collect|Correct|Drop|Extend|Find|Fit|Give|Judge|Keep|Look|Measure"
    r"|Merge|Multiply|Refit|Regularise|Remove|See|Set|Split|Take|Try|Use|Wrap|If|To|Nothing"
)


def texts(node: ast.expr | None, names: dict[str, list[ast.expr]]) -> Iterator[str]:
    """Every text that an expression may be, with a number in each place that is filled in."""
    match node:
        case ast.Constant(value=str(said)):
            yield said
        case ast.JoinedStr(values=[first, *others]):
            rest = "".join(v.value if isinstance(v, ast.Constant) else "9" for v in others)
            value = first.value if isinstance(first, ast.FormattedValue) else first
            for said in list(texts(value, names)) or ["9"]:
                yield said + rest
        case ast.IfExp(body=body, orelse=other):
            yield from texts(body, names)
            yield from texts(other, names)
        case ast.Name(id=name):
            for value in names.get(name, []):
                yield from texts(value, names)


def assigned(nodes: Iterable[ast.AST]) -> dict[str, list[ast.expr]]:
    """What each name is set to."""
    names: dict[str, list[ast.expr]] = defaultdict(list)
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id].append(node.value)
    return names


def advice() -> dict[str, set[str]]:
    """What each code may advise, read from the calls that make its findings."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in [*(ROOT / "diagnosis").glob("*.py"), *(ROOT / "report" / "audit").glob("*.py")]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        above = assigned(tree.body)
        for function in tree.body:
            names = {**above, **assigned(ast.walk(function))}
            for call in ast.walk(function):
                kind = getattr(getattr(call, "func", None), "id", "")
                if isinstance(call, ast.Call) and kind in PLACES and call.args:
                    given = {k.arg: k.value for k in call.keywords}.get("advice")
                    place = PLACES[kind]
                    node = given or (call.args[place] if len(call.args) > place else None)
                    for code in texts(call.args[0], names):
                        found[code] |= set(texts(node, names))
    return found


SAID = advice()
CODES = sorted({c.code for c in CHECKS} | set(REGISTRY))


@pytest.mark.parametrize("code", CODES)
def test_a_finding_says_first_what_to_do(code: str) -> None:
    assert SAID[code], f"give the findings of {code} an advice"
    for said in SAID[code]:
        step = first_step(said)
        assert BEGINS.fullmatch(step.split()[0]), f"begin the advice of {code} with what to do: {said}"
        assert len(step) <= 150, f"say in fewer words what to do about {code}: {step}"
        assert step.endswith((".", "?"))


def test_a_sentence_ends_at_its_stop_and_not_at_a_decimal() -> None:
    assert first_sentence("Accuracy 0.87 hides 'b'. So does it.") == "Accuracy 0.87 hides 'b'."
    assert first_sentence("Drop e.g. 'a'") == "Drop e.g. 'a'"
    assert (
        first_step("Judge by the recall; move the threshold.") == "Judge by the recall; move the threshold."
    )
    long = "Ask when its value becomes known"
    assert first_step(f"{long}; {'and wait ' * 12}for it.") == f"{long}."


def test_markdown_says_what_to_do_once_where_the_verdict_has_all_of_it() -> None:
    report = load("classification")
    for found in report["findings"]:
        found["advice"] = f"Ask about {found['code']}."
    report["findings"][1]["advice"] = "Look at it first. Then ask why it is so."
    report["verdict"]["findings"] = [f["code"] for f in report["findings"][:2]]
    said = render_markdown(report)
    assert said.count(f"Ask about {report['findings'][0]['code']}.") == 1
    assert said.count("Look at it first.") == 2
    assert said.count("Then ask why it is so.") == 1
