#!/bin/sh
# usage: setup.sh VENV [--oldest] [EXTRA...]
# Makes the virtual environment VENV and installs the package (editable) with the named extras.
# A second call is quick: the package is rebuilt only when its build inputs changed, the extras are
# installed only when their requirements changed.
set -eu

venv=$1
shift
python=${PYTHON:-python3}

if [ ! -x "$venv/bin/python" ]; then
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
        echo "empirisk needs Python 3.11 or later, and $python is $("$python" --version 2>&1): call make PYTHON=python3.12" >&2
        exit 2
    }
    echo "Making $venv"
    "$python" -m venv "$venv"
fi

# What, when changed, means that the extension must be built again or that a file was added or removed.
inputs() {
    "$venv/bin/python" --version
    find cpp CMakeLists.txt pyproject.toml -type f -exec cksum {} + | LC_ALL=C sort
    find src -name '*.py' | LC_ALL=C sort
}

# install STAMP WORDS COMMAND...: run the command unless the stamp already holds what stdin says.
install() {
    stamp=$venv/$1 words=$2
    shift 2
    wanted=$(cat)
    if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
        echo "$words"
        "$@"
        printf '%s\n' "$wanted" >"$stamp"
    fi
}

requirements=$("$venv/bin/python" tools/requirements.py "$@")
if [ -n "$requirements" ]; then
    # One line a requirement, none with spaces.
    # shellcheck disable=SC2086
    printf '%s\n' "$requirements" |
        install ".stamp-$(echo "$@" | tr ' ' '+')" "Installing the requirements into $venv ($*)" \
            "$venv/bin/python" -m pip install -q $requirements
fi
inputs | cksum | install .stamp-package "Building and installing empirisk into $venv (a minute or two)" \
    "$venv/bin/python" -m pip install -q --editable .
