#!/usr/bin/env bash
# Runs driver_test.py: the parts of bench/run that can be checked without measuring.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/driver_test.py"
