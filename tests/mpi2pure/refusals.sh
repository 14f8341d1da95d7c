#!/usr/bin/env bash
# What is no task stays as it is, with its place and a reason; the others of a file are changed all the same.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$work" || exit 1

# stays LANGUAGE REASON: the loop behind the line with `mark` of what is read stays, and so does the file.
stays() {
  local file=case$((++cases)).$1 reason=$2 line
  cat > "$file"
  line=$(grep -n '//@' "$file" | cut -d: -f1)
  ends 1 tasks "$file" -- mpicc.mpich
  grep -qF -- "$file:$line: $reason" err || fail "case $cases: not left because $reason, but: $(< err)"
  grep -qE 'mpi2pure: loops changed: 0, left: [0-9]+' err || fail "case $cases: $(tail -n 1 err)"
  [[ ! -s out ]] || fail "case $cases changes something: $(< out)"
}
cases=0

# body_stays REASON STATEMENT [DECLARATION [BEFORE]]: in C, a loop with this in its body.
body_stays() {
  stays c "$1" < <(printf '%s\n' '#include <mpi.h>' '#include <omp.h>' '#include <setjmp.h>' '#include <alloca.h>' '#include <stdio.h>' "${4-}" \
    'int f(int n, double* x) {' "${3-}" '#pragma omp parallel for //@' 'for (int i = 0; i < n; i++) {' "$2" 'x[i] = i; }' \
    'return n; }')
}

# pragma_stays REASON PRAGMA [DECLARATION]
pragma_stays() {
  stays c "$1" < <(printf '%s\n' "${3-}" 'void f(int n, double* x) { double s = 0, t = 0; int i; double v[4] = {0};' "#pragma omp $2 //@" \
    'for (i = 0; i < n; i++) x[i] = i + s + t + v[0];' '}')
}

echo 'bodies'
body_stays 'it calls MPI_Barrier: a chunk may not communicate (line 11)' 'MPI_Barrier(MPI_COMM_WORLD);'
body_stays 'it calls talk, and there: it calls MPI_Send: a chunk may not communicate' 'talk(x);' '' \
  'static void talk(double* x) { MPI_Send(x, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); }'
body_stays 'it calls omp_get_thread_num, which' 'x[0] = omp_get_thread_num();'
body_stays 'it calls omp_set_lock: a lock of OpenMP' 'omp_set_lock(&lock);' '' 'omp_lock_t lock;'
body_stays "it depends on the number of threads, 'threads'" 'if (threads == 1) x[0] += i;' 'int threads = omp_get_max_threads();'
body_stays "'own' is thread-local" 'own = i;' '' '_Thread_local int own;'
body_stays "'own' is threadprivate" 'own = i;' '' $'int own;\n#pragma omp threadprivate(own)'
body_stays "its iterations share 'j', which a loop in it counts: declare j in that loop, or add private(j) (line 11)" \
  'for (j = 0; j < 2; j++) x[i] += j;' 'int j;'
body_stays "its iterations share 'j', which a loop in it counts" 'for (k = 9, j = 0; j < k; --k, j += 2) x[i] += j;' 'int k;' 'int j;'
body_stays 'it has omp critical (line 11)' $'#pragma omp critical\nx[0]++;'
body_stays 'it has omp taskwait' $'#pragma omp taskwait\nx[0]++;'
body_stays 'it calls add, and there: omp critical (line 7)' 'add(x);' '' $'static void add(double* x) {\n#pragma omp critical\n++*x; }'
body_stays 'it has an omp atomic other than a relaxed update' $'#pragma omp atomic capture\nc = s++;' 'int s = 0, c;'
body_stays 'it has an omp atomic of a type' $'#pragma omp atomic\ns += 1;' 'long double s = 0;'
body_stays 'it has an omp atomic of a bit-field' $'#pragma omp atomic\ns.a += 1;' 'struct bits { int a : 3; } s = {0};'
body_stays 'it uses a type that its function declares' 'number t = i; x[i] = t;' 'typedef int number;'
body_stays "the type of 's' has no name outside of its function" 's.a = i;' 'struct { int a; } s;'
body_stays 'it uses the name of its function (__func__)' 'printf("%s", __func__);'
body_stays 'it takes the address of a label' 'void* p = &&there; there: x[i] = p != 0;'
body_stays 'it calls alloca' 'int* p = alloca(8); *p = i;'
body_stays 'it calls longjmp' 'longjmp(b, 1);' '' 'jmp_buf b;'
body_stays 'the macro LIMIT is defined in its function' 'x[i] = LIMIT;' $'#define LIMIT 3'
body_stays "'s' is named by the text of a macro" 'COUNT;' 'int s = 0;' '#define COUNT s = 1'
body_stays "'s' stands in SHOW(), which uses its text" 'SHOW(s);' 'int s = 0;' '#define SHOW(v) (v) = 1, puts(#v)'
body_stays 'its body has an #if, whose other branch' $'#ifdef OTHER\nx[0] = 1;\n#endif'
body_stays "the size or the address of 'v' is taken" 'x[i] = sizeof v; v[i] = 0;' 'double v[n];'
body_stays "'r' is a register variable" 'r = i;' 'register int r = 0;'
body_stays 'it calls f, which is not declared before' 'if (n < 0) f(n, x);'

echo 'pragmas'
pragma_stays 'it has the clause ordered' 'parallel for ordered'
pragma_stays 'it has the clause linear' 'parallel for linear(n)'
pragma_stays 'it reduces an array' 'parallel for reduction(+ : v)'
pragma_stays 'it reduces an array' 'parallel for reduction(+ : v[0:2])'
pragma_stays "the reduction 'own' is one of the program" 'parallel for reduction(own : s)' \
  '#pragma omp declare reduction(own : double : omp_out += omp_in)'
pragma_stays "'i' is lastprivate, and no plain variable" 'parallel for lastprivate(i)'
pragma_stays 'it belongs to a parallel region of another function' 'for'
pragma_stays 'tasks have nothing like omp target parallel for' 'target parallel for'
pragma_stays 'tasks have nothing like omp taskloop' 'taskloop'
stays c 'its pragma is made by a macro or by _Pragma' << 'END'
void f(int n, double* x) {
_Pragma("omp parallel for") for (int i = 0; i < n; i++) x[i] = i; //@
}
END
stays c 'an #if begins before it, and has other code' << 'END'
void f(int n, double* x) {
#ifdef _OPENMP
#pragma omp parallel for //@
#else
  n = n / 2;
#endif
  for (int i = 0; i < n; i++) x[i] = i;
}
END
stays c 'the loops that it collapses are not rectangular' << 'END'
void f(int n, double x[][9]) {
#pragma omp parallel for collapse(2) //@
  for (int i = 0; i < n; i++) for (int j = i; j < n; j++) x[i][j] = i;
}
END
stays c 'a part of its header is made by a macro' << 'END'
#define UP_TO(n) < (n) + 1
void f(int n, double* x) {
#pragma omp parallel for //@
  for (int i = 0; i UP_TO(n); i++) x[i] = i;
}
END
stays cpp 'it is a range-based loop' << 'END'
#include <vector>
void f(std::vector<double>& v) {
#pragma omp parallel for //@
  for (double& x : v) x = 1;
}
END

echo 'regions'
stays c 'in its parallel region it calls omp_get_thread_num' << 'END'
#include <omp.h>
void f(int n, double* x) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp for //@
    for (int i = 0; i < n; i++) x[i] = me;
  }
}
END
for inner in 'omp single' 'omp master' 'omp sections' 'omp critical' 'omp task'; do
  stays c "its parallel region has $inner (line 6)" << END
void f(int n, double* x) {
#pragma omp parallel
  {
#pragma omp for nowait //@
    for (int i = 0; i < n; i++) x[i] = i;
#pragma $inner
    { x[0] = 1; }
  }
}
END
done
stays c 'its parallel region does more than loops (line 4)' << 'END'
void f(int n, double* x, int* calls) {
#pragma omp parallel
  {
    calls[0]++;
#pragma omp for //@
    for (int i = 0; i < n; i++) x[i] = i;
  }
}
END
stays c 'a parallel region without a loop' << 'END'
void g(void);
void f(void) {
#pragma omp parallel //@
  g();
}
END

echo 'the others of a file, and files that are not understood'
cat > some.c << 'END'
void f(int n, double* x) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] = i;
#pragma omp parallel for ordered
  for (int i = 0; i < n; i++) x[i] += 1;
}
END
ends 1 tasks some.c --
grep -qxF 'mpi2pure: loops changed: 1, left: 1' err || fail "some.c: $(< err)"
echo 'int f( {' > broken.c
ends 1 tasks -i some.c broken.c --
grep -qF 'a file was not understood' err || fail "broken.c: $(< err)"
grep -q PURE_TASKS some.c || fail 'some.c is not changed beside a file that is not understood'
grep -q PURE_TASKS broken.c && fail 'what is not understood is changed'
finish
