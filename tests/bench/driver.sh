#!/usr/bin/env bash
# The parts of bench/run and bench/evaluate that can be checked without measuring.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
python3 driver_test.py
python3 pure_mpi_test.py
python3 results_test.py
python3 evaluation_test.py
python3 distance_test.py
