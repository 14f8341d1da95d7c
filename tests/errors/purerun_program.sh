#!/usr/bin/env bash
# purerun finds the program as the shell does, and says what is wrong with one that cannot be run.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

ends 127 'no such program in PATH' no_such_program
ends 127 'no such file' ./no_such_program
ends 127 'no such program' ''
ends 126 'is a directory' /
mkdir folder
ends 126 'is a directory' ./folder

script stencil << 'END'
#!/bin/sh
exit 5
END
ends 127 'write ./stencil' stencil
ends 127 'did you mean ./stencil?' ./stensil
ends 5 '' -n 1 ./stencil
PATH=$work:$PATH ends 5 '' -n 1 stencil

echo 'int main() {}' > app.cpp
ends 126 'not an executable file' ./app.cpp
PATH=$work:$PATH ends 126 'not an executable file' app.cpp
# A file of the name that cannot be run does not hide one that can, later in PATH.
mkdir later
cp stencil later/app.cpp
PATH=$work:$work/later:$PATH ends 5 '' -n 1 app.cpp

# A script without a first line "#!" is run by sh, with its arguments; a binary of another kind is not.
script plain <<< 'test "$1" = "a b" && exit 6'
ends 6 '' -n 1 ./plain 'a b'
printf '\177ELF\002\001\001\000\000\000\000\000' > binary
chmod +x binary
ends 126 'not a program that this machine can run' ./binary
script orphan <<< '#!/no/such/interpreter'
ends 126 '/no/such/interpreter, which does not exist' ./orphan

# A working directory that is deleted: a name in it cannot be made a path.
(mkdir gone && cd gone && rmdir ../gone && purerun -n 1 --trace t.json main_plain) > out 2> err
[[ $? == 1 ]] && [[ $(< err) == 'purerun: the working directory has been deleted, so that no file is found by a name in it: '* ]] ||
  fail "in a deleted folder: $(cat err)"

finish
