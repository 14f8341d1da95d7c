// printf-like text as a std::string.
#pragma once

#include <string>

namespace md {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...);

}  // namespace md
