/* A library of order.cpp, NAME of it: what it does when it is loaded and unloaded. The deepest of them keeps the log.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)
#define JOIN_(first, second) first##_##second
#define JOIN(first, second) JOIN_(first, second)

void note(const char* event);
#ifdef DEEPEST
static char events[2000];
static int rank = -1;
void note(const char* event) {
  if (strlen(events) + strlen(event) + 2 > sizeof events) abort();
  strcat(strcat(events, " "), event);
}
void set_rank(int its_rank) { rank = its_rank; }
void print_events(void) {
  char line[2100];
  const int length = snprintf(line, sizeof line, "rank %d:%s\n", rank, events);
  if (write(1, line, (size_t)length) != length) abort();
}
/* The last one of all. */
__attribute__((destructor(101))) static void print_at_the_end(void) {
  note(TEXT(NAME) "_last");
  print_events();
}
#endif

__attribute__((constructor)) static void construct(int argc, char** argv, char** environment) {
  note(TEXT(NAME) "_constructor");
  if (argc < 2 || argv[argc] != NULL || strstr(argv[0], "order") == NULL || environment != environ)
    note("WRONG_ARGUMENTS");
}
__attribute__((constructor(200))) static void construct_early(void) { note(TEXT(NAME) "_200"); }
__attribute__((destructor)) static void destroy(void) { note(TEXT(NAME) "_destructor"); }
void JOIN(NAME, init)(void) { note(TEXT(NAME) "_init"); }
void JOIN(NAME, fini)(void) { note(TEXT(NAME) "_fini"); }
static void at_exit(void) { note(TEXT(NAME) "_atexit"); }
void JOIN(NAME, at_exit)(void) { atexit(at_exit); }
