// Text that others have written, for people's terminals: what a terminal would obey is shown instead.
//
// Pure functions; any thread may call them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pure::core {

/// The text with escapes in place of everything but line ends and printable UTF-8: control characters and bytes that
/// are no UTF-8 as \x1b, \t and \r by these names, characters that nobody sees or that turn the direction of writing as
/// \u{202e}.
std::string printable(std::string_view text);

/// The same for a name or value that stands in a line of ours: line ends, too, are escapes (\n).
std::string printable_word(std::string_view text);

/// The same text in pieces, without memory: also for signal handlers.
class printable_pieces {
 public:
  enum class line_ends { kept, escaped };

  explicit printable_pieces(std::string_view text, line_ends lines = line_ends::kept) noexcept
      : left_(text), lines_(lines) {}

  /// The next one: as much as can stay as it is, or one escape, which is valid until the next call. Empty: no more.
  std::string_view next() noexcept;

 private:
  std::string_view escaped(std::string_view before, std::uint32_t number, int digits, std::string_view after) noexcept;

  std::string_view left_;
  const line_ends lines_;
  std::array<char, 12> escape_;
};

}  // namespace pure::core
