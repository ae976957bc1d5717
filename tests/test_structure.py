"""The house rules: who imports whom, how long files are, what is registered and what is documented."""

from __future__ import annotations

import enum
import importlib
import inspect
import re
import statistics
import subprocess
import sys
from collections.abc import Mapping, Set
from dataclasses import MISSING
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import numpy as np
import pytest

import empirisk as er
from empirisk.results import Estimate, RiskCertificate
from tests.oracles import import_graph, structure
from tests.oracles.structure import LEVEL, PACKAGE, ROOT

PYTHON_FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = structure.module_names()


# -- import direction ---------------------------------------------------------------------------


def allowed(found: structure.Import) -> bool:
    """Upward in the list of layers, or a pair that is listed by name."""
    pair = (found.importer, found.imported)
    if LEVEL[found.imported] < LEVEL[found.importer] or pair in structure.SIBLINGS:
        return True
    return found.in_function and pair in structure.CALLS_UPWARD


def test_imports_follow_the_layers() -> None:
    # The package's own __init__ names everything, lazily; `from empirisk import x` names a package or a
    # public name of it, and only the packages count here.
    inner = [f for f in PYTHON_FILES if f != PACKAGE / "__init__.py"]
    found = [i for f in inner for i in structure.imports_of(f) if i.imported in LEVEL]
    assert len(found) > 50, "the scan found next to no imports: it is looking in the wrong place"
    wrong = [str(i) for i in found if not allowed(i)]
    assert not wrong, "imports against the direction of the layers:\n" + "\n".join(wrong)


def test_every_package_has_a_layer() -> None:
    here = {f.relative_to(PACKAGE).parts[0].removesuffix(".py") for f in PYTHON_FILES}
    new = sorted(here - {"__init__", "__main__"} - set(LEVEL))
    assert not new, f"add the new package to LAYERS in tests/oracles/structure.py: {new}"


def test_a_wrong_import_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The scan itself: at the top, inside a function, and for the type checker.
    file = tmp_path / "losses" / "bad.py"
    file.parent.mkdir()
    file.write_text(
        "from typing import TYPE_CHECKING\nimport empirisk.cli.main\nfrom empirisk import typing\n"
        "if TYPE_CHECKING:\n    from empirisk.solvers.solve import solve\n"
        "def f():\n    from empirisk.estimators import linear\n"
    )
    monkeypatch.setattr(structure, "PACKAGE", tmp_path)
    found = {(i.imported, i.in_function): allowed(i) for i in structure.imports_of(file)}
    assert found == {
        ("cli", False): False,
        ("typing", False): True,
        ("solvers", False): False,
        ("estimators", True): False,
    }


def test_importing_the_package_is_light() -> None:
    code = "import sys; before = set(sys.modules); import empirisk; print(*sorted(set(sys.modules) - before))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = run.stdout.split()
    heavy = {"sklearn", "matplotlib", "scipy", "pandas", "polars", "jinja2", "typer", "rich", "skops"}
    assert "empirisk" in loaded
    assert not heavy & {name.split(".")[0] for name in loaded}
    ours = [name for name in loaded if name.startswith("empirisk")]
    assert len(ours) <= 3, f"public names are to be loaded when first used, not these: {ours}"
    assert len(loaded) <= 250, f"{len(loaded)} modules are loaded by `import empirisk`"


# -- sizes --------------------------------------------------------------------------------------


def test_source_files_are_short() -> None:
    lengths = {f: len(f.read_text(encoding="utf-8").splitlines()) for f in structure.source_files()}
    longest = sorted(lengths, key=lambda f: -lengths[f])[:5]
    told = ", ".join(f"{f.relative_to(ROOT)} {lengths[f]}" for f in longest)
    assert max(lengths.values()) <= 500, told
    assert np.quantile(list(lengths.values()), 0.9) <= 350, told
    # Files that hold nothing but a docstring and names would make the median too easy.
    assert statistics.median(n for n in lengths.values() if n > 10) <= 150, told


# -- registries ---------------------------------------------------------------------------------


def methods(*names: str) -> Any:
    """Whether a class has all these methods."""
    return lambda thing: inspect.isclass(thing) and all(callable(getattr(thing, m, None)) for m in names)


def is_named_kernel(thing: Any) -> bool:
    """Whether a class is a kernel by itself: not the base, and not made of other kernels."""
    fields = set(getattr(thing, "__annotations__", {}))
    return (
        methods("block", "resolved", "centres")(thing)
        and "name" in vars(thing)
        and not fields & {"parts", "kernel", "function"}
    )


def is_mixture_family(thing: Any) -> bool:
    """Whether a class is a family by itself: not the base of those whose covariances differ."""
    return methods("expect", "maximise", "draw")(thing) and "name" in vars(thing)


def is_named_metric(thing: Any) -> bool:
    """Whether a class is a metric by itself: not the wrapper of a user's function."""
    return methods("distances", "check")(thing) and "function" not in getattr(thing, "__annotations__", {})


def is_sampler(thing: Any) -> bool:
    """Whether a class names a compiled transition and the acceptance that its step is tuned for."""
    return inspect.isclass(thing) and hasattr(thing, "wanted") and "name" in vars(thing)


def is_seeding(thing: Any) -> bool:
    """Whether a class chooses centres by itself: not the wrapper of given ones."""
    return methods("centers", "factor")(thing) and thing.draws


def is_loss(thing: Any) -> bool:
    """Whether a class is a loss of its own; those that have to be given one (their `base`) wrap it."""
    wraps = "base" in getattr(thing, "__annotations__", {}) and not hasattr(thing, "base")
    given = wraps and thing.__dataclass_fields__["base"].default_factory is MISSING
    return methods("value", "grad", "conjugate")(thing) and not given


def returns_estimate(thing: Any) -> bool:
    """Whether a function is annotated to return an Estimate."""
    return inspect.isfunction(thing) and thing.__annotations__.get("return") in (Estimate, "Estimate")


def returns_bound(thing: Any) -> bool:
    """Whether a function is annotated to return what a theorem says (and is not given the theorem to use)."""
    told = getattr(thing, "__annotations__", {})
    says = told.get("return") in ("Guarantee", "RiskCertificate")
    return inspect.isfunction(thing) and says and "registry" not in told


def returns_answer(thing: Any) -> bool:
    """Whether a function is annotated to return the Answer of a finding."""
    return inspect.isfunction(thing) and thing.__annotations__.get("return") == "Answer"


def is_rung(thing: Any) -> bool:
    """Whether a function says what a theorem gives for one prepared model."""
    one = inspect.isfunction(thing) and list(inspect.signature(thing).parameters) == ["problem"]
    return one and thing.__annotations__.get("return") in (RiskCertificate, "RiskCertificate")


def is_display(thing: Any) -> bool:
    """Whether a class is a chart."""
    return inspect.isclass(thing) and thing.__name__.endswith("Display") and thing.__name__ != "Display"


def is_metric(thing: Any) -> bool:
    """Whether an object (not a class) knows a metric's value and its paired difference."""
    return not inspect.isclass(thing) and hasattr(thing, "greater_is_better") and hasattr(thing, "difference")


# Folder, name of its registry, and what makes an object one that must stand in it.
def is_learner(thing: Any) -> bool:
    """Whether a class is fitted to rows; one that takes none, as its model is known, learns nothing."""
    if not methods("fit", "get_params")(thing):
        return False
    rows = list(inspect.signature(thing.fit).parameters.values())[1:]
    return rows[0].default is inspect.Parameter.empty


NOUNS: list[tuple[str, str, Any]] = [
    ("losses", "REGISTRY", is_loss),
    ("penalties", "REGISTRY", methods("value", "prox")),
    ("kernels", "REGISTRY", is_named_kernel),
    ("codings", "REGISTRY", methods("contrasts")),
    ("neighbors.metrics", "REGISTRY", is_named_metric),
    ("clustering.seedings", "REGISTRY", is_seeding),
    ("linkage", "REGISTRY", methods("coefficients")),
    ("mixtures", "REGISTRY", is_mixture_family),
    ("distributions", "REGISTRY", methods("log_prob", "sample", "maximise")),
    ("graphs", "REGISTRY", methods("matrix")),
    ("problems.activations", "REGISTRY", methods("value", "slope")),
    ("problems.likelihoods", "REGISTRY", methods("sums", "slopes", "shrinkage")),
    ("problems.normalizations", "REGISTRY", methods("standardise", "slopes")),
    ("solvers", "REGISTRY", methods("init", "step")),
    ("optimizers", "REGISTRY", methods("init", "update")),
    ("samplers", "REGISTRY", is_sampler),
    ("optimizers", "SCHEDULES", methods("at")),
    ("hypotheses", "REGISTRY", methods("vc_dimension", "growth", "restriction", "fit")),
    ("trees.criteria", "REGISTRY", methods("statistics", "heterogeneity")),
    ("estimators", "REGISTRY", is_learner),
    ("estimators.formulas", "REGISTRY", methods("fit", "get_params")),
    ("estimators.clusters", "REGISTRY", methods("fit", "get_params")),
    ("estimators.features", "REGISTRY", methods("fit", "transform")),
    ("estimators.unsupervised", "REGISTRY", methods("fit", "get_params")),
    ("bounds", "REGISTRY", returns_bound),
    ("evaluation.intervals", "INTERVALS", returns_estimate),
    ("evaluation.metrics", "METRICS", is_metric),
    ("evaluation.conformal.scores", "REGISTRY", methods("read")),
    ("ladder", "RUNGS", is_rung),
    ("diagnosis", "REGISTRY", returns_answer),
    ("partitions.indices", "REGISTRY", methods("value")),
    ("partitions.agreements", "REGISTRY", methods("of_tables", "of_counts", "of_resampled", "expected")),
    ("partitions.nulls", "REGISTRY", methods("draw")),
    ("partitions.criteria", "REGISTRY", methods("judge")),
    ("report.fit.steps", "REGISTRY", methods("suggested", "transformer")),
    ("plots", "DISPLAYS", is_display),
]


def registered(folder: ModuleType, registry: str) -> list[Any]:
    """What the rows of a registry name; a row that names a module is followed."""
    rows = getattr(folder, registry)
    return [getattr(folder, key) if isinstance(row, str) else row for key, row in rows.items()]


def members(folder: ModuleType, belongs: Any) -> dict[str, list[Any]]:
    """Objects that fit the noun, by where they stand: `module.Class`, or the module of a function.

    Contracts (protocols, base.py) are no objects.  A module of functions may have helpers beside its one
    object, so that one row is enough for it.
    """
    out: dict[str, list[Any]] = {}
    root = Path(folder.__path__[0])
    of_their_own = [PACKAGE.joinpath(*name.split(".")) for name, _, _ in NOUNS]
    for path in sorted(root.rglob("*.py")):
        inner = any(room in path.parents for room in of_their_own if root in room.parents)
        if path.stem in {"__init__", "base"} or inner:
            continue
        dotted = ".".join(path.relative_to(root).with_suffix("").parts)
        module = importlib.import_module(f"{folder.__name__}.{dotted}")
        for name, thing in vars(module).items():
            code = inspect.isclass(thing) or inspect.isfunction(thing)
            own = not name.startswith("_") and (not code or thing.__module__ == module.__name__)
            if own and belongs(thing) and not getattr(thing, "_is_protocol", False):
                out.setdefault(path.stem if inspect.isfunction(thing) else f"{path.stem}.{name}", []).append(
                    thing
                )
    return out


def serves(thing: Any, rows: list[Any]) -> bool:
    """Whether an object is registered, or a class is the base of a registered one."""
    derived = inspect.isclass(thing) and any(inspect.isclass(r) and issubclass(r, thing) for r in rows)
    return derived or any(thing is row for row in rows)


def where(folder: str, registry: str = "REGISTRY") -> str:
    """Return the path of the file that holds a registry."""
    room = PACKAGE.joinpath(*folder.split("."))
    written = re.compile(rf"^{registry}\b.*= {{", flags=re.MULTILINE)
    found = [f for f in sorted(room.glob("*.py")) if written.search(f.read_text(encoding="utf-8"))]
    assert len(found) == 1, f"{registry} of {folder} is written in {found}"
    return str(found[0].relative_to(ROOT))


@pytest.mark.parametrize(("folder", "registry", "belongs"), NOUNS, ids=[f"{n[0]}.{n[1]}" for n in NOUNS])
def test_registries_are_complete(folder: str, registry: str, belongs: Any) -> None:
    module = importlib.import_module(f"empirisk.{folder}")
    rows = registered(module, registry)
    found = members(module, belongs)
    assert found, f"nothing in empirisk.{folder} fits the noun: the contract or the folder changed"
    missing = [place for place, things in found.items() if not any(serves(thing, rows) for thing in things)]
    assert not missing, f"add a row to {registry} of {where(folder, registry)}: {missing}"
    exported = set(module.__all__)
    hidden = sorted({getattr(r, "__name__", "") for r in rows if inspect.isclass(r)} - exported)
    assert not hidden, f"add to __all__ of src/empirisk/{folder.replace('.', '/')}/__init__.py: {hidden}"


@pytest.mark.parametrize(
    "folder",
    [
        "losses",
        "penalties",
        "solvers",
        "optimizers",
        "samplers",
        "hypotheses",
        "trees.criteria",
        "clustering.seedings",
        "mixtures",
        "distributions",
        "problems.activations",
        "problems.likelihoods",
        "problems.normalizations",
    ],
)
def test_registry_keys_are_the_names(folder: str) -> None:
    for key, thing in importlib.import_module(f"empirisk.{folder}").REGISTRY.items():
        change = f"change the key {key!r} of REGISTRY in {where(folder)} to {thing.name!r}"
        assert thing.name == key, f"{change}, the name of {thing.__name__}"


# How a text names a module without an import statement of ours: its dotted name, or its last part in quotes.
NAMED = re.compile(r"empirisk(?:\.\w+)+|(?<=[\"'])\w+(?=[\"'])")


def orphans(graph: import_graph.Graph, texts: Mapping[str, str]) -> list[str]:
    """Modules that no other module imports or names; `texts` are what may name them, by module."""
    named: dict[str, set[str]] = {}
    for where, text in texts.items():
        for word in NAMED.findall(text):
            parts = word.split(".")
            for n in range(1, len(parts) + 1):
                named.setdefault(".".join(parts[:n]), set()).add(where)
    for where, imported in graph.items():
        for module in imported:
            named.setdefault(module, set()).add(where)
    return [
        module
        for module in graph
        if not (named.get(module, set()) | named.get(module.rpartition(".")[2], set())) - {module}
    ]


def test_no_module_is_orphaned() -> None:
    graph = import_graph.import_graph(PACKAGE)
    texts = {import_graph.dotted(f, PACKAGE): f.read_text(encoding="utf-8") for f in PYTHON_FILES}
    texts["pyproject.toml"] = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    packages = {import_graph.dotted(f, PACKAGE) for f in PYTHON_FILES if f.stem in {"__init__", "__main__"}}
    alone = set(orphans(graph, texts)) - packages
    assert not alone, f"nothing imports {sorted(alone)}: delete them, or add their rows"


def test_an_orphan_is_seen() -> None:
    none = frozenset[str]()
    graph = {f"empirisk.{name}": none for name in ("a", "b", "c", "d", "own")} | {"empirisk": {"empirisk.a"}}
    texts = {
        "empirisk": 'load("b")',
        "empirisk.a": "# see empirisk.c.Thing",
        "empirisk.own": '"own" empirisk.own',
    }
    assert orphans(graph, texts) == ["empirisk.d", "empirisk.own"]


SMALL = 40  # lines, below which a file says too little to be looked for
ROOM = 350  # lines that a file may have after it took in another


def small_and_alone(graph: import_graph.Graph, lengths: Mapping[str, int], rows: Set[str]) -> list[str]:
    """Modules under 40 lines that only one other imports, and where to move them; rows of a registry stay."""
    out = []
    for name, n_lines in lengths.items():
        importers = [other for other, named in graph.items() if name in named]
        if n_lines < SMALL and name not in rows and len(importers) == 1:
            home = importers[0]
            if lengths.get(home, ROOM) + n_lines <= ROOM:
                out.append(f"move {name} ({n_lines} lines) into {home}, its only importer")
    return out


def test_small_modules_stand_in_their_only_importer() -> None:
    rooms = ((importlib.import_module(f"empirisk.{folder}"), registry) for folder, registry, _ in NOUNS)
    rows = {getattr(row, "__module__", "") for room, registry in rooms for row in registered(room, registry)}
    lengths = {
        ".".join(f.relative_to(PACKAGE.parent).with_suffix("").parts): len(f.read_text("utf-8").splitlines())
        for f in PYTHON_FILES
        if f.stem not in {"__init__", "__main__"}
    }
    found = small_and_alone(import_graph.import_graph(PACKAGE), lengths, rows)
    assert not found, "\n".join(found)


def test_a_small_module_is_seen() -> None:
    graph = {"a": frozenset({"b", "c"}), "d": frozenset({"c"}), "b": frozenset[str](), "c": frozenset[str]()}
    lengths = {"a": 100, "b": 10, "c": 10, "d": 100}
    assert small_and_alone(graph, lengths, set()) == ["move b (10 lines) into a, its only importer"]
    assert small_and_alone(graph, lengths, {"b"}) == []


# -- names and docstrings -----------------------------------------------------------------------


@pytest.mark.parametrize("name", MODULES)
def test_module_says_what_it_is_and_exports_what_it_has(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} has no docstring"
    exported = list(getattr(module, "__all__", []))
    assert len(exported) == len(set(exported)), "a name stands twice in __all__"
    for public in exported:
        thing = getattr(module, public)
        made_here = "<locals>" not in getattr(thing, "__qualname__", "")
        if (inspect.isclass(thing) or inspect.isfunction(thing)) and made_here:
            assert inspect.getdoc(thing), f"{name}.{public} has no docstring"


def public_objects() -> list[tuple[str, Any]]:
    """Classes and functions that users reach as `er.name`."""
    named = ((name, getattr(er, name)) for name in er.__all__)
    return [(n, t) for n, t in named if (inspect.isclass(t) or inspect.isfunction(t)) and not _is_plain(t)]


def _is_plain(thing: Any) -> bool:
    """Enumerations, exceptions and warnings: a sentence is enough."""
    return inspect.isclass(thing) and issubclass(thing, enum.Enum | BaseException)


def test_public_names_load_when_used() -> None:
    assert {"Ridge", "Lasso", "LogisticRegression", "evaluate", "verify", "path"} <= set(er.__all__)
    for name in er.__all__:
        assert getattr(er, name) is not None
    assert set(er.__all__) <= set(dir(er))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = er.no_such_name


def test_public_docstrings_are_numpydoc() -> None:
    problems = []
    for name, thing in public_objects():
        doc = inspect.getdoc(thing) or ""
        found = structure.sections(doc)
        takes = [p for p in inspect.signature(thing).parameters if p not in {"self", "args", "kwargs"}]
        undescribed = set(takes) - structure.described_parameters(doc)
        if undescribed:
            problems.append(f"er.{name}: the section Parameters does not describe {sorted(undescribed)}")
        if ">>> " not in found.get("Examples", ""):
            problems.append(f"er.{name}: no example")
        returns = inspect.isfunction(thing) and get_type_hints(thing).get("return") is not type(None)
        if returns and "Returns" not in found:
            problems.append(f"er.{name}: no section Returns")
    assert not problems, "\n".join(problems)


def test_public_functions_are_annotated() -> None:
    for name in MODULES:
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", []):
            thing = getattr(module, public)
            if inspect.isfunction(thing) and thing.__module__ == name:
                unknown = [p for p in inspect.signature(thing).parameters if p not in thing.__annotations__]
                assert not unknown, f"{name}.{public}: parameters without a type: {unknown}"
                assert "return" in thing.__annotations__, f"{name}.{public}: no return type"


# Where docstrings are sentences: everywhere.
WORDED = ("src", "docs", "tools", "examples", "bench", "tests")


def test_docstrings_are_sentences() -> None:
    files = sorted(file for folder in WORDED for file in (ROOT / folder).rglob("*.py"))
    assert len(files) > 400, "the scan found next to no files: it is looking in the wrong place"
    short = list(structure.short_docstrings(files))
    assert not short, (
        "say in a whole sentence what the name does not say (six words or more; a formula counts as one), "
        "as CONTRIBUTING.md asks under Words:\n" + "\n".join(short)
    )


def test_a_short_docstring_is_seen(tmp_path: Path) -> None:
    # The scan itself: a module, a class, a private method, and a formula that is long but says no words.
    file = tmp_path / "bad.py"
    file.write_text(
        '"""The sum."""\nclass Parts:\n    """Two parts of a risk that add up to it."""\n'
        '    def _sum(self):\n        """``a + b + c + d + e + f``: their sum."""\n'
        "    def quiet(self):\n        return 0\n"
    )
    found = [line.removeprefix(f"{file}:").split(":")[:2] for line in structure.short_docstrings([file])]
    assert found == [["1", " the module"], ["5", " _sum"]]


# -- what is under version control --------------------------------------------------------------

BINARY = {".gz", ".png", ".parquet", ".npz", ".whl", ".ico"}
# Written so that this file does not hold what it looks for; /home/me stands for anybody in examples.
PRIVATE = [
    r"(?<![\w./])/(?:work|home|Users|root|mnt|opt)/(?!me\b)" + r"\w",
    r"pythonhosted" + r"\.org",
    r"\bpypi" + r"\.org",
    r"--(?:extra-)?index" + r"-url",
    r"\b[\w.-]+/simple" + r"/",
]


def test_no_machine_paths_or_registries() -> None:
    pattern = re.compile("|".join(PRIVATE))
    found = []
    for file in structure.tracked_files():
        if file.suffix not in BINARY and file.stat().st_size < 2_000_000:
            text = file.read_text(encoding="utf-8", errors="replace")
            for match in pattern.finditer(text):
                number = text.count("\n", 0, match.start()) + 1
                found.append(f"{file.relative_to(ROOT)}:{number}: {match.group()}")
    assert not found, "paths or addresses of one machine:\n" + "\n".join(found)


def test_tracked_files_are_small() -> None:
    limit = 3_000_000
    tracked = structure.tracked_files()
    large = [str(f.relative_to(ROOT)) for f in tracked if f.stat().st_size > limit]
    built = [str(f.relative_to(ROOT)) for f in tracked if f.suffix in {".whl", ".so", ".pyd", ".o"}]
    assert not large, f"larger than {limit // 1_000_000} MB: {large}"
    assert not built, f"build products under version control: {built}"


def test_relative_links_lead_somewhere() -> None:
    broken = []
    for file in structure.tracked_files():
        if file.suffix == ".md":
            text = re.sub(r"```.*?```", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
                outside = "://" in target or target.startswith("mailto:")
                if not outside and not (file.parent / target).exists():
                    broken.append(f"{file.relative_to(ROOT)}: {target}")
    assert not broken, "links to files that are not there:\n" + "\n".join(broken)
