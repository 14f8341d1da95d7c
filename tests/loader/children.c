/* Processes that a rank starts: they are copies of it, or other programs. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

static int number = 161, ended_by_handler = 162;
static int status_of(pid_t child) {
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}
SET(fork) {
  pid_t child;
  number = me;
  child = fork();
  if (child == 0) {
    const int is_right = number == me;
    number = 12345;
    _exit(is_right ? 10 + me % 64 : 9);
  }
  EXPECT(status_of(child) == 10 + me % 64 && number == me);
  return NONE;
}
GET(fork) {
  EXPECT(number == me);
  return NONE;
}
/* exit in a child runs its handlers, and ends nothing else. */
static void end_by_handler(void) {
  if (ended_by_handler != 162) _exit(ended_by_handler);
}
SET(exit) {
  pid_t child;
  EXPECT(atexit(end_by_handler) == 0);
  fflush(stdout); /* or the child prints it, too */
  child = fork();
  if (child == 0) {
    ended_by_handler = 20 + me % 64;
    exit(8);
  }
  EXPECT(status_of(child) == 20 + me % 64 && ended_by_handler == 162);
  number = me + 1;
  return NONE;
}
GET(exit) {
  EXPECT(number == me + 1 && ended_by_handler == 162);
  return NONE;
}
SET(system) {
  char command[64];
  snprintf(command, sizeof command, "exit %d", 30 + me % 64);
  EXPECT(WEXITSTATUS(system(command)) == 30 + me % 64);
  number = me + 2;
  return NONE;
}
GET(system) {
  EXPECT(number == me + 2);
  return NONE;
}
/* What a rank has asked for around a fork is for its own. */
static int prepared, in_parent, in_child;
static void prepare(void) { ++prepared; }
static void after_in_parent(void) { ++in_parent; }
static void after_in_child(void) { ++in_child; }
SET(atfork) {
  EXPECT(pthread_atfork(prepare, after_in_parent, after_in_child) == 0);
  prepared = in_parent = in_child = 0;
  number = me + 4;
  return NONE;
}
GET(atfork) {
  const pid_t child = fork();
  if (child == 0) _exit(prepared == 1 && in_child == 1 && in_parent == 0 ? 0 : 1);
  EXPECT(status_of(child) == 0);
  EXPECT(prepared == 1 && in_parent == 1 && in_child == 0 && number == me + 4);
  return NONE;
}
static char word[32];
SET(popen) {
  char command[64];
  FILE* output;
  snprintf(command, sizeof command, "echo %d", me);
  output = popen(command, "r");
  EXPECT(output != NULL && fgets(word, sizeof word, output) != NULL && pclose(output) == 0);
  return NONE;
}
GET(popen) {
  EXPECT(atoi(word) == me);
  return NONE;
}
SET(spawn) {
  char shell[] = "sh", option[] = "-c", command[64];
  char* arguments[] = {shell, option, command, NULL};
  pid_t child;
  snprintf(command, sizeof command, "exit %d", 40 + me % 64);
  EXPECT(posix_spawnp(&child, "sh", NULL, NULL, arguments, environ) == 0);
  number = status_of(child);
  return NONE;
}
GET(spawn) {
  EXPECT(number == 40 + me % 64);
  return NONE;
}
/* The program itself, which is no rank then. */
static char* own_path;
SET(itself) {
  char option[] = "list";
  char* arguments[] = {own_path, option, NULL};
  const pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stdout) != NULL) execv(own_path, arguments);
    _exit(7);
  }
  EXPECT(status_of(child) == 0);
  number = me + 3;
  return NONE;
}
GET(itself) {
  EXPECT(number == me + 3);
  return NONE;
}

static const struct named_case cases[] = {
    CASE(fork, PRIVATE),  CASE(exit, PRIVATE),  CASE(system, PRIVATE), CASE(atfork, PRIVATE),
    CASE(popen, PRIVATE), CASE(spawn, PRIVATE), CASE(itself, PRIVATE),
};

int main(int argc, char** argv) {
  own_path = argv[0];
  return RUN_CASES(argc, argv, cases);
}
