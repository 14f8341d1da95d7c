/* The environment is each rank's own, however it is set and read. */
#define _GNU_SOURCE
#include <locale.h>
#include <stddef.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cases.h"

static const char* text_of(char* text, const char* format, int me) {
  sprintf(text, format, me);
  return text;
}

SET(setenv) {
  char text[40];
  EXPECT(environ != NULL && getenv("PATH") != NULL && getenv("LOADER_TEST") == NULL);
  EXPECT(setenv("LOADER_TEST", text_of(text, "value %d", me), 1) == 0);
  return NONE;
}
GET(setenv) {
  char text[40];
  EXPECT(is_text(getenv("LOADER_TEST"), text_of(text, "value %d", me)));
  return NONE;
}
/* As the program's code reads it. */
SET(environ) {
  char text[40];
  EXPECT(setenv("LOADER_SEEN", text_of(text, "%d", me), 1) == 0);
  return NONE;
}
GET(environ) {
  char text[40];
  char** each;
  int found = 0;
  text_of(text, "LOADER_SEEN=%d", me);
  for (each = environ; *each != NULL; ++each) found += is_text(*each, text);
  EXPECT(found == 1);
  return NONE;
}
static char put[40];
SET(putenv) {
  EXPECT(putenv((char*)text_of(put, "LOADER_PUT=%d", me - 1)) == 0);
  text_of(put, "LOADER_PUT=%d", me); /* it is a part of the environment */
  return NONE;
}
GET(putenv) {
  EXPECT(getenv("LOADER_PUT") == put + strlen("LOADER_PUT=") && atoi(getenv("LOADER_PUT")) == me);
  return NONE;
}
/* Texts that were there from the start. */
SET(texts) {
  getenv("LOADER_GIVEN")[0] = (char)('a' + me % 26);
  return NONE;
}
GET(texts) {
  EXPECT(getenv("LOADER_GIVEN")[0] == 'a' + me % 26);
  return NONE;
}
SET(unsetenv) {
  EXPECT(me % 2 || unsetenv("LOADER_REMOVED") == 0);
  return NONE;
}
GET(unsetenv) {
  EXPECT((getenv("LOADER_REMOVED") != NULL) == me % 2);
  return NONE;
}

static char own_text[40];
static char* own_vector[2];
SET(assigned) {
  char** const before = environ;
  own_vector[0] = own_text;
  text_of(own_text, "LOADER_ASSIGNED=%d", me);
  environ = own_vector;
  EXPECT(getenv("PATH") == NULL && atoi(getenv("LOADER_ASSIGNED")) == me);
  environ = before;
  EXPECT(getenv("PATH") != NULL);
  return NONE;
}
GET(assigned) {
  char** const before = environ;
  int is_own;
  environ = own_vector;
  is_own = getenv("LOADER_ASSIGNED") != NULL && atoi(getenv("LOADER_ASSIGNED")) == me;
  environ = before;
  EXPECT(is_own);
  return NONE;
}

/* What libc reads for the rank. */
SET(zone) {
  char text[40];
  EXPECT(setenv("TZ", text_of(text, "ABC-%d", me % 12), 1) == 0);
  tzset();
  return NONE;
}
GET(zone) {
  const time_t when = 1000000000;
  struct tm date, *const own = localtime(&when);
  EXPECT(own->tm_gmtoff == me % 12 * 3600 && timezone == -me % 12 * 3600 && is_text(tzname[0], "ABC"));
  EXPECT(localtime_r(&when, &date) == &date && date.tm_gmtoff == me % 12 * 3600 && mktime(&date) == when);
  return NONE;
}
SET(locale) {
  EXPECT(setenv("LC_ALL", me % 2 ? "C.UTF-8" : "C", 1) == 0);
  return NONE;
}
GET(locale) {
  EXPECT(is_text(setlocale(LC_ALL, ""), me % 2 ? "C.UTF-8" : "C") && MB_CUR_MAX == (me % 2 ? 6 : 1));
  setlocale(LC_ALL, "C");
  return NONE;
}
SET(commands) {
  char text[40];
  EXPECT(setenv("LOADER_STATUS", text_of(text, "%d", me % 100), 1) == 0);
  return NONE;
}
GET(commands) {
  char line[20] = "";
  const int status = system("exit $LOADER_STATUS");
  FILE* const output = popen("echo $LOADER_STATUS", "r");
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == me % 100);
  EXPECT(output != NULL && fgets(line, sizeof line, output) != NULL && pclose(output) == 0 && atoi(line) == me % 100);
  return NONE;
}

static const struct named_case cases[] = {
    CASE(setenv, PRIVATE), CASE(environ, PRIVATE),  CASE(putenv, PRIVATE),
    CASE(texts, PRIVATE),  CASE(unsetenv, PRIVATE), CASE(assigned, PRIVATE),
    CASE(zone, PRIVATE),   CASE(locale, PRIVATE),   CASE(commands, PRIVATE),
};

/* main's third argument is the vector, and so is that of constructors. */
static char** vector_of_constructor;
__attribute__((constructor)) static void begin(int argc, char** argv, char** vector) {
  (void)argc, (void)argv;
  vector_of_constructor = vector;
}

int main(int argc, char** argv, char** vector) {
  const int is_own = argc < 2 || strcmp(argv[1], "shared") != 0; /* else another rank may have set something */
  if (is_own && (vector != environ || vector_of_constructor != environ))
    printf("WRONG environment: main's or a constructor's\n");
  return RUN_CASES(argc, argv, cases);
}
