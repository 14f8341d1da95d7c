#!/usr/bin/env bash
# bench/evaluate runs what there is, compares the answers, and writes a page that needs no other file, and its rows.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

needs_cores 2
plots=0
for python in python3 /usr/bin/python3; do "$python" -c 'import matplotlib' 2> /dev/null && plots=1; done
((plots)) || skip 'there is no matplotlib (Debian: python3-matplotlib)'

bench/evaluate --quick --only 'dt SH W' --only 'dt BH' --rounds 2 --output "$folder/report" | tee "$folder/said"
grep -q '/report/index.html: 2 cases, 0 errors$' "$folder/said"

python3 - "$folder/report" <<'PYTHON'
import json, re, sys
from pathlib import Path

folder = Path(sys.argv[1])
rows = json.loads((folder / "rows.json").read_text())["rows"]
names = {row["system"] for row in rows if row["case"] == "dt SH W"}
assert {"pure", "pure-processes", "pure-tasks", "pure-helpers"} <= names, names
for row in rows:
    assert row["error"] is None and 1 <= len(row["seconds"]) <= 2 and row["median"] > 0, row
page = (folder / "index.html").read_text()
assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
assert page.count("<svg") == 1 or names == {"pure", "pure-processes", "pure-tasks", "pure-helpers"}, "no plot"
assert not re.search(r'(src|href)="?(https?:|/)', page), "it needs another file"
for text in ("the paper&#x27;s Figure 4", "perfect sharing", "dt SH W", "AMPI"):
    assert text in page, text
PYTHON

# bad ARGUMENT TEXT...
bad() {
  local status=0
  bench/evaluate "${@:2}" > "$folder/said" 2>&1 || status=$?
  [[ $status == 2 ]] && grep -qF -- "$1" "$folder/said" || { echo "FAILED: ${*:2}: status $status: $(cat "$folder/said")"; exit 1; }
}
bad "there is no case 'nothing'" --only nothing
bad '--rounds takes a number from 1, not 0' --rounds 0
bad 'unrecognized arguments: --fast' --fast
grep -q '^cases: *stencil: ' <<< "$(bench/evaluate --list)"
echo 'all checks passed'
