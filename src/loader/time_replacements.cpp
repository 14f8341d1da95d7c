// localtime, gmtime, asctime, ctime and getdate with a result for each rank; and a rank's copies of tzname, timezone
// and daylight, wherever a function of libc may have set its own. The zone itself is the process's, as TZ is.
//
// Any thread; a rank's results are guarded no more than libc's. One call at a time that may set the zone, so that a
// rank sees what its own call has set.
#include "loader/time_state.hpp"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cwchar>
#include <mutex>

#include "loader/hidden_state.hpp"
#include "loader/replacements.hpp"

namespace pure::core {

namespace {

/// What call() returns; afterwards the rank's copies are as libc's variables.
template <class Call>
auto with_zone_told(Call call) {
  const libc_variables& copies = hidden_state_here().variables;
  if (copies.zone_names == nullptr && copies.zone_seconds == nullptr && copies.zone_daylight == nullptr) return call();
  static std::mutex one_at_a_time;
  const std::scoped_lock held(one_at_a_time);
  const auto result = call();
  if (copies.zone_names != nullptr) {
    copies.zone_names[0] = tzname[0];
    copies.zone_names[1] = tzname[1];
  }
  if (copies.zone_seconds != nullptr) *copies.zone_seconds = timezone;
  if (copies.zone_daylight != nullptr) *copies.zone_daylight = daylight;
  return result;
}

void rank_tzset() {
  with_zone_told([] {
    tzset();
    return 0;
  });
}

std::tm* rank_localtime_r(const std::time_t* time, std::tm* result) {
  return with_zone_told([&] { return localtime_r(time, result); });
}

/// localtime_r need not look at TZ again; localtime does.
std::tm* rank_localtime(const std::time_t* time) {
  return with_zone_told([&] {
    tzset();
    return localtime_r(time, &hidden_state_here().time.moment);
  });
}

std::tm* rank_gmtime_r(const std::time_t* time, std::tm* result) {
  return with_zone_told([&] { return gmtime_r(time, result); });
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
  return with_zone_told([&] { return ctime_r(time, text); });
}

std::time_t rank_mktime(std::tm* date) {
  return with_zone_told([&] { return std::mktime(date); });
}

std::size_t rank_strftime(char* text, std::size_t size, const char* format, const std::tm* date) {
  return with_zone_told([&] { return std::strftime(text, size, format, date); });
}

std::size_t rank_strftime_l(char* text, std::size_t size, const char* format, const std::tm* date, locale_t locale) {
  return with_zone_told([&] { return strftime_l(text, size, format, date, locale); });
}

std::size_t rank_wcsftime(wchar_t* text, std::size_t size, const wchar_t* format, const std::tm* date) {
  return with_zone_told([&] { return std::wcsftime(text, size, format, date); });
}

std::size_t rank_wcsftime_l(wchar_t* text, std::size_t size, const wchar_t* format, const std::tm* date,
                            locale_t locale) {
  return with_zone_told([&] { return wcsftime_l(text, size, format, date, locale); });
}

char* rank_strptime(const char* text, const char* format, std::tm* date) {
  return with_zone_told([&] { return strptime(text, format, date); });
}

int rank_getdate_r(const char* text, std::tm* date) {
  return with_zone_told([&] { return getdate_r(text, date); });
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
