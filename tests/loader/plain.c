/* A program that knows no MPI: purerun runs it so many times. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int runs;
static char input[100];
static void at_exit(void) { puts("at exit"); }
__attribute__((constructor)) static void construct(void) { ++runs; }

int main(int argc, char** argv) {
  int i;
  atexit(at_exit);
  printf("run %d of %s:", ++runs, strrchr(argv[0], '/') + 1);
  for (i = 1; i < argc; ++i) printf(" %s", argv[i]);
  puts(fgets(input, sizeof input, stdin) == NULL ? "; no input" : "; input");
  return argc > 1 ? atoi(argv[1]) : 0;
}
