# For the scripts about examples/windows: the checks that all three programs share.

source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
picture=$(dirname "${BASH_SOURCE[0]}")/../../examples/windows/picture.py

# verified COUNT WHAT COMMAND...: the program ends well, and has verified so many results. What it says is in $work/out.
verified() {
  local count=$1 what=$2
  shift 2
  "$@" > "$work/out" 2>&1 && [[ $(grep -c '^  verified: ' "$work/out") == "$count" ]] ||
    fail "$what: not $count results verified: $(cat "$work/out")"
}

# refuses PROGRAM RANKS TEXT ARGUMENT...: one message that holds TEXT, and a status that is not zero.
refuses() {
  local program=$1 ranks=$2 text=$3 status
  shift 3
  on_pure "$ranks" "$program" "$@" > "$work/out" 2> "$work/err"
  status=$?
  ((status != 0 && status != 124)) || fail "${program##*/} $*: the status is $status"
  [[ $(grep -cF -- "$text" "$work/err") == 1 ]] || fail "${program##*/} $*: not once '$text' in: $(cat "$work/err")"
  [[ $(grep -c "^${program##*/}: " "$work/err") == 1 ]] || fail "${program##*/} $*: not one message: $(cat "$work/err")"
}

# helps PROGRAM OPTION...: --help is printed once, and names them.
helps() {
  local program=$1 option
  shift
  on_pure 3 "$program" --help > "$work/help" || fail "${program##*/} --help has a status"
  [[ $(grep -c '^Usage' "$work/help") == 1 ]] || fail "${program##*/} --help is not printed once"
  for option in "$@"; do
    grep -qF -- "$option" "$work/help" || fail "${program##*/} --help lacks $option"
  done
}

# draws MARKS FILE...: the picture is XML, and holds so many bars and points.
draws() {
  local marks=$1
  shift
  python3 "$picture" "$work/picture.svg" "$@" || fail "picture.py $*: status $?"
  python3 - "$work/picture.svg" "$marks" << 'END' || fail "the picture of $* is wrong"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
kinds = [element.tag.split("}")[1] for element in root]
text = "".join(root.itertext())
marks = kinds.count("circle") + sum(1 for element in root if element.tag.endswith("rect") and element.get("height") != "10") - 1
print(f"picture: {marks} marks")
sys.exit(marks != int(sys.argv[2]) or "nan" in text or "inf" in text)
END
}
