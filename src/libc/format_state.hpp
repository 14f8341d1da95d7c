// Conversions and types that a rank has added to the formats of printf (format_replacements.cpp).
#pragma once

#include <printf.h>

#include <array>
#include <atomic>

namespace pure::core {

struct format_state {
  struct conversion {
    std::atomic<printf_function*> print = nullptr;
    std::atomic<printf_arginfo_size_function*> arguments = nullptr;
  };
  std::array<conversion, 256> conversions{};  // by the character that asks for it

  // In the order in which the rank has registered them.
  static constexpr int most_types = 16;
  std::array<std::atomic<printf_va_arg_function*>, most_types> types{};
  std::atomic<int> type_count = 0;
};

}  // namespace pure::core
