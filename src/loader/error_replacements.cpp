// err, error and their relatives for a rank's program: what they end by is the program's exit, with its own handlers.
// What they print is libc's.
#include <err.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/libc.hpp"
#include "loader/program_exit.hpp"

namespace pure::core {

namespace {

[[noreturn]] void rank_verr(int status, const char* format, va_list arguments) {
  vwarn(format, arguments);
  exit_program(status);
}

[[noreturn]] void rank_verrx(int status, const char* format, va_list arguments) {
  vwarnx(format, arguments);
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
  using print_function = void (*)(int, int, const char*, ...);
  reinterpret_cast<print_function>(libc::next_definition("error"))(0, number, "%s", text.c_str());
  if (status != 0) exit_program(status);
}

void rank_error_at_line(int status, int number, const char* file, unsigned line, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = text_of_error(format, arguments);
  va_end(arguments);
  using print_function = void (*)(int, int, const char*, unsigned, const char*, ...);
  reinterpret_cast<print_function>(libc::next_definition("error_at_line"))(0, number, file, line, "%s", text.c_str());
  if (status != 0) exit_program(status);
}

}  // namespace

std::span<const replacement> error_replacements() noexcept {
  static const replacement all[] = {
      replaced_by("err", rank_err),     replaced_by("errx", rank_errx),
      replaced_by("verr", rank_verr),   replaced_by("verrx", rank_verrx),
      replaced_by("error", rank_error), replaced_by("error_at_line", rank_error_at_line),
  };
  return all;
}

}  // namespace pure::core
