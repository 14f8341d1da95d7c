// A rank's locale (locale_replacements.cpp): what setlocale sets, for all threads of the rank, and localeconv tells.
#pragma once

#include <locale.h>

#include <forward_list>
#include <mutex>
#include <string>

namespace pure::core {

struct locale_state {
  /// "C", as in every process at first.
  locale_state() noexcept;
  locale_state(const locale_state&) = delete;
  locale_state& operator=(const locale_state&) = delete;

  // In the place of libc's global locale: what all threads of the rank use but those that have called uselocale. Its
  // parts are those of a locale that is in `known`, or of libc's "C". Changed without a lock that readers would take,
  // as libc's is.
  __locale_struct global;
  const char* name = "C";  // of all categories

  struct known_locale {
    std::string name;
    locale_t locale;
  };
  std::mutex lock;  // of setlocale, as libc has one
  std::forward_list<known_locale>
      known;  // never freed: the program has pointers into them, and sets the same ones again

  lconv conventions{};  // of localeconv
};

/// The calling thread uses the locale of its rank, from now on.
void adopt_locale_of_rank() noexcept;

}  // namespace pure::core
