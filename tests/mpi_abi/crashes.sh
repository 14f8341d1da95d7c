#!/usr/bin/env bash
# What is said of ranks that have globals of their own when one crashes, when they wait for ever, and when somebody asks:
# the rank, and the lines of the program's files, although the program lies in memory once for each rank.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1

cat > help.cpp << 'END'
int divide(int by) { return 7 / by; }  // mark: divide
END
cat > app.cpp << 'END'
#include <mpi.h>
#include <unistd.h>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
int divide(int by);
int depth = 0;
static int fall(int n) {
  volatile char room[4096];
  room[n % 4096] = 1;
  ++depth;
  return fall(n + 1) + room[0];  // mark: stack
}
struct early {
  early() {
    if (getenv("EARLY") != nullptr) abort();  // mark: early
  }
} before_main;
static void fail_as(const std::string& how) {
  if (how == "segv") *reinterpret_cast<volatile int*>(8) = 1;  // mark: segv
  if (how == "abort") abort();                                 // mark: abort
  if (how == "throw") throw std::runtime_error("wrong");       // mark: throw
  if (how == "assert") assert(depth == 1);                     // mark: assert
  if (how == "stack") fall(1);
  if (how == "divide") depth = divide(depth);
}
int main(int argc, char** argv) {
  int rank, x = 0;
  const std::string how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) fail_as(how);  // mark: call
  if (how == "wait" && rank == 1) {
    std::printf("ready\n"), std::fflush(stdout);
    for (int i = 0; i < 1000; ++i) usleep(100'000);  // each question cuts one short
  }
  if (how == "send" && rank == 1) MPI_Send(&x, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);  // mark: send
  if (how != "send") MPI_Recv(&x, 1, MPI_INT, (rank + 1) % 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // mark: receive
  MPI_Finalize();
}
END
purecxx -g -O0 -fPIC -shared help.cpp -o libhelp.so && purecxx -g -O0 app.cpp -o app -L. -lhelp -Wl,-rpath,"$PWD" ||
  fail 'the program does not compile'
line() { grep -n "mark: $1\$" app.cpp help.cpp | sed -E 's/^([a-z.]+):([0-9]+):.*/\1:\2/'; } # line MARK: "app.cpp:12"

says() { # says PATTERN...: each is in a line of what it has said
  local pattern
  for pattern; do grep -qE -- "$pattern" err || fail "no '$pattern' in: $(cat err)"; done
}

echo 'crashes'
# crash STATUS HOW SIGNAL FUNCTION: where rank 1 crashes, and where main has called that.
crash() {
  purerun_ends "$1" --ranks-as threads -n 3 ./app "$2"
  says "^pure: rank 1 crashed: $3" "^    $4.* [^ ]*\b$(line "$2")\$"
  [[ $2 == stack ]] || says "^    main .*\b$(line call)\$" # which is farther away than what is shown
  ! grep -q 'hint: ' err || fail "a hint at globals that nobody shares: $(cat err)"
}
crash 139 segv SIGSEGV fail_as
crash 134 abort SIGABRT fail_as
crash 134 throw SIGABRT fail_as
says "what\(\):  wrong"
crash 134 assert SIGABRT fail_as
says "^app: app\.cpp:[0-9]+: .*depth == 1"
crash 139 stack SIGSEGV fall
says 'its stack of [0-9]+ bytes is full'
crash 136 divide SIGFPE divide
EARLY=1 purerun_ends 134 --ranks-as threads -n 3 ./app
says '^pure: rank [012] crashed: SIGABRT' "^    early::early\(\) .*\b$(line early)\$"

strip -o bare app
purerun_ends 139 --ranks-as threads -n 3 ./bare segv
says '^pure: rank 1 crashed: SIGSEGV' '^    \? +bare\+0x[0-9a-f]+$'
address=$(grep -oE -m 1 'bare\+0x[0-9a-f]+' err)
[[ $(addr2line -e app "${address#bare+}") == *"$(line segv)"* ]] || fail "$address is not in app: $(cat err)"

echo 'waiting'
purerun_ends 1 --ranks-as threads -n 3 ./app
for rank in 0 1 2; do
  says "^  rank $rank waits in MPI_Recv for a message from rank $(((rank + 1) % 3)), .*\b$(line receive) \(main\)\$"
done
says '^  stack of ranks 0-2:$' "^    main .*\b$(line receive)\$"
purerun_ends 1 --check --ranks-as threads -n 3 ./app send
says "was never received: MPI_Send at .*\b$(line send) \(main\)"

timeout 120 purerun --ranks-as threads -n 3 ./app wait > ready 2>&1 < /dev/null &
job=$!
for _ in {1..600}; do
  grep -q ready ready && break
  sleep 0.1
done
for _ in {1..100}; do # until rank 0 is there, too
  timeout 60 pure attach "$(pgrep -P "$(pgrep -P $job)")" > err 2>&1
  grep -q 'rank 0 waits' err && break
  sleep 0.1
done
says "rank 0 waits in MPI_Recv .*\b$(line receive)" "^    main .*\bapp\.cpp:[0-9]+\$"
kill $job
wait $job 2> /dev/null
echo 'thrown'
cat > thrown.cpp << 'END'
#include <mpi.h>
#include <stdexcept>
#include <string>
void combine(void*, void*, int*, MPI_Datatype*) { throw std::runtime_error("no such sum: 17"); }
int remove_it(MPI_Comm, int, void*, void*) { throw std::runtime_error("no such value: 18"); }
void handle(MPI_Comm*, int* code, ...) { throw std::runtime_error("handled " + std::to_string(*code)); }
int main(int count, char** values) {
  int in = 1, out = 0, key = 0;
  MPI_Init(&count, &values);
  if (values[1][0] == 'o') {
    MPI_Op op;
    MPI_Op_create(combine, 1, &op);
    MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
  } else if (values[1][0] == 'a') {
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, remove_it, &key, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &in);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  } else {
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    try {
      MPI_Comm_call_errhandler(MPI_COMM_WORLD, 3);
    } catch (const std::exception& error) {
      if (error.what() != std::string("handled 3")) return 5;
    }
  }
  return MPI_Finalize();
}
END
purecxx thrown.cpp -o thrown || fail 'thrown.cpp does not compile'
for kind in processes threads; do # by the program's runtime, through frames of the library's
  purerun_ends 1 --ranks-as $kind -n 2 ./thrown operator
  grep -qF 'that it calls has thrown: no such sum: 17' err || fail "operator, $kind: $(cat err)"
  purerun_ends 1 --ranks-as $kind -n 2 ./thrown attribute
  grep -qF 'MPI_Comm_delete_attr: a function of the program that it calls has thrown: no such value: 18' err || fail "attribute, $kind: $(cat err)"
  purerun_ends 0 --ranks-as $kind -n 2 ./thrown handler
done
finish
