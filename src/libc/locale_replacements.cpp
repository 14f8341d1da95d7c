// setlocale and localeconv for each rank: libc has one locale for the process, and any locale for a thread (uselocale).
// A thread of a rank uses the rank's, and where the program says LC_GLOBAL_LOCALE it means that one. All of libc goes
// by the locale of the calling thread.
//
// setlocale: one thread of a rank at a time, while no other of its threads uses the locale, as in libc. Threads that
// are there already see the change as in libc, but for the classes of characters (isalpha, ...), which glibc looks up
// once for each thread.
#include "libc/locale_state.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

namespace pure::core {

namespace {

constexpr std::string_view category_names[] = {
    "LC_CTYPE", "LC_NUMERIC", "LC_TIME",    "LC_COLLATE",   "LC_MONETARY",    "LC_MESSAGES",      "LC_ALL",
    "LC_PAPER", "LC_NAME",    "LC_ADDRESS", "LC_TELEPHONE", "LC_MEASUREMENT", "LC_IDENTIFICATION"};
constexpr int categories = std::size(category_names);

/// As setlocale(LC_ALL, nullptr) tells it.
std::string name_of_all(const __locale_struct& locale) {
  std::string all;
  bool is_one = true;
  for (int category = 0; category < categories; ++category) {
    if (category == LC_ALL) continue;
    const char* const name = locale.__names[category];
    is_one = is_one && std::string_view(name) == locale.__names[0];
    all.append(all.empty() ? "" : ";").append(category_names[category]).append("=").append(name);
  }
  return is_one ? locale.__names[0] : all;
}

/// "" is what the rank's environment says.
locale_t newlocale_of_rank(int categories_to_change, const char* name, locale_t base) noexcept {
  const borrowed_environment now;
  return newlocale(categories_to_change, name, base);
}

/// The rank's locale with that category changed; null: there is none of that name.
locale_state::known_locale* changed_locale(locale_state& state, int category, const char* name) {
  if (category != LC_ALL && std::strchr(name, ';') != nullptr) return nullptr;  // newlocale would take its part of it
  const bool is_all = category == LC_ALL;
  const locale_t base = is_all ? nullptr : duplocale(&state.global);
  if (base == nullptr && !is_all) return nullptr;
  const locale_t made = newlocale_of_rank(is_all ? LC_ALL_MASK : 1 << category, name, base);
  if (made == nullptr) {
    if (base != nullptr) freelocale(base);
    return nullptr;
  }
  std::string all = name_of_all(*made);
  for (locale_state::known_locale& one : state.known) {
    if (one.name != all) continue;
    freelocale(made);
    return &one;
  }
  state.known.push_front({std::move(all), made});
  return &state.known.front();
}

const char* name_of(const locale_state& state, int category) noexcept {
  return category == LC_ALL ? state.name : state.global.__names[category];
}

char* rank_setlocale(int category, const char* name) noexcept {
  if (category < 0 || category >= categories) {
    errno = EINVAL;
    return nullptr;
  }
  locale_state& state = hidden_state_here().locale;
  const std::scoped_lock held(state.lock);
  if (name != nullptr && std::string_view(name) != name_of(state, category)) {
    const locale_state::known_locale* const changed = changed_locale(state, category, name);
    if (changed == nullptr) return nullptr;
    state.global = *changed->locale;
    state.name = changed->name.c_str();
    const locale_t of_thread = uselocale(nullptr);
    if (of_thread == &state.global || of_thread == LC_GLOBAL_LOCALE) uselocale(&state.global);  // with its classes
  }
  return const_cast<char*>(name_of(state, category));
}

/// libc's result is in a place that all threads share.
lconv* rank_localeconv() {
  static std::mutex one_at_a_time;
  const std::scoped_lock held(one_at_a_time);
  lconv& conventions = hidden_state_here().locale.conventions;
  conventions = *localeconv();
  return &conventions;
}

locale_t rank_uselocale(locale_t locale) {
  locale_state& state = hidden_state_here().locale;
  const locale_t before = uselocale(locale == LC_GLOBAL_LOCALE ? &state.global : locale);
  return before == &state.global ? LC_GLOBAL_LOCALE : before;
}

locale_t rank_duplocale(locale_t locale) {
  return duplocale(locale == LC_GLOBAL_LOCALE ? &hidden_state_here().locale.global : locale);
}

}  // namespace

locale_state::locale_state() noexcept : global(*newlocale(LC_ALL_MASK, "C", nullptr)) {}  // libc's own: never fails

void adopt_locale_of_rank() noexcept { uselocale(&hidden_state_here().locale.global); }

std::span<const replacement> locale_replacements() noexcept {
  static const replacement table[] = {
      replaced_by("setlocale", rank_setlocale), replaced_by("localeconv", rank_localeconv),
      replaced_by("uselocale", rank_uselocale), replaced_by("__uselocale", rank_uselocale),
      replaced_by("duplocale", rank_duplocale), replaced_by("__duplocale", rank_duplocale),
  };
  return table;
}

}  // namespace pure::core
