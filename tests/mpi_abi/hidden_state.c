/* What libc keeps for a process: each rank uses all of it, in turn with the others, and prints what it sees. As threads
   the ranks have to print what they print as processes, in which libc's own functions do it. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <libgen.h>
#include <locale.h>
#include <math.h>
#include <mpi.h>
#include <pwd.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static int rank, size;
static char seen[20000];
static size_t used;

static void say(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(seen + used, sizeof seen - used, format, arguments);
  va_end(arguments);
}
static void others(void) { MPI_Barrier(MPI_COMM_WORLD); }

static volatile sig_atomic_t raised, alarms;
static sigjmp_buf back;
static void on_raised(int number) { (void)number, ++raised; }
static void on_alarm(int number) { (void)number, ++alarms; }
static void on_fault(int number) { (void)number, siglongjmp(back, 1); }

static void arguments(char* name) {
  char own[20];
  char* values[] = {name, "file", own, "-v", "--long=5", "more", NULL};
  const struct option options[] = {{"long", required_argument, NULL, 'L'}, {NULL, 0, NULL, 0}};
  int code;
  snprintf(own, sizeof own, "-r%d", rank);
  while ((code = getopt_long(6, values, "r:v", options, NULL)) != -1) {
    say("-%c%s ", code, optarg != NULL ? optarg : "");
    others();
  }
  say("optind %d %s\n", optind, values[optind]);
}

static void numbers(void) {
  for (int i = 0; i < 3; ++i) say("%d %ld ", rand(), lrand48()), others();
  srand((unsigned)rank);
  srand48(rank);
  for (int i = 0; i < 3; ++i) say("%ld %g ", random(), drand48()), others();
  const double logarithm = lgamma(rank % 2 ? -0.5 : 2.5);
  others();
  say("%g %d\n", logarithm, signgam);
}

static void texts(void) {
  char text[50];
  wchar_t wide = 0;
  const char* const euro = "\xe2\x82\xac";
  snprintf(text, sizeof text, "a%d b%d c%d", rank, rank, rank);
  for (char* word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) say("%s,", word), others();
  say(" %s", setlocale(LC_ALL, rank % 2 ? "C.UTF-8" : "C"));
  others();
  say(" %s %zu %d", setlocale(LC_ALL, NULL), MB_CUR_MAX, iswalpha(0xe9) != 0);
  for (int i = 0; i < 3; ++i) say(" %d", (int)mbrtowc(&wide, euro + i, 1, NULL)), others();
  say(" %x %s\n", (unsigned)wide, localeconv()->decimal_point);
}

static void times_and_names(void) {
  const time_t when = 1000000000 + rank * 86400;
  const struct tm* const date = localtime(&when);
  others();
  say("%d %s %s %ld\n", date->tm_mday, asctime(date), tzname[1], timezone);
  const struct passwd* const user = getpwnam(rank % 2 ? "root" : "nobody");
  char key[] = "key", *value = rank % 2 ? "odd" : "even";
  const ENTRY item = {key, value}, wanted = {key, NULL};
  others();
  hcreate(10);
  hsearch(item, ENTER);
  others();
  say("%s %s\n", user->pw_name, (char*)hsearch(wanted, FIND)->data);
}

static void process(void) {
  char path[300];
  others();
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = '\0';
  say("%s", basename(path));
  signal(SIGUSR1, on_raised);
  signal(SIGSEGV, on_fault);
  signal(SIGALRM, on_alarm);
  others();
  if (rank == 1) raise(SIGUSR1);
  if (sigsetjmp(back, 1) == 0) *(volatile int*)NULL = 1;
  others();
  if (rank == 2) {
    ualarm(1000, 0);
    while (alarms == 0) usleep(100);
  }
  others();
  say(" raised %d, alarms %d\n", (int)raised, (int)alarms);
  if (getenv("FOLDERS") == NULL) return;
  const int result = chdir(rank % 2 ? "/usr" : "/");
  umask((mode_t)rank);
  others();
  say("%d %s %o\n", result, getcwd(path, sizeof path), (unsigned)umask(0));
}

int main(int count, char** values) {
  MPI_Init(&count, &values);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  arguments(values[0]);
  numbers();
  texts();
  times_and_names();
  process();
  for (int turn = 0; turn < size; ++turn) {
    others();
    if (turn == rank) printf("rank %d\n%s", rank, seen), fflush(stdout);
  }
  return MPI_Finalize();
}
