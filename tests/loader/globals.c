/* Variables of a C program, wherever they are defined and however they are reached. */
#define _GNU_SOURCE
#include "globals.h"

#include <complex.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>
#include <unistd.h>

#include "cases.h"

/* Plain ones. */
int initialized = 21;
VARIABLE(initialized, initialized, 21)
int zero;
VARIABLE(zero, zero, 0)
static int file_static = 22;
VARIABLE(file_static, file_static, 22)
VARIABLE(of_other_file, of_other_file, 12)
VARIABLE(static_of_other_file, *pointer_to_file_static, 11)
VARIABLE(tentative, tentative[4], 0)
static _Atomic long is_atomic = 23;
VARIABLE(is_atomic, is_atomic, 23)
static double real = 0.5;
VARIABLE(real, real, 0.5)
static long double long_real = 0.25L;
VARIABLE(long_real, long_real, 0.25L)
static double _Complex complex_number = 1.5;
VARIABLE(complex_number, complex_number, 1.5)
static struct { unsigned first : 3, second : 20; } bits = {5, 6};
VARIABLE(bits, bits.second, 6)
static alignas(4096) int on_own_page = 24;
SET(on_own_page) {
  EXPECT((uintptr_t)&on_own_page % 4096 == 0 && on_own_page == 24);
  on_own_page = me;
  return NONE;
}
GET(on_own_page) {
  EXPECT(on_own_page == me);
  return NONE;
}
static char text[] = "initial";
SET(text) {
  EXPECT(is_text(text, "initial"));
  snprintf(text, sizeof text, "r%d", me);
  return NONE;
}
GET(text) {
  char expected[8];
  snprintf(expected, sizeof expected, "r%d", me);
  EXPECT(is_text(text, expected));
  return NONE;
}
/* All of a large one, the pages of which nobody has touched. */
SET(many) {
  int i;
  for (i = 0; i < MANY; ++i) {
    EXPECT(many[i] == 0);
    many[i] = me + i;
  }
  return NONE;
}
GET(many) {
  int i;
  for (i = 0; i < MANY; ++i) EXPECT(many[i] == me + i);
  return NONE;
}
/* More than 64 ranks have together, were it all used. */
static char huge[200 << 20];
SET(huge) {
  EXPECT(huge[0] == 0 && huge[sizeof huge - 1] == 0 && huge[sizeof huge / 2] == 0);
  huge[0] = huge[sizeof huge - 1] = (char)me;
  return NONE;
}
GET(huge) {
  EXPECT(huge[0] == (char)me && huge[sizeof huge - 1] == (char)me);
  return NONE;
}
static int function_static(void) {
  static int calls = 100;
  return ++calls;
}
SET(function_static) {
  int i;
  for (i = 0; i <= me; ++i) function_static();
  return NONE;
}
GET(function_static) {
  EXPECT(function_static() == 102 + me);
  return NONE;
}
SET(static_of_other_function) {
  int i;
  for (i = 0; i <= me; ++i) count_of_other_file();
  return NONE;
}
GET(static_of_other_function) {
  EXPECT(count_of_other_file() == 2 + me);
  return NONE;
}

/* By symbols of all kinds. */
__attribute__((weak)) int overridden = 25;
VARIABLE(overridden, overridden, 13)
__attribute__((weak)) int weak = 26;
VARIABLE(weak, weak, 26)
extern int nowhere __attribute__((weak));
int there_for_sure(void) __attribute__((weak));
SET(nowhere) {
  EXPECT(&nowhere == NULL && there_for_sure == NULL);
  (void)me;
  return NONE;
}
GET(nowhere) {
  EXPECT(me == rank_here());
  return NONE;
}
SET(hidden) {
  EXPECT(count_hidden(0) == 15);
  count_hidden(me);
  return NONE;
}
GET(hidden) {
  EXPECT(count_hidden(0) == 15 + me);
  return NONE;
}
__attribute__((visibility("protected"))) int is_protected = 27;
VARIABLE(is_protected, is_protected, 27)
extern int other_name __attribute__((alias("initialized_by_alias")));
int initialized_by_alias = 28;
SET(other_name) {
  EXPECT(other_name == 28);
  initialized_by_alias = me;
  return NONE;
}
GET(other_name) {
  EXPECT(other_name == me && initialized_by_alias == me);
  return NONE;
}
static int in_set __attribute__((section("own_set"), used)) = 29;
extern int __start_own_set[], __stop_own_set[];
SET(linker_set) {
  EXPECT(__stop_own_set - __start_own_set == 2 && __start_own_set[0] + __start_own_set[1] == 29 + 14);
  in_set = in_set_of_other_file = me;
  return NONE;
}
GET(linker_set) {
  EXPECT(__start_own_set[0] == me && __start_own_set[1] == me);
  return NONE;
}
extern char etext[], edata[], end[];
static char* volatile end_of_data = edata;
SET(ends_of_segments) {
  EXPECT((char*)many < end && (char*)&zero < end && (char*)&initialized < edata && (char*)function_static < etext);
  end_of_data[-1] = (char)me; /* whatever is there: nothing that another case looks at, as the last one tells */
  return NONE;
}
GET(ends_of_segments) {
  EXPECT(end_of_data[-1] == (char)me && end_of_data == edata);
  return NONE;
}

/* By addresses that the program has as initial values. */
static int pointed = 31, array[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static int *pointer = &pointed, **pointer_to_pointer = &pointer;
VARIABLE(pointer, **pointer_to_pointer, 31)
static int *into_array = &array[5], *past_array = array + 8;
SET(into_array) {
  EXPECT(*into_array == 6 && past_array[-1] == 8 && past_array - into_array == 3);
  array[5] = array[7] = me;
  return NONE;
}
GET(into_array) {
  EXPECT(*into_array == me && past_array[-1] == me);
  return NONE;
}
VARIABLE(constant_pointer, *last_of_many, me + MANY - 1)
static int left = 32, right = 33;
static int* const constant_table[] = {&left, &right, &initialized, &of_other_file};
SET(constant_table) {
  EXPECT(*constant_table[0] == 32 && *constant_table[1] == 33 && constant_table[2] == &initialized);
  left = me;
  right = me + 1;
  return NONE;
}
GET(constant_table) {
  EXPECT(*constant_table[0] == me && *constant_table[1] == me + 1 && constant_table[3] == &of_other_file);
  return NONE;
}
SET(ring) {
  EXPECT(ring[0].next->next->next == &ring[0] && ring[2].next->value == 1);
  ring[0].next->value = me;
  return NONE;
}
GET(ring) {
  EXPECT(ring[1].value == me && ring[1].next == &ring[2]);
  return NONE;
}
static const char* word = "initial";
SET(word) {
  EXPECT(is_text(word, "initial"));
  word = me % 2 ? "odd" : "even";
  return NONE;
}
GET(word) {
  EXPECT(is_text(word, me % 2 ? "odd" : "even"));
  return NONE;
}
static int added;
static void add_one(int number) { added += number; }
static void add_two(int number) { added += 2 * number; }
static void (*const functions[])(int) = {add_one, add_two};
static struct {
  int before;
  void (*function)(int);
  int* where;
} method = {1, add_one, &added};
SET(functions) {
  EXPECT(added == 0);
  functions[0](me);
  functions[1](me);
  method.function(1);
  return NONE;
}
GET(functions) {
  EXPECT(*method.where == 3 * me + 1);
  return NONE;
}
static int (*pointer_to_chosen)(void) = chosen;
SET(chosen) {
  int i;
  for (i = 0; i < me; ++i)
    EXPECT((i % 3 == 0 ? chosen : i % 3 == 1 ? pointer_to_chosen : chosen_by_other_file())() == 16 + i);
  return NONE;
}
GET(chosen) {
  EXPECT(chosen() == 16 + me);
  return NONE;
}
static long difference = (char*)&array[7] - (char*)&array[1];
VARIABLE(difference, difference, (long)(6 * sizeof(int)))
/* What an assembler lays down: an address and what is added, and a number that looks like one. */
__asm__(".data\n.balign 8\nlaid_down: .quad array_for_assembler + 12, 0x7f0000001000\n.text");
extern int* laid_down[2] __attribute__((visibility("hidden")));
__attribute__((used)) int array_for_assembler[4] = {1, 2, 3, 4};
SET(laid_down) {
  EXPECT(*laid_down[0] == 4 && (uintptr_t)laid_down[1] == 0x7f0000001000);
  array_for_assembler[3] = me;
  return NONE;
}
GET(laid_down) {
  EXPECT(*laid_down[0] == me);
  return NONE;
}

/* What libc has for the program. */
SET(variables_of_libc) {
  EXPECT(fileno(stdout) == 1 && fileno(stderr) == 2 && environ != NULL);
  EXPECT(getenv("PATH") != NULL && environ[0] != NULL && strchr(environ[0], '=') != NULL);
  (void)me;
  return NONE;
}
GET(variables_of_libc) {
  EXPECT(me == rank_here());
  return NONE;
}
/* libc calls the program, and jumps in it. */
static int comparisons;
static int compare(const void* left, const void* right) {
  ++comparisons;
  return *(const int*)left - *(const int*)right;
}
SET(called_by_libc) {
  int numbers[] = {3, 1, 2};
  comparisons = 0;
  qsort(numbers, 3, sizeof *numbers, compare);
  EXPECT(comparisons >= 2 && numbers[0] == 1 && numbers[2] == 3);
  comparisons = me;
  return NONE;
}
GET(called_by_libc) {
  EXPECT(comparisons == me);
  return NONE;
}
static jmp_buf back;
static int jumps;
SET(jump) {
  if (setjmp(back) != 0) jumps += 1;
  if (jumps < 3) longjmp(back, 1);
  EXPECT(jumps == 3);
  jumps = me;
  return NONE;
}
GET(jump) {
  EXPECT(jumps == me);
  return NONE;
}
static ucontext_t outside, inside;
static char stack_of_context[1 << 16];
static int steps;
static void run_context(void) {
  for (;;) {
    ++steps;
    swapcontext(&inside, &outside);
  }
}
SET(context) {
  int i;
  steps = me;
  EXPECT(getcontext(&inside) == 0);
  inside.uc_stack.ss_sp = stack_of_context;
  inside.uc_stack.ss_size = sizeof stack_of_context;
  inside.uc_link = NULL;
  makecontext(&inside, run_context, 0);
  for (i = 0; i < 3; ++i) EXPECT(swapcontext(&outside, &inside) == 0);
  EXPECT(steps == me + 3);
  return NONE;
}
GET(context) {
  EXPECT(steps == me + 3);
  return NONE;
}
/* The stack of a process's main has 8 MB. */
static int deep(int frames) {
  volatile char frame[1 << 10];
  frame[0] = (char)frames;
  return frames == 0 ? frame[0] : deep(frames - 1) + frame[0] * 0 + 1;
}
SET(deep_stack) {
  EXPECT(deep(6000) == 6000);
  (void)me;
  return NONE;
}
GET(deep_stack) {
  EXPECT(deep(me) == rank_here());
  return NONE;
}

static const struct named_case cases[] = {
    CASE(initialized, PRIVATE),
    CASE(zero, PRIVATE),
    CASE(file_static, PRIVATE),
    CASE(of_other_file, PRIVATE),
    CASE(static_of_other_file, PRIVATE),
    CASE(tentative, PRIVATE),
    CASE(is_atomic, PRIVATE),
    CASE(real, PRIVATE),
    CASE(long_real, PRIVATE),
    CASE(complex_number, PRIVATE),
    CASE(bits, PRIVATE),
    CASE(on_own_page, PRIVATE),
    CASE(text, PRIVATE),
    CASE(many, PRIVATE),
    CASE(huge, PRIVATE),
    CASE(function_static, PRIVATE),
    CASE(static_of_other_function, PRIVATE),
    CASE(overridden, PRIVATE),
    CASE(weak, PRIVATE),
    CASE(nowhere, COMMON),
    CASE(hidden, PRIVATE),
    CASE(is_protected, PRIVATE),
    CASE(other_name, PRIVATE),
    CASE(linker_set, PRIVATE),
    CASE(pointer, PRIVATE),
    CASE(into_array, PRIVATE),
    CASE(constant_pointer, PRIVATE),
    CASE(constant_table, PRIVATE),
    CASE(ring, PRIVATE),
    CASE(word, PRIVATE),
    CASE(functions, PRIVATE),
    CASE(chosen, PRIVATE),
    CASE(difference, PRIVATE),
    CASE(laid_down, PRIVATE),
    CASE(variables_of_libc, COMMON),
    CASE(called_by_libc, PRIVATE),
    CASE(jump, PRIVATE),
    CASE(context, PRIVATE),
    CASE(deep_stack, COMMON),
    CASE(ends_of_segments, PRIVATE),
};

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
