"""Plants the faults of ``mutants.toml`` one at a time in a copy of the sources; which tests find them?

    python tools/mutants.py                  all of them: minutes to hours
    python tools/mutants.py --only gap tree  those whose name holds one of the words
    python tools/mutants.py --check          only whether every text stands exactly once where the list says

For each mutant the tests run in widening circles until one fails: the quick part of the files beside it
(`near`), of their folders, all of `make test`, and then what `make test` leaves out.  The exit status is 0
when the quick suite finds as many as `QUICK` asks for and all tests as many as `ALL`.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tools" / "mutants.toml"
# Shares of the list that are to be found: 99 and 103 of 106.
QUICK, ALL = 99 / 106, 103 / 106

# The copy's package comes first, whatever an editable install has put before it.
PYTEST = (
    "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in type(f).__module__]; "
    "sys.path.insert(0, sys.argv.pop(1)); import pytest, empirisk; "
    "assert empirisk.__file__.startswith(sys.path[0]), empirisk.__file__; "
    "sys.exit(pytest.main(sys.argv[1:]))"
)
NO_TESTS = 5  # pytest's exit status when it has selected none


@dataclass(frozen=True)
class Mutant:
    """A fault: `new` in place of `text`, which stands once in `file`; `near` are tests to try first.

    With a `word` only those of the near tests whose name holds it come first.
    """

    name: str
    file: str
    text: str
    new: str
    near: list[str]
    word: str = ""

    @property
    def compiled(self) -> bool:
        """Whether the extension has to be built anew."""
        return self.file.startswith("cpp/")

    def complaint(self, root: Path = ROOT) -> str:
        """Why it cannot be planted; empty when it can."""
        file = root / self.file
        if not file.is_file():
            return f"{self.name}: there is no {self.file}; name the file that holds {self.text!r} now"
        times = file.read_text(encoding="utf-8").count(self.text)
        if times != 1:
            return (
                f"{self.name}: {self.text!r} is in {self.file} {times} times; write a text that is there once"
            )
        missing = [test for test in self.near if not (root / test.partition("::")[0]).exists()]
        return f"{self.name}: there are no tests {', '.join(missing)}" if missing else ""


def read() -> list[Mutant]:
    """Return the planted faults in the order of the list."""
    with LIST.open("rb") as stream:
        return [Mutant(**entry) for entry in tomllib.load(stream)["mutant"]]


def copied(root: Path) -> None:
    """Everything that git does not ignore, and the built extension, in `root`."""
    names = subprocess.run(
        ["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    for name in filter(None, names.decode().split("\0")):
        if (ROOT / name).is_file():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, root / name)
    where = "import empirisk._loops as loops; print(loops.__file__)"
    built = subprocess.run([sys.executable, "-c", where], capture_output=True, text=True, check=True).stdout
    shutil.copy2(built.strip(), root / "src" / "empirisk")


def circles(mutant: Mutant) -> list[tuple[str, list[str]]]:
    """Name, and pytest's arguments, of each circle."""
    quick, rest = ["-m", "not slow and not full"], ["-m", "full"]
    files = [test.partition("::")[0] for test in mutant.near]
    rooms = sorted({str(Path(file).parent) if file.endswith(".py") else file for file in files})
    return [
        ("quick, beside it", [*quick, *(["-k", mutant.word] if mutant.word else []), *mutant.near]),
        ("quick, its folder", [*quick, *rooms]),
        ("quick", [*quick, "tests"]),
        ("all, beside it", [*rest, *mutant.near]),
        ("all", [*rest, "tests"]),
    ]


def first_failure(root: Path, tests: list[str], workers: int) -> str:
    """The first test that fails; empty when all pass."""
    parallel = ["-n", str(workers)] if workers > 1 and tests[-1] == "tests" else []
    arguments = ["-q", "-x", "-p", "no:cacheprovider", *parallel, *tests]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    run = subprocess.run(
        [sys.executable, "-c", PYTEST, str(root / "src"), *arguments],
        cwd=root, env=environment, capture_output=True, text=True,
    )  # fmt: skip
    if run.returncode in (0, NO_TESTS):
        return ""
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+)", run.stdout, re.MULTILINE)
    if not failed:  # a run that ended before it began finds nothing
        raise SystemExit(f"the tests could not run:\n{(run.stdout + run.stderr)[-2000:]}")
    return failed[0]


def build(root: Path) -> None:
    """The extension of the copy, from the copy's sources."""
    ninja = ["-G", "Ninja"] if shutil.which("ninja") else []
    python = f"-DPython_EXECUTABLE={sys.executable}"
    environment = {**os.environ, "CCACHE_BASEDIR": str(root), "CCACHE_NOHASHDIR": "1"}
    for command in (
        ["cmake", "-S", ".", "-B", "build/dev", *ninja, "-DCMAKE_BUILD_TYPE=Release", python],
        ["cmake", "--build", "build/dev", "--parallel", "2"],
    ):
        subprocess.run(command, cwd=root, env=environment, capture_output=True, check=True)
    for library in (root / "build" / "dev").glob("_loops*.so"):
        shutil.copy2(library, root / "src" / "empirisk")


def write(file: Path, text: str) -> None:
    """Replace a source file of the copy."""
    file.write_text(text, encoding="utf-8")
    # A file of the same size within the same second would be taken for the old one.
    for cached in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
        cached.unlink()


def hunt(root: Path, mutant: Mutant, workers: int, first: int, last: int) -> tuple[str, str]:
    """The circle that finds the mutant and the test; two empty strings when it survives all."""
    file = root / mutant.file
    before = file.read_text(encoding="utf-8")
    library = next((root / "src" / "empirisk").glob("_loops*.so"))
    built = library.read_bytes()
    write(file, before.replace(mutant.text, mutant.new))
    try:
        if mutant.compiled:
            build(root)
        for circle, tests in circles(mutant)[first - 1 : last]:
            failed = first_failure(root, tests, workers)
            if failed:
                return circle, failed
    finally:
        write(file, before)
        if mutant.compiled:
            library.write_bytes(built)
    return "", ""


def main() -> int:
    """Run the hunt, print a line a mutant and the count."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=[], help="words of the names of the mutants to plant")
    parser.add_argument("--check", action="store_true", help="only whether every text is where the list says")
    parser.add_argument("--workers", type=int, default=2, help="processes for the wide circles")
    parser.add_argument("--first", type=int, default=1, help="the circle to begin with")
    parser.add_argument("--circles", type=int, default=5, help="stop after so many circles")
    parser.add_argument("--python", action="store_true", help="leave out what needs a compiler")
    given = parser.parse_args()
    mutants = [m for m in read() if not given.only or any(word in m.name for word in given.only)]
    complaints = [text for text in (m.complaint() for m in mutants) if text]
    if complaints or given.check:
        print("\n".join([*complaints, f"{len(mutants) - len(complaints)} of {len(mutants)} can be planted"]))
        return bool(complaints)
    mutants = [m for m in mutants if not (given.python and m.compiled)]
    quick = found = 0
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        root = Path(place)
        copied(root)
        for mutant in mutants:
            start = time.monotonic()
            circle, test = hunt(root, mutant, given.workers, given.first, given.circles)
            quick += circle.startswith("quick")
            found += bool(circle)
            said = f"{circle}: {test}" if circle else "SURVIVES"
            print(f"{time.monotonic() - start:6.0f} s  {mutant.name}  --  {said}", flush=True)
    total = len(mutants)
    print(f"make test finds {quick} of {total}, all tests find {found}")
    return not (quick >= QUICK * total - 1e-9 and found >= ALL * total - 1e-9)


if __name__ == "__main__":
    sys.exit(main())
