# `make play` and `make test` set everything up on a fresh machine with Python 3.11 or newer.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev

.PHONY: play test test-all docs lint format package clean help prepared warm-up kernels

play: $(RUN_STAMP)  ## open the web table: make play ARGS="--port 9000"
	@$(BIN)/ludus serve $(ARGS)

PYTEST = OMP_NUM_THREADS=1 $(BIN)/pytest -n 3 --dist loadfile  # more processes than cores: some tests wait

test: prepared  ## linters, types, and all tests but the slow ones
	$(PYTEST)

test-all: prepared  ## the slow tests, too: more than an hour
	$(PYTEST) -m "slow or not slow"

prepared: $(DEV_STAMP)  # kernels are compiled once, beside the checks, and not by each process that runs tests
	@$(MAKE) --no-print-directory --jobs 2 lint warm-up kernels

warm-up: $(DEV_STAMP)
	-@$(BIN)/ludus warm-up --advice

kernels: $(DEV_STAMP)
	-@$(BIN)/python tests/helpers/compile_kernels.py

docs: $(DEV_STAMP)  ## the documentation site, in build/site; a warning is an error
	$(BIN)/mkdocs build --strict --quiet

package: $(DEV_STAMP)  ## the archive of sources and the wheel, in dist
	$(BIN)/python -m build --no-isolation

lint: $(DEV_STAMP)  ## linters and types alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEV_STAMP)  ## put the sources into their usual form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Ludus needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(DEV_STAMP): pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(RUN_STAMP)

clean:  ## remove what make has made
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 12
