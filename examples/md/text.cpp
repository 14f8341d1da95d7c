// vsnprintf twice: for the length and for the text.
#include "text.hpp"

#include <cstdarg>
#include <cstdio>

namespace md {

std::string text(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  std::string result(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  std::vsnprintf(result.data(), result.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  return result;
}

}  // namespace md
