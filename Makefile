# Two commands from a bare checkout: `make demo` and `make test`. Both hang on one stamp file.
VENV  ?= .venv
PY    := $(VENV)/bin/python
STAMP := $(VENV)/.installed
PYTHON ?= python3
# torch is uncapped in pyproject.toml; capped here, because an uncapped resolve may pick a build of several GB.
TORCH := torch>=2.6,<2.14
DEMO_OUT ?= demo-out

.PHONY: demo test full check schema format wheel docs clean
.DEFAULT_GOAL := test

$(STAMP): pyproject.toml Makefile
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade uv || true
	UV_FIND_LINKS="$${UV_FIND_LINKS:-$$PIP_FIND_LINKS}" $(PY) -m uv pip install --compile-bytecode --python $(PY) -e ".[dev,demo]" "$(TORCH)" \
	  || $(PY) -m pip install -e ".[dev,demo]" "$(TORCH)"
	touch $(STAMP)

demo: $(STAMP)
	$(PY) -m withhold demo --out $(DEMO_OUT) --overwrite

# Bytecode is kept whatever the environment says: some sixty tests start the command line, which would compile anew.
test: $(STAMP)
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(PY) -m pytest -n 2 --dist loadfile

# What takes too long for every change; the last result is committed.
full: $(STAMP)
	-git log -1 --format='commit %h of %cs' > tests/full.txt
	PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(PY) -m pytest -q -n 2 --dist loadfile -m full --durations=0 --durations-min=1 >> tests/full.txt; \
	  status=$$?; cat tests/full.txt; exit $$status

check: $(STAMP)
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	$(VENV)/bin/lint-imports
	$(PY) -m codespell_lib src tests docs *.md

# What the package ships of the records' models for readers in other languages.
schema: $(STAMP)
	for name in audit disclosure; do \
	  $(PY) -m withhold.contracts.json_schema $$name > src/withhold/contracts/$$name.schema.json.new \
	  && mv src/withhold/contracts/$$name.schema.json.new src/withhold/contracts/$$name.schema.json || exit 1; \
	done

format: $(STAMP)
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .

# The wheel is built, installed in a fresh environment and every public module imported there.
wheel: $(STAMP)
	rm -rf dist $(VENV)-wheel
	$(PY) -m build --wheel --outdir dist
	$(PYTHON) -m venv $(VENV)-wheel
	UV_FIND_LINKS="$${UV_FIND_LINKS:-$$PIP_FIND_LINKS}" $(PY) -m uv pip install --python $(VENV)-wheel/bin/python dist/*.whl "$(TORCH)" \
	  || $(VENV)-wheel/bin/python -m pip install dist/*.whl "$(TORCH)"
	cd dist && ../$(VENV)-wheel/bin/python ../tests/architecture/import_every_module.py

# The book in site/; a warning is an error.
docs: $(STAMP)
	UV_FIND_LINKS="$${UV_FIND_LINKS:-$$PIP_FIND_LINKS}" $(PY) -m uv pip install --quiet --python $(PY) -e ".[docs]" \
	  || $(PY) -m pip install --quiet -e ".[docs]"
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) $(VENV)-wheel dist site $(DEMO_OUT)
