/* Processes that a rank starts: they are copies of it, or other programs. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
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
/* Each rank waits for its own, whichever comes first; also when another thread has started it. */
static int spawn(int status) {
  char shell[] = "sh", option[] = "-c", command[64];
  char* arguments[] = {shell, option, command, NULL};
  pid_t child;
  snprintf(command, sizeof command, "exit %d", status);
  return posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0 ? child : -1;
}
static pid_t one_of_any;
SET(any) {
  one_of_any = spawn(50 + me % 64);
  return NONE;
}
GET(any) {
  int status = -1;
  EXPECT(waitpid(-1, &status, 0) == one_of_any && WEXITSTATUS(status) == 50 + me % 64);
  EXPECT(waitpid(-1, &status, 0) == -1 && errno == ECHILD && waitpid(-1, &status, WNOHANG) == -1);
  return NONE;
}
static void* spawn_in_thread(void* status) {
  *(int*)status = spawn(*(int*)status);
  return NULL;
}
SET(any_of_a_thread) {
  pthread_t thread;
  int child = 51 + me % 64;
  EXPECT(pthread_create(&thread, NULL, spawn_in_thread, &child) == 0 && pthread_join(thread, NULL) == 0);
  one_of_any = child;
  return NONE;
}
GET(any_of_a_thread) {
  siginfo_t end;
  memset(&end, 0, sizeof end);
  EXPECT(waitid(P_ALL, 0, &end, WEXITED) == 0 && end.si_pid == one_of_any && end.si_status == 51 + me % 64);
  EXPECT(waitid(P_ALL, 0, &end, WEXITED) == -1 && errno == ECHILD);
  return NONE;
}
/* SIGCHLD: some ignore it, and others have a function that is called for their own. */
static volatile sig_atomic_t ends;
static void note_end(int unused) {
  (void)unused;
  ++ends;
}
SET(ends) {
  ends = 0;
  EXPECT(signal(SIGCHLD, me % 2 ? SIG_IGN : note_end) == SIG_DFL);
  number = me;
  return NONE;
}
GET(ends) {
  const int status = system("exit 3");
  EXPECT(me % 2 == rank_here() % 2);
  EXPECT(me % 2 ? status == -1 && errno == ECHILD : WIFEXITED(status) && WEXITSTATUS(status) == 3);
  return NONE;
}
SET(only_own_ends) { /* which may come a moment later */
  int i;
  for (i = 0; i < 1000 && me % 2 == 0 && ends == 0; ++i) usleep(1000);
  return NONE;
}
GET(only_own_ends) {
  EXPECT(me % 2 == rank_here() % 2 && ends == (me % 2 ? 0 : 1) && signal(SIGCHLD, SIG_DFL) != SIG_ERR);
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
    CASE(any, PRIVATE),   CASE(ends, PRIVATE),  CASE(only_own_ends, PRIVATE),
    CASE(any_of_a_thread, PRIVATE),
};

int main(int argc, char** argv) {
  own_path = argv[0];
  return RUN_CASES(argc, argv, cases);
}
