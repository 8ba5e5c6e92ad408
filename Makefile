# make run: the app with its demo graph on 127.0.0.1:8501.   make test: every test.
# make run PORT=8502: on another port.   make venv: the environment alone.   make check: style and types.   make bench: speed on a large synthetic graph.
PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run venv test check bench clean

run: venv
	@$(BIN)/python -c 'import socket; socket.create_connection(("127.0.0.1", $(PORT)), 1)' 2>/dev/null && \
	  { echo "Something listens on http://127.0.0.1:$(PORT) already: open that, or take another port: make run PORT=8502"; exit 1; } || true
	$(BIN)/python -m oncosearch demo
	$(BIN)/python -m streamlit run streamlit_app.py --server.port $(PORT)

venv: $(VENV)/.installed

test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: venv
	$(BIN)/python -m bench.search --nodes 200000 --dim 1024

clean:
	rm -rf $(VENV) .oncosearch .pytest_cache .mypy_cache .ruff_cache

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "oncosearch needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) --version`. Try: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.txt | $(BIN)/python
	@echo "Installing the libraries, once; this takes a minute or more …"
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements.txt requirements-dev.txt | $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	@touch $@
