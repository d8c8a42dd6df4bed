# What a person does with a checkout. `make` alone lists the targets.
#
# Everything is installed into .venv and only there. The install is editable: a `git pull` or an edit is in force at
# once, so only a change of pyproject.toml (dependencies, commands) makes anything be installed again. Each stamp
# remembers one set of extras.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
SOURCES := core net plugins replays console
# Where Python may not keep its bytecode, every program and test worker would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help play test check evidence bench pictures catalogues clean

help:
	@echo 'lantable: a game table with no server'
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-11s%s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

play: $(VENV)/for-play ## install into .venv and open the program (without a terminal: the demo)
	@if [ -t 0 ] && [ -t 1 ]; then exec $(BIN)/lantable; else exec $(BIN)/lantable demo; fi

test: $(VENV)/for-test ## run all tests, on every core (some minutes)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal $(ARGS)

check: $(VENV)/for-check ## ruff, mypy (for Linux, macOS and Windows), pyright
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --platform linux --cache-dir .mypy_cache/linux
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin $(SOURCES)
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32 $(SOURCES)
	$(BIN)/pyright --pythonpath $(BIN)/python

evidence: $(VENV)/for-test ## all tests with many more examples, long sweeps, then bench (many minutes)
	LANTABLE_EVIDENCE=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal $(ARGS)
	$(MAKE) --no-print-directory bench

bench: $(VENV)/for-test ## measure
	$(BIN)/python -m bench

pictures: $(VENV)/for-test ## draw the kept screens and the pages' pictures anew; then read the diff
	$(BIN)/python -m tests.screens --write
	$(BIN)/python -m tests.pictures --write

catalogues: $(VENV)/for-test ## bring the translations' catalogues up to date with the texts; then translate what is new
	$(BIN)/python -m tests.catalogues --write

clean: ## remove .venv and everything that tools left behind
	rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# -- installing

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo 'Python 3.11 or newer is needed, and $(PYTHON) is not: install it, or name another with make PYTHON=...'; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo '$(PYTHON) cannot make virtual environments: install its venv package (Debian, Ubuntu: python3-venv)'; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/for-play: pyproject.toml $(VENV)/made
	$(PIP) --editable .
	@touch $@

$(VENV)/for-test: pyproject.toml $(VENV)/made
	$(PIP) --editable '.[test]'
	@touch $@ $(VENV)/for-play

$(VENV)/for-check: pyproject.toml $(VENV)/made
	$(PIP) --editable '.[test,check]'
	@touch $@ $(VENV)/for-test $(VENV)/for-play
