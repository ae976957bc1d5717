# Two commands matter to a newcomer: `make demo` and `make test`.  Everything installs into .venv by itself.
# Needs Python 3.11+, make and a C++ compiler; PYTHON=... picks the interpreter.
.POSIX:
PYTHON = python3
VENV = .venv
WORKERS = 2
PYTEST_ARGS =
MUTANTS_ARGS =
BENCH_ARGS =
BIN = $(VENV)/bin
# Workers take over whole stretches of a file, so that what its tests share is made once; what was compiled is
# kept for the other worker, the programs that tests start, and the next run.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q
PARALLEL = -n $(WORKERS) --dist worksteal
SETUP = PYTHON="$(PYTHON)" sh tools/setup.sh

# The quick suite leaves out what tests/design.py marks as `full`; simulations are `slow`.
QUICK = not slow and not full

.PHONY: help demo test test-all test-rest test-slow doctest test-oldest slowest mutants lint format bench sanitize \
	wheel clean

help:
	@echo "make demo         install into $(VENV), report on examples/data/adult.csv.gz"
	@echo "make test         install into $(VENV), run the quick suite on $(WORKERS) workers (a few minutes)"
	@echo "make test-all     every test but the simulations; make test-rest: those that make test left out"
	@echo "make test-slow    the simulation studies"
	@echo "make slowest      the quick suite, and its 20 slowest tests"
	@echo "make mutants      plants 106 faults and asks which tests find them; MUTANTS_ARGS='--only gap'"
	@echo "make doctest      the examples in the docstrings"
	@echo "make test-oldest  the suite with the oldest supported dependencies, in $(VENV)-oldest"
	@echo "make lint         ruff, ruff format, mypy      (make format repairs the layout)"
	@echo "make bench        ours and the peers; BENCH_ARGS='--quick --only lasso'"
	@echo "make sanitize     the loop tests under AddressSanitizer and UBSan"
	@echo "make wheel        a wheel in dist/"
	@echo "make clean        remove what these commands made"

demo:
	@$(SETUP) $(VENV) report
	$(BIN)/empirisk report examples/data/adult.csv.gz --target income --out adult-report
	@echo "The report lies at $$(pwd)/adult-report/report.html: open it in a browser."

test:
	@$(SETUP) $(VENV) report test
	$(PYTEST) $(PARALLEL) -m '$(QUICK)' --durations=10 --durations-min=1 $(PYTEST_ARGS)

test-all:
	@$(SETUP) $(VENV) report test
	$(PYTEST) $(PARALLEL) $(PYTEST_ARGS)

test-rest:
	@$(SETUP) $(VENV) report test
	$(PYTEST) $(PARALLEL) -m full $(PYTEST_ARGS)

slowest:
	@$(SETUP) $(VENV) report test
	$(PYTEST) $(PARALLEL) -m '$(QUICK)' --durations=20 $(PYTEST_ARGS)

mutants:
	@$(SETUP) $(VENV) report test
	$(BIN)/python tools/mutants.py $(MUTANTS_ARGS)

test-slow:
	@$(SETUP) $(VENV) report test
	$(PYTEST) $(PARALLEL) -m slow $(PYTEST_ARGS)

doctest:
	@$(SETUP) $(VENV) report test
	$(PYTEST) --doctest-modules $(PYTEST_ARGS) src/empirisk

test-oldest:
	@$(SETUP) $(VENV)-oldest --oldest report test
	$(VENV)-oldest/bin/python -m pytest -q $(PARALLEL) $(PYTEST_ARGS)

lint:
	@$(SETUP) $(VENV) report test lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format:
	@$(SETUP) $(VENV) report test lint
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench:
	@$(SETUP) $(VENV) report bench
	$(BIN)/python -m bench.run $(BENCH_ARGS)

sanitize:
	@$(SETUP) $(VENV) report test
	PYTHON="$(BIN)/python" sh tools/sanitize.sh

wheel:
	@$(SETUP) $(VENV)
	$(BIN)/python -m pip wheel -q --no-deps --wheel-dir dist .
	@ls dist/*.whl

clean:
	rm -rf $(VENV) $(VENV)-oldest build dist adult-report .pytest_cache .mypy_cache .ruff_cache .hypothesis
