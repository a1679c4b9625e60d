# Each target creates the virtual environment .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
COMMA := ,
SAY = { echo "$(strip $(1))" >&2; exit 2; }
NOT_INSTALLED = $(call SAY, pip could not install what is needed (its reason is above): \
	that takes network$(COMMA) or a package index that PIP_INDEX_URL names.)
TASKS := $(filter-out sample-%,$(notdir $(basename $(wildcard configs/*.yaml))))
RUN := $(BIN)/stsbaselines run --fetch $(if $(filter 1,$(ACCEPT_LICENCE)),--accept-licence)
STRONG := $(sort $(filter strong-%,$(TASKS)))

.PHONY: help demo test lint audit docs pages reproduce bench ablation models \
	chunker-model names-model strong dist clean $(TASKS)

help:
	@echo "make demo        run all baselines on the embedded samples, offline"
	@echo "make test        run all tests; those that need the official data only if it is available"
	@echo "make reproduce   print every published baseline number beside ours"
	@echo "make TASK        run one of: $(TASKS)"
	@echo "                 (fetches missing data; ACCEPT_LICENCE=1 accepts its licence without a question)"
	@echo "make strong      run DKPro and TakeLab, reimplemented, on 2012, 2013 and 2015"
	@echo "make models      train WTMF, LSA and LDA on WordNet and Brown (five minutes)"
	@echo "make audit       look for insecure code, and known vulnerabilities of the dependencies"
	@echo "make chunker-model names-model   train the models that the package ships, from DATA=DIR"
	@echo "make pages       write the generated parts of docs/, after make reproduce"
	@echo "make lint docs bench dist clean"

# An incomplete environment, or one of a Python that was removed, is created again.
$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || $(call SAY, \
		$(PYTHON) is no Python 3.10 or newer: name one$(COMMA) such as make $(or $(MAKECMDGOALS),demo) PYTHON=python3.12)
	@rm -f $(VENV)/bin/python* $(VENV)/.base $(VENV)/.dev
	@echo "Creating the virtual environment $(VENV)" >&2
	@$(PYTHON) -m venv $(VENV) || { rm -f $@; $(call SAY, \
		$(PYTHON) cannot make a virtual environment (its reason is above); on Debian and Ubuntu that takes apt-get install python3-venv); }

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	@echo "Installing into $(VENV), which takes a minute" >&2
	@$(PIP) --editable . || $(NOT_INSTALLED)
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/.base
	@echo "Installing the tools of development into $(VENV)" >&2
	@$(PIP) --editable '.[dev]' || $(NOT_INSTALLED)
	@touch $@

demo: $(VENV)/.base
	@$(BIN)/stsbaselines demo

$(TASKS): $(VENV)/.base
	@$(RUN) $(wildcard configs/$@.yaml configs/$@-typed.yaml)

strong: $(VENV)/.base
	@$(RUN) --jobs -1 $(STRONG)

reproduce: $(VENV)/.base
	@$(BIN)/stsbaselines reproduce --out results

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

audit: $(VENV)/.dev
	$(BIN)/bandit -q -c pyproject.toml -r stsbaselines
	@$(BIN)/python -m tools.audit

docs: $(VENV)/.dev
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going docs site

# The generated parts of docs/, after make reproduce.
pages: $(VENV)/.base
	@$(BIN)/python -m tools.pages

bench: $(VENV)/.base
	$(PIP) --editable '.[bench]'
	$(BIN)/python benchmarks/peers.py

ablation: $(VENV)/.base
	$(BIN)/python benchmarks/ablation.py

# What would be published: a source distribution, and a wheel built from it, which must have the same
# bytes as one built from the checkout.
dist: $(VENV)/.dev
	@rm -rf dist
	$(BIN)/python -m build --quiet --outdir dist
	$(BIN)/python -m build --quiet --wheel --outdir dist/from-here
	@cmp dist/*.whl dist/from-here/*.whl && rm -r dist/from-here
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	@ls -l dist
	@test -z "$$(find dist -size +8000000c)" || $(call SAY, a file of dist is over 8 MB)

# The models that the configurations name; they are saved in the user's cache.
models: $(VENV)/.base
	@$(BIN)/stsbaselines train wtmf
	@$(BIN)/stsbaselines train lsa
	@$(BIN)/stsbaselines train lda

# The models that the package ships: DATA=DIR, and OUT=DIR, TAGS_FROM="DIR DIR", LICENCE=TEXT.
chunker-model: $(VENV)/.base
	$(if $(DATA),,@$(call SAY,name the folder of the training data by DATA=DIR))
	$(BIN)/python -m tools.chunker_training --data $(DATA) $(if $(OUT),--out $(OUT)) \
		$(addprefix --tags-from ,$(TAGS_FROM)) $(if $(LICENCE),--licence "$(LICENCE)")

names-model: $(VENV)/.base
	$(if $(DATA),,@$(call SAY,name the folder of the training data by DATA=DIR))
	$(BIN)/python -m tools.names_training --data $(DATA) $(if $(OUT),--out $(OUT))

clean:
	rm -rf $(VENV) dist site docs/api results
