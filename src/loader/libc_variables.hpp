// Variables of libc that a program may name, and that each rank has for itself: where those of the calling rank are. A
// program that names one has it in its own image, or it is one of the rank's hidden state; both ways it is the place
// that its code reads.
#pragma once

#include <cstdio>

namespace pure::core {

struct libc_variables {
  char** optarg;
  int* optind;
  int* opterr;
  int* optopt;
  int* signgam;
  int* getdate_err;
  FILE** input;   // stdin
  FILE** output;  // stdout
  FILE** errors;  // stderr
  // Copies of what libc has for the process, null where the program names none: to be kept equal to libc's.
  char*** environment;
  char** zone_names;  // tzname, an array of two
  long* zone_seconds;
  int* zone_daylight;
};

}  // namespace pure::core
