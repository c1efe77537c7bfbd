#!/bin/sh
# Make a virtual environment with the first Python of 3.11 or newer that is found.
# usage: new_venv.sh FOLDER      (PYTHON=/path/to/python overrides the search)
set -eu
folder=$1
for python in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        "$python" -m venv "$folder" && exit 0
        echo "$python cannot make virtual environments; on Debian or Ubuntu: apt-get install python3-venv" >&2
        rm -rf "$folder"
        exit 1
    fi
done
echo "routinglab needs Python 3.11 or newer and found none; install one, or name it: make PYTHON=/path/to/python3.12" >&2
exit 1
