"""What the structure tests look at: the files of the project, and who imports whom."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "empirisk"

# A package may import the layers above it in this list, never those below.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"results", "typing", "wording", "_loops"}),
    frozenset({"data"}),
    frozenset({"losses", "penalties", "kernels", "distributions"}),
    frozenset({"problems"}),
    frozenset({"hypotheses"}),
    frozenset(
        {
            "solvers",
            "samplers",
            "bounds",
            "linear_theory",
            "trees",
            "neighbors",
            "graphs",
            "optimizers",
            "convex",
        }
    ),
    frozenset({"inference"}),
    frozenset({"estimators"}),
    frozenset({"evaluation"}),
    frozenset({"curves", "explanations", "ladder"}),
    frozenset({"resampling", "search"}),
    frozenset({"selection"}),
    frozenset({"diagnosis"}),
    frozenset({"report", "plots"}),
    frozenset({"cli"}),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# Within a layer the nouns do not know each other, but for these pairs (importer, imported).
SIBLINGS = frozenset({("report", "plots"), ("solvers", "optimizers")})

# A function may import a higher layer when it is called, for these pairs only: result objects offer
# `.plot()`, and drawing needs the optional matplotlib.
CALLS_UPWARD = frozenset(
    (room, "plots")
    for room in (
        "estimators", "evaluation", "curves", "explanations", "ladder", "resampling", "search", "diagnosis"
    )
)  # fmt: skip


@dataclass(frozen=True)
class Import:
    """One import of one of our packages by another."""

    file: Path
    line: int
    importer: str
    imported: str
    in_function: bool

    def __str__(self) -> str:
        where = "inside a function" if self.in_function else "at the top"
        return f"{self.file.relative_to(ROOT)}:{self.line} ({where}): {self.importer} -> {self.imported}"


def source_files() -> list[Path]:
    """Every source file of the package and of the loops."""
    python = PACKAGE.rglob("*.py")
    loops = (p for p in (ROOT / "cpp").rglob("*") if p.suffix in {".cpp", ".hpp", ".h"})
    return sorted([*python, *loops])


@cache
def tracked_files() -> tuple[Path, ...]:
    """The files under version control; empty outside a clone (an unpacked source archive)."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ()
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(p for p in paths if p.is_file())


def module_names() -> list[str]:
    """Every importable module of the package."""
    found = pkgutil.walk_packages([str(PACKAGE)], "empirisk.")
    return ["empirisk", *(m.name for m in found if not m.name.endswith(("._loops", ".__main__")))]


def packages_named(node: ast.Import | ast.ImportFrom, importer: str) -> Iterator[str]:
    """Which of our packages (losses, data, results ...) an import statement names."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            parts = alias.name.split(".")
            if parts[0] == "empirisk" and len(parts) > 1:
                yield parts[1]
    elif node.level:
        yield importer  # a relative import stays in its package (checked to be one level by the tests)
    elif node.module == "empirisk":
        yield from (alias.name for alias in node.names)
    elif node.module and node.module.startswith("empirisk."):
        yield node.module.split(".")[1]


def imports_of(file: Path) -> Iterator[Import]:
    """All imports between our packages in a file; those for the type checker count like any other."""
    importer = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inside: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            inside.update(n for n in ast.walk(node) if n is not node)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for imported in packages_named(node, importer):
                if imported != importer:
                    yield Import(file, node.lineno, importer, imported, node in inside)


def sections(doc: str) -> dict[str, str]:
    """The numpydoc sections of a docstring: heading to text."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", inspect.cleandoc(doc), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def described_parameters(doc: str) -> set[str]:
    """The names that the section Parameters describes (`x, y : array` describes both)."""
    lines = sections(doc).get("Parameters", "").splitlines()
    heads = (line.split(" : ")[0] for line in lines if line and not line[0].isspace())
    return {name.strip().lstrip("*") for head in heads for name in head.split(",")}


# A docstring with fewer words is no sentence that somebody new to the code could use.
FEWEST_WORDS = 6


def words_of(doc: str) -> int:
    """How many words a docstring has; what stands in backquotes counts as one word, however long it is."""
    plain = re.sub(r":\w+:`[^`]*`|``.*?``|`[^`]*`", "code", doc, flags=re.DOTALL)
    return sum(any(letter.isalpha() for letter in word) for word in plain.split())


def short_docstrings(files: Iterable[Path]) -> Iterator[str]:
    """Where modules, classes and functions, private ones too, say less than a sentence about themselves."""
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                doc = ast.get_docstring(node)
                if doc is not None and words_of(doc) < FEWEST_WORDS:
                    where = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file
                    yield f"{where}:{node.body[0].lineno}: {getattr(node, 'name', 'the module')}: {doc!r}"
