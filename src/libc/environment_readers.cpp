// Functions of libc that read the environment, for a rank: they read the rank's. (Those that start a program have
// child_replacements.cpp and program_starts.cpp.)
//
// Any thread. One of them at a time in the process, with those of time_replacements.cpp: libc looks for the environment
// in one place (libc/environment_state.hpp).
#include <libintl.h>
#include <locale.h>
#include <netdb.h>
#include <nl_types.h>
#include <regex.h>
#include <unistd.h>
#include <wordexp.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "base/libc.hpp"
#include "libc/environment_state.hpp"
#include "libc/replacement_parts.hpp"

extern "C" int _nl_msg_cat_cntr;  // what gettext has kept under another number counts for nothing
extern "C" char* strerror_r_of_posix(int error, char* text, size_t size) __asm__("__xpg_strerror_r");

namespace pure::core {

namespace {

/// By its name: a linker warns of each use of tempnam, and this is the program's.
char* tempnam_of_libc(const char* folder, const char* beginning) {
  using function = char* (*)(const char*, const char*);
  static const auto found = reinterpret_cast<function>(libc::next_definition("tempnam"));
  return found(folder, beginning);
}

/// libc keeps the translations that it has found, whatever LANGUAGE was. With libc's environment lent to the rank.
void forget_other_languages() {
  static std::string language_of_kept;
  const char* const language = own_variable("LANGUAGE");
  if (language_of_kept == (language == nullptr ? "" : language)) return;
  language_of_kept = language == nullptr ? "" : language;
  ++_nl_msg_cat_cntr;
}

/// Calls a function of that type in the rank's environment.
template <class Result, class... Arguments>
struct environment_call {
  template <Result (*Function)(Arguments...)>
  static Result run(Arguments... arguments) {
    const borrowed_environment now;
    forget_other_languages();
    return Function(arguments...);
  }
};
template <class Result, class... Arguments>
environment_call<Result, Arguments...> call_of(Result (*function)(Arguments...));

template <auto Function>
replacement reads_environment(std::string_view name) noexcept {
  return replaced_by(name, decltype(call_of(Function))::template run<Function>);
}

}  // namespace

std::span<const replacement> environment_readers() noexcept {
  static const replacement table[] = {
      // LC_ALL, LC_CTYPE, ..., LANG, LOCPATH; setlocale calls it, too.
      reads_environment<newlocale>("newlocale"), reads_environment<newlocale>("__newlocale"),
      // LANGUAGE, OUTPUT_CHARSET.
      reads_environment<static_cast<char* (*)(const char*)>(gettext)>("gettext"),
      reads_environment<dgettext>("dgettext"), reads_environment<dgettext>("__dgettext"),
      reads_environment<dcgettext>("dcgettext"), reads_environment<dcgettext>("__dcgettext"),
      reads_environment<ngettext>("ngettext"), reads_environment<dngettext>("dngettext"),
      reads_environment<dcngettext>("dcngettext"),
      reads_environment<static_cast<char* (*)(int)>(std::strerror)>("strerror"),
      reads_environment<static_cast<char* (*)(int, char*, size_t)>(strerror_r)>("strerror_r"),
      reads_environment<strerror_r_of_posix>("__xpg_strerror_r"), reads_environment<strerror_l>("strerror_l"),
      reads_environment<strsignal>("strsignal"), reads_environment<gai_strerror>("gai_strerror"),
      reads_environment<hstrerror>("hstrerror"), reads_environment<regerror>("regerror"),
      reads_environment<catopen>("catopen"),                            // LANG, NLSPATH
      reads_environment<get_current_dir_name>("get_current_dir_name"),  // PWD
      reads_environment<tempnam_of_libc>("tempnam"),                    // TMPDIR
      reads_environment<wordexp>("wordexp"),                            // all; and it may set one
  };
  return table;
}

}  // namespace pure::core
