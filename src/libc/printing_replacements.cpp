// The functions that name no stream and use stdin, stdout or stderr: those of the calling rank, as its program's
// variables have them.
//
// Any thread.
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <cwchar>

#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"

// What programs call that are compiled with _FORTIFY_SOURCE, or for a later standard of C than C90.
extern "C" {
int __vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments);
int __vfwprintf_chk(FILE* stream, int flag, const wchar_t* format, va_list arguments);
int vfscanf_of_c90(FILE* stream, const char* format, va_list arguments) __asm__("vfscanf");
int __isoc99_vfscanf(FILE* stream, const char* format, va_list arguments);
int __isoc99_vfwscanf(FILE* stream, const wchar_t* format, va_list arguments);
}

namespace pure::core {

namespace {

FILE* input_here() noexcept { return *hidden_state_here().variables.input; }
FILE* output_here() noexcept { return *hidden_state_here().variables.output; }
FILE* errors_here() noexcept { return *hidden_state_here().variables.errors; }

int rank_vprintf(const char* format, va_list arguments) { return std::vfprintf(output_here(), format, arguments); }

int rank_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = rank_vprintf(format, arguments);
  va_end(arguments);
  return result;
}

int rank_vprintf_chk(int flag, const char* format, va_list arguments) {
  return __vfprintf_chk(output_here(), flag, format, arguments);
}

int rank_printf_chk(int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = rank_vprintf_chk(flag, format, arguments);
  va_end(arguments);
  return result;
}

int rank_vwprintf(const wchar_t* format, va_list arguments) { return std::vfwprintf(output_here(), format, arguments); }

int rank_wprintf(const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = rank_vwprintf(format, arguments);
  va_end(arguments);
  return result;
}

int rank_vwprintf_chk(int flag, const wchar_t* format, va_list arguments) {
  return __vfwprintf_chk(output_here(), flag, format, arguments);
}

int rank_wprintf_chk(int flag, const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = rank_vwprintf_chk(flag, format, arguments);
  va_end(arguments);
  return result;
}

/// With its end of line, as one.
int rank_puts(const char* text) {
  FILE* const output = output_here();
  flockfile(output);
  const bool is_done = fputs_unlocked(text, output) != EOF && putc_unlocked('\n', output) != EOF;
  funlockfile(output);
  return is_done ? 1 : EOF;
}

int rank_putchar(int character) { return std::putc(character, output_here()); }
int rank_putchar_unlocked(int character) { return putc_unlocked(character, output_here()); }
std::wint_t rank_putwchar(wchar_t character) { return std::putwc(character, output_here()); }
std::wint_t rank_putwchar_unlocked(wchar_t character) { return putwc_unlocked(character, output_here()); }

int rank_vscanf(const char* format, va_list arguments) { return __isoc99_vfscanf(input_here(), format, arguments); }

int rank_scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = rank_vscanf(format, arguments);
  va_end(arguments);
  return result;
}

int rank_vscanf_of_c90(const char* format, va_list arguments) {
  return vfscanf_of_c90(input_here(), format, arguments);
}

int rank_scanf_of_c90(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = rank_vscanf_of_c90(format, arguments);
  va_end(arguments);
  return result;
}

int rank_vwscanf(const wchar_t* format, va_list arguments) {
  return __isoc99_vfwscanf(input_here(), format, arguments);
}

int rank_wscanf(const wchar_t* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = rank_vwscanf(format, arguments);
  va_end(arguments);
  return result;
}

int rank_getchar() { return std::getc(input_here()); }
int rank_getchar_unlocked() { return getc_unlocked(input_here()); }
std::wint_t rank_getwchar() { return std::getwc(input_here()); }
std::wint_t rank_getwchar_unlocked() { return getwc_unlocked(input_here()); }

/// Which no header has any more.
char* rank_gets(char* line) {
  FILE* const input = input_here();
  std::size_t length = 0;
  int next = 0;
  while ((next = std::getc(input)) != EOF && next != '\n') line[length++] = static_cast<char>(next);
  line[length] = '\0';
  return (next == EOF && length == 0) || std::ferror(input) != 0 ? nullptr : line;
}

void rank_perror(const char* text) {
  const int error = errno;
  char message[256];
  const char* const said = strerror_r(error, message, sizeof(message));
  if (text != nullptr && *text != '\0') {
    std::fprintf(errors_here(), "%s: %s\n", text, said);
  } else {
    std::fprintf(errors_here(), "%s\n", said);
  }
}

}  // namespace

std::span<const replacement> printing_parts() noexcept {
  static const replacement table[] = {
      replaced_by("printf", rank_printf),
      replaced_by("vprintf", rank_vprintf),
      replaced_by("__printf_chk", rank_printf_chk),
      replaced_by("__vprintf_chk", rank_vprintf_chk),
      replaced_by("wprintf", rank_wprintf),
      replaced_by("vwprintf", rank_vwprintf),
      replaced_by("__wprintf_chk", rank_wprintf_chk),
      replaced_by("__vwprintf_chk", rank_vwprintf_chk),
      replaced_by("puts", rank_puts),
      replaced_by("putchar", rank_putchar),
      replaced_by("putchar_unlocked", rank_putchar_unlocked),
      replaced_by("putwchar", rank_putwchar),
      replaced_by("putwchar_unlocked", rank_putwchar_unlocked),
      replaced_by("__isoc99_scanf", rank_scanf),
      replaced_by("__isoc23_scanf", rank_scanf),
      replaced_by("scanf", rank_scanf_of_c90),
      replaced_by("__isoc99_vscanf", rank_vscanf),
      replaced_by("__isoc23_vscanf", rank_vscanf),
      replaced_by("vscanf", rank_vscanf_of_c90),
      replaced_by("__isoc99_wscanf", rank_wscanf),
      replaced_by("__isoc23_wscanf", rank_wscanf),
      replaced_by("wscanf", rank_wscanf),
      replaced_by("__isoc99_vwscanf", rank_vwscanf),
      replaced_by("__isoc23_vwscanf", rank_vwscanf),
      replaced_by("vwscanf", rank_vwscanf),
      replaced_by("getchar", rank_getchar),
      replaced_by("getchar_unlocked", rank_getchar_unlocked),
      replaced_by("getwchar", rank_getwchar),
      replaced_by("getwchar_unlocked", rank_getwchar_unlocked),
      replaced_by("gets", rank_gets),
      replaced_by("perror", rank_perror),
  };
  return table;
}

}  // namespace pure::core
