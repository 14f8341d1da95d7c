// What localtime, gmtime, asctime, ctime and getdate return (time_replacements.cpp), which libc does not guard; and the
// rank's time zone.
#pragma once

#include <ctime>
#include <optional>
#include <string>

namespace pure::core {

struct time_state {
  std::tm moment{};  // of localtime and gmtime, and ctime
  std::tm date{};    // of getdate
  char text[128];    // of asctime and ctime; numbers out of their range make it longer than 26

  bool has_zone = false;            // else no function has read it yet
  std::optional<std::string> zone;  // TZ as it was read last; nothing: there was none. With the lock of libc's zone
};

}  // namespace pure::core
