# Every target sets up what it needs in .venv; only Python 3.11 or later and make must be there.

.DEFAULT_GOAL := help
.PHONY: help test test-pythons browser lint reproduce appendix contexts bench bench-contextual bench-bandit bench-compare bench-engines bench-peers endurance crashes crashes-service fuzz schema-service bench-service endurance-service gate-service body-service claims docs lock package clean

PYTHON ?= python3
PYTHONS ?= python3.11 python3.12 python3.13
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TOOLS := $(VENV)/.tools
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
LOCK ?= locks/py$(shell $(PYTHON) -c 'import sys; print("%d%d" % sys.version_info[:2])')
LOCKED := $(wildcard $(LOCK).txt)
COMPILE := CUSTOM_COMPILE_COMMAND='make lock' build/lock/bin/pip-compile --quiet --generate-hashes \
	--allow-unsafe --strip-extras --build-deps-for editable \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
FRESH_KERNELS := $(VENV)/.fresh-kernels
KERNELS := $(wildcard src/bandstrap/kernels/*.py src/bandstrap/kernels/*/*.py)
CODE := src tests benchmarks examples docs/*.py docs/pictures
APPENDIX := figure1-k5 figure1-k2
WITH_CONTEXTS := figure2-covtype figure2-mnist runtime

# Where this is set every process compiles all of scipy and scikit-learn again, in seconds.
unexport PYTHONDONTWRITEBYTECODE

# Workers are processes: threads inside them would only compete.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

help: ## show this
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name what; \
		do printf '  make %-17s %s\n' "$$name" "$$what"; done

test: browser ## lint, types, import rules, tests, examples in docstrings
	@$(MAKE) --no-print-directory -j2 lint $(FRESH_KERNELS)
	-@$(BIN)/python scripts/census.py  # a report: it fails nothing
	@scripts/chromium
	@scripts/postgres
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder --doctest-modules --doctest-ignore-import-errors tests src/bandstrap

# For the tests of the report, where it can be installed; meanwhile the rest goes on.
browser:
	@{ scripts/chromium; scripts/postgres; } > /dev/null 2>&1 &

# Those that pyenv has installed count as found, whichever of them is in use.
test-pythons: ## install and try the package under every Python that it is declared for and that is found
	@export PYENV_VERSION="$$(pyenv versions --bare 2> /dev/null | paste -s -d : -)"; \
	for each in $(PYTHONS); do \
		if ! $$each --version >/dev/null 2>&1; then echo "$$each: not found"; continue; fi; \
		$$each -m venv $(VENV)/$$each && $(VENV)/$$each/bin/pip install --quiet . pytest || exit 1; \
		echo "$$each:"; $(VENV)/$$each/bin/python -m pytest tests/bandit/test_bandit.py || exit 1; \
	done

lint: $(TOOLS) ## style, types and import rules
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

reproduce: $(FRESH_KERNELS) ## every figure and claim of the paper in one report, in ten minutes, into results/
	$(BIN)/bandstrap reproduce --size short --out results

appendix: $(FRESH_KERNELS) ## figure 1 with 5 and with 2 arms, all 5,000 runs, into results/appendix/
	$(BIN)/bandstrap reproduce $(APPENDIX) --out results/appendix

contexts: $(FRESH_KERNELS) ## figure 2 and what rounds cost, at full size: what evidence/ lacks, in hours, added to it
	$(BIN)/bandstrap reproduce $(WITH_CONTEXTS) --out results/contexts --kept evidence/runs
	$(BIN)/python docs/claims.py take results/contexts

bench: $(FRESH_KERNELS) ## what decisions and figures cost, into bench-results/
	$(BIN)/python benchmarks/decisions.py
	$(BIN)/python benchmarks/lazy.py
	$(BIN)/python benchmarks/figure1.py
	$(BIN)/python docs/performance.py

bench-contextual: $(FRESH_KERNELS) ## what a round costs and how well draws are solved, with contexts
	$(BIN)/python benchmarks/contextual.py
	$(BIN)/python benchmarks/solved.py --datasets covtype,mnist --lengths 100,10000,50000 --rounds 1000
	$(BIN)/python benchmarks/precision.py
	$(BIN)/python benchmarks/network.py
	$(BIN)/python benchmarks/network_pass.py --models network,logistic,linear
	$(BIN)/python docs/performance.py

bench-bandit: $(FRESH_KERNELS) ## what a Bandit's decisions cost, whether they follow propensities, what forgetting earns
	$(BIN)/python benchmarks/bandit.py
	$(BIN)/python benchmarks/drift.py
	$(BIN)/python benchmarks/threads.py
	$(BIN)/python benchmarks/saving.py
	$(BIN)/python benchmarks/propensities.py
	$(BIN)/python benchmarks/floors.py
	$(BIN)/python docs/performance.py

bench-compare: $(FRESH_KERNELS) ## what compare says that a decision costs, beside what its printed code costs and earns
	$(BIN)/python benchmarks/compare.py

bench-engines: $(TOOLS) $(FRESH_KERNELS) ## one and two workers of this machine, of Dask and of Ray
	$(BIN)/python benchmarks/engines.py

bench-peers: $(FRESH_KERNELS) ## our policies and other libraries on the same stream
	$(BIN)/python benchmarks/peers.py

endurance: $(FRESH_KERNELS) ## a million updates of what is kept up one reward at a time, checked
	$(BIN)/python benchmarks/endurance.py

fuzz: $(TOOLS) $(FRESH_KERNELS) ## 10,000 files of bandits changed, loaded and used; those that do harm, into build/fuzz/
	PYTHONPATH=tests $(BIN)/python -m fuzz

crashes: $(TOOLS) $(FRESH_KERNELS) ## kill, crowd and starve savers, logs and stores of bandits: nothing answered is lost
	$(BIN)/python tests/bandit/crashes.py
	$(BIN)/python tests/bandit/log/killed.py
	$(BIN)/python tests/bandit/log/crowd.py

# schemathesis has an environment of its own, since it would hold back what others need.
schema-service: $(TOOLS) $(FRESH_KERNELS) ## schemathesis for five minutes against bandstrap serve; STORE=postgresql://… for that store
	$(PYTHON) -m venv build/schema
	build/schema/bin/python -m pip install --quiet --disable-pip-version-check schemathesis
	$(BIN)/python tests/service/http/schema.py --seconds 300 --schemathesis $(CURDIR)/build/schema/bin/schemathesis $(if $(STORE),--store $(STORE))

bench-service: $(TOOLS) $(FRESH_KERNELS) ## durable decisions and rewards over HTTP, beside the same server that stores nothing; STORE=postgresql://… for that store
	$(BIN)/python benchmarks/service.py --seconds 60 --turns 6 $(if $(STORE),--store $(STORE))

endurance-service: $(TOOLS) $(FRESH_KERNELS) ## an hour of steady load on bandstrap serve, its memory looked at every minute
	$(BIN)/python benchmarks/service.py --rate 200 --seconds 3600 $(if $(STORE),--store $(STORE))

gate-service: $(TOOLS) $(FRESH_KERNELS) ## how often the gate promotes wrongly and how soon rightly, and the ratio test's alarms
	$(BIN)/python benchmarks/gate.py

body-service: $(TOOLS) $(FRESH_KERNELS) ## a chunked body of 1 GB: 413, and less than 20 MB of memory
	BANDSTRAP_BODY=1000000000 $(BIN)/python -m pytest -q tests/service/http/test_server.py -k chunked_body

crashes-service: $(TOOLS) $(FRESH_KERNELS) ## kill servers and their databases, let many write at once: nothing answered is lost
	@scripts/postgres
	PYTHONPATH=tests $(BIN)/python tests/service/killed_servers.py
	PYTHONPATH=tests $(BIN)/python tests/service/skipping.py
	PYTHONPATH=tests $(BIN)/python tests/service/askers.py

claims: $(INSTALLED) ## docs/claims.md, its figures and the verdicts that the package shows, from evidence/
	$(BIN)/python docs/claims.py

docs: $(TOOLS) ## these pages as HTML, into docs/_build/html; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# For the Python that this is made with; the smaller file is a part of the larger.
lock: ## the newest versions that the ranges allow, with their hashes, into locks/
	$(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --disable-pip-version-check pip-tools
	$(COMPILE) --upgrade --extra dev --output-file $(LOCK)-dev.txt pyproject.toml
	cp $(LOCK)-dev.txt $(LOCK).txt
	$(COMPILE) --output-file $(LOCK).txt pyproject.toml

package: ## a wheel and a source archive, into dist/; the wheel is tried in an environment of its own
	rm -rf dist build/alone && $(PYTHON) -m venv build/alone
	build/alone/bin/python -m pip install --quiet --disable-pip-version-check build
	build/alone/bin/python -m build
	build/alone/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	cd build/alone && bin/bandstrap reproduce --quick --out results

clean: ## remove the environment, caches and results
	rm -rf $(VENV) results bench-results build dist docs/_build docs/api .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# The very files that locks/ names by their hashes, where it does so for this Python, else what the
# ranges in pyproject.toml allow (also by LOCK=). By uv where it is installed and works here (it does
# not read pip's configuration), else by pip.
install = { command -v uv > /dev/null && uv pip install --python $(BIN)/python $(1); } || $(PIP) $(1)
locked = --require-hashes -r $(1)
NEEDED := $(if $(LOCKED),$(call locked,$(LOCK).txt),-e .)

$(INSTALLED): pyproject.toml $(LOCKED)
	@rm -rf $(VENV)
	@{ command -v uv > /dev/null && uv venv --python $(PYTHON) $(VENV) && \
		uv pip install --python $(BIN)/python $(NEEDED); } || \
	{ rm -rf $(VENV) && $(PYTHON) -m venv $(VENV) && $(PIP) $(NEEDED); }
	@$(if $(LOCKED),$(call install,--no-deps --no-build-isolation -e .))
	@touch $@

# What tests and checks need besides, so that results do not wait for it.
$(TOOLS): $(INSTALLED) $(LOCKED:.txt=-dev.txt)
	@$(call install,$(if $(LOCKED),$(call locked,$(LOCK)-dev.txt),-e '.[dev]'))
	@touch $@

# Numba caches compiled kernels file by file and does not notice changed callees in other files.
$(FRESH_KERNELS): $(KERNELS) | $(INSTALLED)
	@find src/bandstrap -path '*/__pycache__/*.nb?' -delete
	@PYTHONPATH=src $(BIN)/python -m bandstrap.warmup  # while tools may be on their way into .venv
	@touch $@
