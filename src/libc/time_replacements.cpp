// localtime, gmtime, asctime, ctime and getdate with a result for each rank; and the time zone of each, as its TZ is,
// with its tzname, timezone and daylight.
//
// libc has one zone. Each function here brings that to the rank's, with libc's environment
// (libc/environment_state.hpp) lent to the rank, and thereby one at a time: as a process of one rank, it reads TZ
// anew where libc's would. Any thread; a rank's results are guarded no more than libc's.
#include "libc/time_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cwchar>
#include <optional>
#include <string>

#include "libc/environment_state.hpp"
#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

namespace pure::core {

namespace {

using zone_name = std::optional<std::string>;

/// libc's zone is that of this name, which is not what TZ says now; TZDIR is.
void set_zone(borrowed_environment& now, const zone_name& zone) {
  std::string name = "TZ=" + zone.value_or("");
  char** const folder = own_entry("TZDIR");
  char* others[] = {zone                ? name.data()
                    : folder == nullptr ? nullptr
                                        : *folder,
                    zone && folder ? *folder : nullptr, nullptr};
  char** const own = environ;
  now.lend(others);
  tzset();
  now.lend(own);
}

/// libc's, as they are when this is made.
struct zone_variables {
  const char* first = tzname[0];
  const char* second = tzname[1];
  long seconds = timezone;
  int is_summer_time_known = daylight;
  bool operator==(const zone_variables&) const = default;
};

void give_to_libc(const libc_variables& own) noexcept {
  std::copy_n(own.zone_names, 2, tzname);
  timezone = *own.zone_seconds;
  daylight = *own.zone_daylight;
}

void tell_rank(const libc_variables& own) noexcept {
  std::copy_n(tzname, 2, own.zone_names);
  *own.zone_seconds = timezone;
  *own.zone_daylight = daylight;
}

/// What call() returns in the rank's zone. `reads`: libc's function looks at TZ, as all do that come first.
template <class Call>
auto in_own_zone(bool reads, Call call) {
  borrowed_environment now;
  static zone_name of_libc;           // with that lock
  static zone_variables left_by_all;  // not as they are now: somebody else has called a function of libc
  hidden_state& rank = hidden_state_here();
  time_state& own = rank.time;
  const char* const text = own_variable("TZ");
  const zone_name wanted = text == nullptr ? zone_name() : zone_name(text);
  const bool is_new = !own.has_zone || (reads && own.zone != wanted);
  if (is_new) {
    set_zone(now, "NONE0");  // libc looks no closer at a zone that it has
    own.zone = wanted, own.has_zone = true;
    give_to_libc(rank.variables);
    tzset();
  } else {
    if (of_libc != own.zone || left_by_all != zone_variables()) set_zone(now, own.zone);
    give_to_libc(rank.variables);
  }
  const auto result = call();
  tell_rank(rank.variables);
  of_libc = own.zone, left_by_all = zone_variables();
  return result;
}

void rank_tzset() {
  in_own_zone(true, [] {
    tzset();
    return 0;
  });
}

/// localtime_r need not look at TZ again; localtime does.
std::tm* rank_localtime_r(const std::time_t* time, std::tm* result) {
  return in_own_zone(false, [&] { return localtime_r(time, result); });
}

std::tm* rank_localtime(const std::time_t* time) {
  return in_own_zone(true, [&] { return localtime_r(time, &hidden_state_here().time.moment); });
}

std::tm* rank_gmtime_r(const std::time_t* time, std::tm* result) {
  return in_own_zone(false, [&] { return gmtime_r(time, result); });
}

std::tm* rank_gmtime(const std::time_t* time) { return rank_gmtime_r(time, &hidden_state_here().time.moment); }

/// asctime_r's buffer ends at the year 9999, asctime's does not.
char* rank_asctime(const std::tm* date) {
  if (date == nullptr) {
    errno = EINVAL;
    return nullptr;
  }
  if (date->tm_year > INT_MAX - 1900) {
    errno = EOVERFLOW;
    return nullptr;
  }
  static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                           "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char(&text)[sizeof time_state::text] = hidden_state_here().time.text;
  std::snprintf(text, sizeof text, "%s %s%3d %.2d:%.2d:%.2d %d\n",
                date->tm_wday < 0 || date->tm_wday > 6 ? "???" : days[date->tm_wday],
                date->tm_mon < 0 || date->tm_mon > 11 ? "???" : months[date->tm_mon], date->tm_mday, date->tm_hour,
                date->tm_min, date->tm_sec, 1900 + date->tm_year);
  return text;
}

char* rank_ctime(const std::time_t* time) { return rank_asctime(rank_localtime(time)); }

char* rank_ctime_r(const std::time_t* time, char* text) {
  return in_own_zone(false, [&] { return ctime_r(time, text); });
}

std::time_t rank_mktime(std::tm* date) {
  return in_own_zone(true, [&] { return std::mktime(date); });
}

/// Whether libc's strftime looks at TZ: for %s, and for %Z (which %c and %+ may mean) if the date has no name of a
/// zone.
template <class Character>
bool reads_zone(const Character* format, const std::tm* date) noexcept {
  const auto is_flag = [](Character one) {
    return one == '_' || one == '-' || one == '^' || one == '#' || one == 'E' || one == 'O' ||
           (one >= '0' && one <= '9');
  };
  for (; *format != 0; ++format) {
    if (*format != '%') continue;
    do ++format;
    while (is_flag(*format));
    if (*format == 's') return true;
    const bool is_name = *format == 'Z' || *format == 'c' || *format == '+';
    if (is_name && (date->tm_zone == nullptr || *date->tm_zone == '\0')) return true;
    if (*format == 0) return false;
  }
  return false;
}

std::size_t rank_strftime(char* text, std::size_t size, const char* format, const std::tm* date) {
  return in_own_zone(reads_zone(format, date), [&] { return std::strftime(text, size, format, date); });
}

std::size_t rank_strftime_l(char* text, std::size_t size, const char* format, const std::tm* date, locale_t locale) {
  return in_own_zone(reads_zone(format, date), [&] { return strftime_l(text, size, format, date, locale); });
}

std::size_t rank_wcsftime(wchar_t* text, std::size_t size, const wchar_t* format, const std::tm* date) {
  return in_own_zone(reads_zone(format, date), [&] { return std::wcsftime(text, size, format, date); });
}

std::size_t rank_wcsftime_l(wchar_t* text, std::size_t size, const wchar_t* format, const std::tm* date,
                            locale_t locale) {
  return in_own_zone(reads_zone(format, date), [&] { return wcsftime_l(text, size, format, date, locale); });
}

char* rank_strptime(const char* text, const char* format, std::tm* date) {
  return in_own_zone(false, [&] { return strptime(text, format, date); });
}

int rank_getdate_r(const char* text, std::tm* date) {
  return in_own_zone(true, [&] { return getdate_r(text, date); });
}

std::tm* rank_getdate(const char* text) {
  hidden_state& rank = hidden_state_here();
  const int error = rank_getdate_r(text, &rank.time.date);
  if (error == 0) return &rank.time.date;
  *rank.variables.getdate_err = error;
  return nullptr;
}

}  // namespace

std::span<const replacement> time_replacements() noexcept {
  static const replacement table[] = {
      replaced_by("tzset", rank_tzset),
      replaced_by("localtime", rank_localtime),
      replaced_by("localtime_r", rank_localtime_r),
      replaced_by("gmtime", rank_gmtime),
      replaced_by("gmtime_r", rank_gmtime_r),
      replaced_by("asctime", rank_asctime),
      replaced_by("ctime", rank_ctime),
      replaced_by("ctime_r", rank_ctime_r),
      replaced_by("mktime", rank_mktime),
      replaced_by("timelocal", rank_mktime),
      replaced_by("strftime", rank_strftime),
      replaced_by("strftime_l", rank_strftime_l),
      replaced_by("__strftime_l", rank_strftime_l),
      replaced_by("wcsftime", rank_wcsftime),
      replaced_by("wcsftime_l", rank_wcsftime_l),
      replaced_by("__wcsftime_l", rank_wcsftime_l),
      replaced_by("strptime", rank_strptime),
      replaced_by("getdate", rank_getdate),
      replaced_by("getdate_r", rank_getdate_r),
  };
  return table;
}

}  // namespace pure::core
