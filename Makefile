# Horae. `make` alone lists the targets.
PYTHON ?= python3
BIN    := .venv/bin
ARGS   ?=
JOBS   ?= $(shell expr 2 \* $$(nproc 2>/dev/null || echo 2))
BASE   ?= HEAD~1
TIME   ?= 10m
SEEDS  ?= 0-1999
DATABASES ?=

.DEFAULT_GOAL := help
.PHONY: help setup env portal up check types audit format test test-again test-databases simulate faults bench bench-check soak servers servers-stop lock clean

help:            ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/' | expand -t 22

setup:           ## make .venv from the pinned requirements, and build the portal (quick when nothing changed)
	@$(MAKE) --no-print-directory -j2 env portal

env:
	@$(PYTHON) tools/setup.py

portal:
	@$(PYTHON) tools/portal.py build

up: setup        ## run Horae on SQLite: API, scheduler and worker; Ctrl-C ends it
	@exec $(BIN)/horae up $(ARGS)

check: env       ## all that CI checks without running the code
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --cache-dir .cache/importlinter
	$(BIN)/python tools/records.py --check
	$(PYTHON) tools/portal.py check

types: env       ## write what is generated from the API: the SDK's records, the portal's types
	$(BIN)/python tools/records.py
	$(PYTHON) tools/portal.py types

audit: env       ## known vulnerabilities of the packages; ARGS=--require fails where nobody can be asked
	@$(PYTHON) tools/audit.py $(ARGS)

format: env      ## put the code into shape
	$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .
	$(PYTHON) tools/portal.py format

test: setup      ## all tests, on real servers; ARGS='-k claim -m sqlite' for some
	@$(BIN)/python tools/servers.py run --fast --programs -- $(BIN)/pytest -n $(JOBS) --dist worksteal $(ARGS)

test-again: setup ## once more what failed in the last `make test`, two at a time: did it fail for want of luck?
	@$(BIN)/python tools/servers.py run --fast --programs -- \
		$(BIN)/pytest -n 2 --last-failed --last-failed-no-failures none $(ARGS)

test-databases: setup ## contract, clusters and faults on newer servers, before a release; DATABASES='mysql9' for some
	@$(BIN)/python tools/databases.py $(DATABASES) -- -n $(JOBS) --dist worksteal $(ARGS)

faults: setup    ## the fault suite: a table of what was survived; ARGS='--scenario x --database y --repeat n --seed s'
	@$(BIN)/python tools/servers.py run --fast --programs -- $(BIN)/python -m tests.faults $(ARGS)

simulate: setup  ## a simulated cluster with faults, one world per seed; SEEDS=7 replays one
	@$(BIN)/python -m tests.simulation $(SEEDS) $(ARGS)

bench: setup     ## the figures of this machine as a table
	@$(BIN)/python tools/servers.py run postgresql mysql redis rabbitmq -- $(BIN)/python -m bench $(ARGS)

bench-check: setup ## has a change made it slower? BASE=commit to compare with, in one run
	@$(BIN)/python tools/servers.py run postgresql -- $(BIN)/python -m bench.check --base $(BASE) $(ARGS)

soak: setup      ## a mixed load with faults for TIME=10m; a report with plots in build/soak
	@$(BIN)/python tools/servers.py run postgresql mysql -- $(BIN)/python -m tests.soak --time $(TIME) $(ARGS)

servers:         ## start the test servers and leave them running; prints their URLs
	@$(PYTHON) tools/servers.py start $(ARGS)

servers-stop:    ## stop what `make servers` started
	@$(PYTHON) tools/servers.py stop

lock: export ARGS := $(ARGS)
lock:            ## pin the requirements; ARGS=--upgrade for the newest
	@$(PYTHON) tools/setup.py lock

clean: servers-stop ## remove everything that the targets above made
	rm -rf .venv .uv .cache build dist .hypothesis portal/node_modules src/horae/portal_build
	find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
