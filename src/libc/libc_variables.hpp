// Variables of libc that a program may name, and that each rank has for itself: where those of the calling rank are. A
// program that names one has it in its own image, or it is one of the rank's hidden state; both ways it is the place
// that its code reads.
#pragma once

#include <cstdio>
#include <string_view>

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
  char*** environment;
  char** zone_names;  // tzname, an array of two
  long* zone_seconds;
  int* zone_daylight;
};

/// A variable of libc that each rank has for itself: its first name (signgam for __signgam, environ for _environ);
/// empty: it is none.
std::string_view rank_variable(std::string_view name) noexcept;

/// The address of a rank's variable, by its first name.
void* address_of(const libc_variables& variables, std::string_view name) noexcept;

/// Such a variable is in the program's image from now on.
void point_to(libc_variables& variables, std::string_view name, void* place) noexcept;

}  // namespace pure::core
