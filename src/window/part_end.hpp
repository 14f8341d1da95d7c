// Why a part of a window's memory is no longer there.
#pragma once

#include <cstdint>

namespace pure::core {

/// A part of memory that is the program's ends before the window does when its rank gives the window up, or its main
/// has ended: then nobody knows whether the memory is still there.
enum class part_end : std::uint8_t { none, given_up, main_ended };

}  // namespace pure::core
