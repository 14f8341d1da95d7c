#!/usr/bin/env bash
# The pictures of docs/ can be made again (docs/pictures/make.sh), and show what the pages say of them: the runs have it.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

pictures=$support/../../docs/pictures
if grep -q 'built without cairo' <<< "$(pure trace nothing.json --png out.png 2>&1)"; then skip 'pure is built without cairo'; fi

mkdir made
bash "$pictures/make.sh" "${PURETEST_BUILD_DIR:?the build directory}" made 4 > out 2> err || fail "make.sh: $(cat out err)"
names=(run deadlock processes items)
if grep -q 'not made' out; then
  not_tested 'pictures of several processes' 'this build has no network'
  names=(run deadlock)
fi
for name in "${names[@]}"; do
  grep -q "^.*/$name.png: " out || fail "make.sh does not say that it has drawn $name.png: $(cat out)"
  for file in made/$name.png "$pictures/$name.png"; do
    [[ $(head -c 8 "$file" | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]] || fail "$file: no PNG"
    (($(stat -c %s "$file") < 150000)) || fail "$file: more than 150 KB"
  done
done
finish
