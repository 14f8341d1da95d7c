// For the tests of purerun: a program that is linked with Pure and ends without starting a rank.
#define PURE_MAIN_RUNS_ONCE
#include <pure.h>

int main() { return pure_error_string(PURE_SUCCESS) == nullptr; }
