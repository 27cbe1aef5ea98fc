# One command for each thing a developer does.  Needs python3 (>= 3.11), make and a package index; nothing else.
PYTHON ?= python3
VENV ?= .venv
PYTEST_WORKERS ?= 2
PATHS ?=
EDITOR_OPTIONS ?=
FUZZ_SEED ?= $(shell $(BIN)/python -c 'import time; print(int(time.time()))')

ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif

# Tests and measurements start hundreds of processes, and each would compile all modules again.
export PYTHONDONTWRITEBYTECODE :=

PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help demo test test-editors check format vsix vsix-all bench fuzz gpu clean

help:
	@echo "make demo    check the kernels in examples/ and show what is found"
	@echo "make test    run all tests"
	@echo "make test-editors  drive the extension and the plugin in real editors, which are downloaded first"
	@echo "make check   linter, formatter and type checker"
	@echo "make format  rewrite the code as the linter and the formatter want it"
	@echo "make vsix    the package of the VS Code extension for this machine; make vsix-all: one per platform"
	@echo "make bench   measure speed; PATHS=... measures your own files"
	@echo "make fuzz    try properties and random kernels that nobody tried before, for some minutes"
	@echo "make gpu     hold the simulator against an NVIDIA GPU, where there is one and nvcc"
	@echo "make clean   remove what these commands made"

# The examples contain errors on purpose, so status 1 is the expected end; anything else is a defect.
demo: $(VENV)/.installed
	@$(BIN)/simt-lsp check examples; status=$$?; \
	if [ $$status -ne 1 ]; then echo "demo: expected findings (status 1), got status $$status" >&2; exit 1; fi

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS)

# Downloads are kept in .cache/editors, or where SIMT_LSP_EDITOR_CACHE says; pictures go to build/editors.
test-editors: $(VENV)/.installed-dev
	$(BIN)/python -m tests.editors.prepare
	$(BIN)/python -m pytest -m editors -n $(PYTEST_WORKERS) --dist loadfile $(EDITOR_OPTIONS) tests/editors

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/python -m tests.editors.vscode.install
	$(BIN)/python -m tests.editors.node editors/vscode run check

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m tests.editors.vscode.install
	$(BIN)/python -m tests.editors.node editors/vscode run format

vsix: $(VENV)/.installed-dev
	$(BIN)/python -m tests.editors.vscode.install
	$(BIN)/python -m tests.editors.node editors/vscode run package

vsix-all: $(VENV)/.installed-dev
	$(BIN)/python -m tests.editors.vscode.install
	$(BIN)/python -m tests.editors.node editors/vscode run package:all

bench: $(VENV)/.installed-test
	$(BIN)/python -m benchmarks $(PATHS)

gpu: $(VENV)/.installed-test
	$(BIN)/python -m tests.gpu

fuzz: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n $(PYTEST_WORKERS) -m hypothesis --hypothesis-profile=fuzz
	$(BIN)/python -m tests.divergence.fuzz 1500 $(FUZZ_SEED)
	$(BIN)/python -m tests.cpp.constant_expressions 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.cpp.fuzz 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.petri.fuzz 1500 $(FUZZ_SEED)
	$(BIN)/python -m tests.affine.fuzz 800 $(FUZZ_SEED)
	$(BIN)/python -m tests.verdict.fuzz 800 $(FUZZ_SEED)
	$(BIN)/python -m tests.races.fuzz 400 $(FUZZ_SEED)
	$(BIN)/python -m tests.scalar.fuzz 400 $(FUZZ_SEED)
	$(BIN)/python -m tests.scalar.random_control_flow 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.scalar.simd_of_random 100 $(FUZZ_SEED)
	$(BIN)/python -m tests.straightline.fuzz 1000 $(FUZZ_SEED)
	$(BIN)/python -m tests.straightline.fixes 100 $(FUZZ_SEED)
	$(BIN)/python -m tests.sim.random.fuzz 400 $(FUZZ_SEED)
	$(BIN)/python -m tests.sim.sanitize.fuzz 400 $(FUZZ_SEED)
	$(BIN)/python -m tests.sim.sanitize.planted_fuzz 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.sim.sanitize.overflow_fuzz 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.races.blocks 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.races.repairs 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.missed_barriers.fuzz 100 $(FUZZ_SEED)
	$(BIN)/python -m tests.exchanges.fuzz 100 $(FUZZ_SEED)
	$(BIN)/python -m tests.masks.fuzz 400 $(FUZZ_SEED)
	$(BIN)/python -m tests.arithmetic.fuzz 1000 $(FUZZ_SEED)
	$(BIN)/python -m tests.meld.fuzz 300 $(FUZZ_SEED)
	$(BIN)/python -m tests.edits.fuzz 60 $(FUZZ_SEED)
	$(BIN)/python -m tests.hostile.fuzz 200 $(FUZZ_SEED)
	$(BIN)/python -m tests.projects.fuzz 500 $(FUZZ_SEED)
	$(BIN)/python -m tests.projects.products 500 $(FUZZ_SEED)
	$(BIN)/python -m tests.projects.edits 60 $(FUZZ_SEED)
	$(BIN)/python -m tests.projects.kept_reports 30 $(FUZZ_SEED)
	$(BIN)/python -m tests.projects.changes_since 60 $(FUZZ_SEED)
	$(BIN)/python -m tests.sim.native.fuzz 500 $(FUZZ_SEED)

# The stamps lie inside the environment: a removed environment takes them along, a changed pyproject.toml renews them.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-test: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[test]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[test,dev]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-test

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "make: '$(PYTHON)' is not on the PATH; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "make: $$($(PYTHON) --version) is too old, Python 3.11 or newer is needed: make PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "make: $(PYTHON) has no 'venv' module; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .benchmarks build dist *.egg-info
	find analysis simt_lsp tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
