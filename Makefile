# Each target makes the virtual environment .venv and installs what it needs by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
TASKS := $(filter-out sample-%,$(notdir $(basename $(wildcard configs/*.yaml))))
STRONG := $(sort $(filter strong-%,$(TASKS)))

.PHONY: help demo test lint audit fuzz docs reproduce bench bench-wtmf bench-heritage ablation models strong clean $(TASKS)

help:
	@echo "make demo        all baselines on the embedded samples, offline"
	@echo "make test        all tests; those that need the official data only if it is here"
	@echo "make reproduce   every published baseline cell beside ours"
	@echo "make TASK        one of: $(TASKS)"
	@echo "make strong      DKPro and TakeLab, made anew, on 2012, 2013 and 2015"
	@echo "make models      train WTMF, LSA and LDA on WordNet and Brown (five minutes)"
	@echo "make fuzz        ten minutes of damaged and hostile input for all readers (SECONDS=600)"
	@echo "make audit       insecure code, and known vulnerabilities of what the package needs"
	@echo "make lint docs bench clean"

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.base
	$(PIP) --editable '.[dev]'
	@touch $@

demo: $(VENV)/.base
	@$(BIN)/stsbaselines demo

$(TASKS): $(VENV)/.base
	@$(BIN)/stsbaselines run $(wildcard configs/$@.yaml configs/$@-typed.yaml)

strong: $(VENV)/.base
	@$(BIN)/stsbaselines run --jobs -1 $(STRONG)

reproduce: $(VENV)/.base
	@$(BIN)/stsbaselines reproduce --out results

test: $(VENV)/.dev
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit: $(VENV)/.dev
	$(BIN)/bandit -q -c pyproject.toml -r stsbaselines
	@$(BIN)/python tests/audit.py

SECONDS := 600
fuzz: $(VENV)/.dev
	@$(PIP) --editable '.[fuzz]' || echo "atheris cannot be installed here"
	@$(BIN)/python tests/fuzz/run.py --seconds $(SECONDS)

docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.base
	$(PIP) --editable '.[bench]'
	$(BIN)/python benchmarks/peers.py

bench-wtmf: $(VENV)/.base
	$(PIP) --editable '.[bench]'
	$(BIN)/python benchmarks/wtmf.py

bench-heritage: $(VENV)/.base
	$(BIN)/python benchmarks/heritage.py

ablation: $(VENV)/.base
	$(BIN)/python benchmarks/ablation.py

# The models that the configurations name; they go to the user's cache.
models: $(VENV)/.base
	@$(BIN)/stsbaselines train wtmf
	@$(BIN)/stsbaselines train lsa
	@$(BIN)/stsbaselines train lda

clean:
	rm -rf $(VENV) site results
