// warn, err, error and their relatives for a rank's program: what they end by is the program's exit, with its own
// handlers. What they print is libc's text, on the rank's stderr; error flushes the rank's stdout first, as libc's
// flushes the process's.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/libc.hpp"
#include "libc/hidden_state.hpp"
#include "libc/program_of_rank.hpp"
#include "libc/replacements.hpp"

namespace pure::core {

namespace {

FILE* rank_errors() noexcept { return *hidden_state_here().variables.errors; }

void rank_vwarnx(const char* format, va_list arguments) {
  FILE* const errors = rank_errors();
  std::fprintf(errors, "%s: ", program_invocation_short_name);
  if (format != nullptr) std::vfprintf(errors, format, arguments);
  std::fprintf(errors, "\n");
}

void rank_vwarn(const char* format, va_list arguments) {
  const int error = errno;
  FILE* const errors = rank_errors();
  char text[256];
  std::fprintf(errors, "%s: ", program_invocation_short_name);
  if (format != nullptr) {
    std::vfprintf(errors, format, arguments);
    std::fprintf(errors, ": ");
  }
  std::fprintf(errors, "%s\n", strerror_r(error, text, sizeof text));
}

void rank_warn(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rank_vwarn(format, arguments);
  va_end(arguments);
}

void rank_warnx(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rank_vwarnx(format, arguments);
  va_end(arguments);
}

[[noreturn]] void rank_verr(int status, const char* format, va_list arguments) {
  rank_vwarn(format, arguments);
  exit_program(status);
}

[[noreturn]] void rank_verrx(int status, const char* format, va_list arguments) {
  rank_vwarnx(format, arguments);
  exit_program(status);
}

[[noreturn]] void rank_err(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rank_verr(status, format, arguments);
}

[[noreturn]] void rank_errx(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rank_verrx(status, format, arguments);
}

std::string text_of_error(const char* format, va_list arguments) {
  char* made = nullptr;
  if (vasprintf(&made, format, arguments) < 0) return format;
  std::string text = made;
  std::free(made);
  return text;
}

void rank_error(int status, int number, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = text_of_error(format, arguments);
  va_end(arguments);
  std::fflush(*hidden_state_here().variables.output);
  using print_function = void (*)(int, int, const char*, ...);
  reinterpret_cast<print_function>(libc::next_definition("error"))(0, number, "%s", text.c_str());
  if (status != 0) exit_program(status);
}

void rank_error_at_line(int status, int number, const char* file, unsigned line, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = text_of_error(format, arguments);
  va_end(arguments);
  std::fflush(*hidden_state_here().variables.output);
  using print_function = void (*)(int, int, const char*, unsigned, const char*, ...);
  reinterpret_cast<print_function>(libc::next_definition("error_at_line"))(0, number, file, line, "%s", text.c_str());
  if (status != 0) exit_program(status);
}

}  // namespace

std::span<const replacement> error_replacements() noexcept {
  static const replacement all[] = {
      replaced_by("warn", rank_warn),   replaced_by("warnx", rank_warnx),
      replaced_by("vwarn", rank_vwarn), replaced_by("vwarnx", rank_vwarnx),
      replaced_by("err", rank_err),     replaced_by("errx", rank_errx),
      replaced_by("verr", rank_verr),   replaced_by("verrx", rank_verrx),
      replaced_by("error", rank_error), replaced_by("error_at_line", rank_error_at_line),
  };
  return all;
}

}  // namespace pure::core
