// err and error, which print a message and end the process: with libc's own exit, which no program can stand in front
// of, and whose destructors would run beside other ranks before anybody could hear of it. Here they call exit(), as a
// program would that prints by itself (exit.cpp). Any thread.
#include <err.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <pure/export.hpp>

#include "base/libc.hpp"
#include "base/second_name.hpp"

namespace {

std::string text_of(const char* format, va_list arguments) {
  char* made = nullptr;
  if (vasprintf(&made, format, arguments) < 0) return format;
  std::string text = made;
  std::free(made);
  return text;
}

}  // namespace

extern "C" {

// [[noreturn]] by libc's declarations.

PURE_API void verr(int status, const char* format, va_list arguments) {
  vwarn(format, arguments);
  std::exit(status);
}

PURE_API void verrx(int status, const char* format, va_list arguments) {
  vwarnx(format, arguments);
  std::exit(status);
}

PURE_API void err(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  verr(status, format, arguments);
}

PURE_API void errx(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  verrx(status, format, arguments);
}

/// error(), which <error.h> makes an inline function.
PURE_API void pure_error(int status, int number, const char* format, ...) __asm__("error");
void pure_error(int status, int number, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const std::string text = text_of(format, arguments);
  va_end(arguments);
  using print_function = void (*)(int, int, const char*, ...);
  reinterpret_cast<print_function>(pure::core::libc::next_definition("error"))(0, number, "%s", text.c_str());
  if (status != 0) std::exit(status);
}

}  // extern "C"

PURE_LIBC_NAME(err);
PURE_LIBC_NAME(errx);
PURE_LIBC_NAME(error);
PURE_LIBC_NAME(verr);
PURE_LIBC_NAME(verrx);
