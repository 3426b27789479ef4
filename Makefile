# Everything runs in .venv, installed from the hashed lock. `make` alone lists the targets.
# PYTHON=/path/to/python3.12 names the interpreter to build .venv with.

VENV := .venv
PY := $(VENV)/bin/python
PYTHON ?=
PROCESSES ?= 3

# No set-up question may wait for an answer, and no user-wide option may redirect the install. A lock is complete:
# pip need not look once more for what its lines depend on (4 s).
PIP := PIP_USER=0 PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_REQUIRE_VIRTUALENV=0 $(PY) -m pip install --quiet --no-compile

# pip compiles on one core, and an editable install nothing. Not every environment lets Python do it later (a process:
# 0.25 s). What is left out is large, and no process of the service imports it. Files for another Python may fail.
COMPILED = { $(PY) -W ignore -m compileall -qq -j 0 -x '/(mypy|mypyc|numpy|playwright)/' $(VENV)/lib || true; } \
	&& $(PY) -m compileall -q cli config reporting scorewatch scoring texts watcher workers \
	&& $(PY) -m texts && $(PY) -m config.rubrics_in_force

# A stamp is named after what it stands for, so a changed lock, a moved folder or another branch sets up anew.
RUN_STAMP := $(VENV)/.run-$(shell (cat requirements.txt pyproject.toml; pwd) | cksum | tr ' ' '-')
DEV_STAMP := $(VENV)/.dev-$(shell (cat requirements-dev.txt pyproject.toml; pwd) | cksum | tr ' ' '-')

# Stamps of a .venv whose interpreter went away count for nothing (make looks at them before any recipe runs).
$(shell $(PY) -m pip --version >/dev/null 2>&1 || rm -f $(VENV)/.run-* $(VENV)/.dev-*)

# What one process of the tests has compiled, the others take from its cache.
PYTEST := PYTHONDONTWRITEBYTECODE= $(PY) -m pytest

.PHONY: help run up test test-slow check lint lock wheel pictures sample docs golden-accept manifest-accept manifest-before bench bench-pipeline faults soak audit pin-images clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' Makefile

run: $(RUN_STAMP) ## score what lies in docs/test-result, leave reports in docs/reports, stop
	@$(PY) -m cli up --drain

up: $(RUN_STAMP) ## the same, but keep watching until Ctrl-C
	@$(PY) -m cli up

test: $(DEV_STAMP) ## all tests but the slow ones, PROCESSES (3) at once: those of the service mostly wait
	$(PYTEST) -n $(PROCESSES) -m "not slow"

test-slow: $(DEV_STAMP) ## the slow tests: kills, lost machines, the judge in a service, pages in a browser; all examples
	HYPOTHESIS_PROFILE=busy $(PYTEST) -n $(PROCESSES) -m "slow or hypothesis"

lint: $(DEV_STAMP) ## format, style, types and the folder table
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy
	$(PY) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()'
	VALKEY_PASSWORD=lint $(VENV)/bin/docker-compose --profile flower config --quiet

check: lint test ## lint and test, without the slow tests

lock: $(DEV_STAMP) ## write the lock again (UPGRADE=--upgrade: with newer versions)
	$(COMPILE) --output-file requirements.txt pyproject.toml
	$(COMPILE) --extra dev --constraint requirements.txt --output-file requirements-dev.txt pyproject.toml
	$(COMPILE) --extra judge --constraint requirements.txt --output-file requirements-judge.txt pyproject.toml
	$(COMPILE) --extra flower --constraint requirements.txt --output-file requirements-flower.txt pyproject.toml

# Universal: one lock for every Python from 3.11.0 and every platform. No line may name an index or a folder.
COMPILE = $(PY) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" --extra build $(UPGRADE)

wheel: $(RUN_STAMP) ## build dist/scorewatch-VERSION.whl, for pipx and uv tool
	@$(PY) -m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir dist .

pictures: $(DEV_STAMP) ## take the pictures of docs/tour.md again, in both languages (needs chromium)
	$(PY) -m bench.pictures

sample: $(DEV_STAMP) ## write the sample in docs/test-result again
	$(PY) -m bench.sample

docs: $(DEV_STAMP) ## write what is made from texts and code: docs/errors.md, settings, limits, outputs of the notebook
	$(PY) -m bench.documents
	$(PY) -m bench.notebook

golden-accept: $(DEV_STAMP) ## take the reports of the last failed golden test as the right ones
	@test -d tests/actual || { echo "tests/actual: nothing to accept"; exit 1; }
	cp -R tests/actual/. tests/golden/
	rm -rf tests/actual

manifest-accept: $(DEV_STAMP) ## take every output as it is now as the right one: tests/manifest, both languages
	$(PY) -m tests.manifest accept
	rm -rf tests/actual_manifest

manifest-before: $(DEV_STAMP) ## write the outputs of COMMIT (main): a failing manifest test then shows what differs
	rm -rf tests/before_manifest tests/before_commit
	git worktree add --detach --force tests/before_commit $(or $(COMMIT),main)
	cd tests/before_commit && $(CURDIR)/$(PY) -m tests.manifest outputs $(CURDIR)/tests/before_manifest; \
		status=$$?; cd $(CURDIR) && git worktree remove --force tests/before_commit; exit $$status

bench: $(DEV_STAMP) ## every figure with a target beside its floor; fails when one is missed
	@missed=0; for part in score pieces memory records start many_sets "pipeline rate" growth pages; do \
		echo "# bench.$$part"; $(PY) -m bench.$$part || missed=1; done; exit $$missed

bench-pipeline: $(DEV_STAMP) ## the whole service: seconds to a report, files per second, idle, recovery
	$(PY) -m bench.pipeline

faults: $(DEV_STAMP) ## the fault suite in its long form: FAULT_ROUNDS (5) variants, FAULT_SEEDS (20) random runs
	FAULT_ROUNDS=$${FAULT_ROUNDS:-5} FAULT_SEEDS=$${FAULT_SEEDS:-20} $(PY) -m pytest -n $(PROCESSES) tests/faults

soak: $(DEV_STAMP) ## drops, kills and broker restarts for SOAK_MINUTES (60); fails if a file is lost or memory grows
	$(PY) -m bench.soak

audit: $(DEV_STAMP) ## known weaknesses of what the locks install, by pip-audit (asks the index and its advisories)
	@for lock in requirements.txt requirements-judge.txt requirements-dev.txt requirements-flower.txt; do \
		echo "$$lock"; $(PY) -m uv tool run pip-audit@2.10.1 --require-hashes --disable-pip --requirement $$lock || exit 1; \
	done

pin-images: ## pin the images of Dockerfile and docker-compose.yml by digest, or renew the pins (needs docker buildx)
	@python3 deploy/images.py

clean: ## remove .venv, caches and build products; reports and state stay
	rm -rf $(VENV) build dist *.egg-info .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache \
		.hypothesis tests/actual tests/actual_manifest tests/before_manifest bench/data
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(RUN_STAMP): | $(VENV)/ready
	@echo "설치 중 / installing: requirements.txt"
	@$(PIP) --no-deps --require-hashes -r requirements.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(COMPILED)
	@rm -f $(VENV)/.run-*
	@touch $@

$(DEV_STAMP): | $(VENV)/ready
	@echo "설치 중 / installing: requirements-dev.txt"
	@$(PIP) --no-deps --require-hashes -r requirements-dev.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(COMPILED)
	@rm -f $(VENV)/.dev-*
	@touch $@

# Always looked at, rarely acted on: a .venv whose interpreter went away is made anew.
.PHONY: $(VENV)/ready
$(VENV)/ready:
	@$(PY) -m pip --version >/dev/null 2>&1 && $(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' && exit 0; \
	found=; no_venv=; \
	for python in $(if $(PYTHON),'$(PYTHON)',python3 python3.14 python3.13 python3.12 python3.11 python); do \
		"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		if "$$python" -c 'import ensurepip, venv' 2>/dev/null; then found=$$python; break; fi; \
		no_venv=$$python; \
	done; \
	if [ -z "$$found" ] && [ -n "$$no_venv" ]; then \
		echo "$$no_venv에 venv 모듈이 없습니다. Debian/Ubuntu에서는: apt install python3-venv" >&2; \
		echo "$$no_venv has no venv module. On Debian or Ubuntu: apt install python3-venv" >&2; \
		exit 1; \
	fi; \
	if [ -z "$$found" ]; then \
		echo "Python 3.11 이상을 찾지 못했습니다. 설치하거나 make PYTHON=/경로/python3.12 로 알려 주세요." >&2; \
		echo "No Python 3.11 or newer found. Install one, or name it: make PYTHON=/path/to/python3.12" >&2; \
		exit 1; \
	fi; \
	"$$found" -m venv --clear $(VENV)
