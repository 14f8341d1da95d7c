// Text that others have written, for people's terminals: what a terminal would obey is shown instead.
//
// A pure function; any thread may call it.
#pragma once

#include <string>
#include <string_view>

namespace pure::core {

/// The text with escapes in place of everything but line ends and printable UTF-8: control characters and bytes that
/// are no UTF-8 as \x1b, \t and \r by these names, characters that nobody sees or that turn the direction of writing as
/// \u{202e}.
std::string printable(std::string_view text);

}  // namespace pure::core
