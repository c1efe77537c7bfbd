# `make report` and `make test` set up .venv by themselves; nothing else is needed but Python 3.11+.
VENV ?= .venv
BIN := $(VENV)/bin
PAGE ?= reports/report.html
# more options for JupyterLab, such as LAB="--no-browser --port=9000"
LAB ?=
PYTEST ?= -n auto --dist loadgroup

.PHONY: report test check lint bench lab docs clean help

help:
	@echo "make report   run the main notebook and write $(PAGE)"
	@echo "make lab      open JupyterLab with the notebooks"
	@echo "make test     run the tests"
	@echo "make check    formatting, lint, types, then the tests: what CI runs"
	@echo "make bench    run the benchmarks"
	@echo "make docs     renew the pages that are generated from code"

report: $(VENV)/.base
	$(BIN)/routinglab report main -o $(PAGE)
	@echo "open $(PAGE) in a browser; it needs no network"

lab: $(VENV)/.base
	$(BIN)/jupyter lab notebooks $(LAB)

test: $(VENV)/.dev
	$(BIN)/pytest $(PYTEST)

check: lint test

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

docs: $(VENV)/.dev
	$(BIN)/python -m routinglab.cli.document > docs/cli.md

clean:
	rm -rf $(VENV) reports

$(VENV)/bin/python:
	@sh tools/new_venv.sh $(VENV)

$(VENV)/.base: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.base
