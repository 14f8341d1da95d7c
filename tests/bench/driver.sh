#!/usr/bin/env bash
# Runs driver_test.py, results_test.py and distance_test.py: the parts of bench/run that can be checked without measuring.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
python3 driver_test.py
python3 results_test.py
python3 distance_test.py
