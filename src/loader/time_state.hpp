// What localtime, gmtime, asctime, ctime and getdate return (time_replacements.cpp). libc guards none of them.
#pragma once

#include <ctime>

namespace pure::core {

struct time_state {
  std::tm moment{};  // of localtime and gmtime, and ctime
  std::tm date{};    // of getdate
  char text[128];    // of asctime and ctime; numbers out of their range make it longer than 26
};

}  // namespace pure::core
