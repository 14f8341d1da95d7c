#include "base/printable_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

namespace pure::core {
namespace {

struct character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0: no UTF-8
};

// The first character. Overlong forms, surrogates and what is beyond Unicode are no UTF-8 (RFC 3629).
character first_of(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  if (code < smallest[bytes] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

struct range {
  std::uint32_t first, last;
};
// Beside the ASCII controls: C1 controls, which terminals obey as well; soft hyphen; marks of zero width and of the
// direction of writing; line separators; the byte order mark; interlinear marks; private use; tags.
constexpr std::array<range, 10> hidden{range{0x80, 0x9f}, {0xad, 0xad},       {0x61c, 0x61c},   {0x200b, 0x200f},
                                       {0x2028, 0x202e},  {0x2060, 0x206f},   {0xe000, 0xf8ff}, {0xfeff, 0xfeff},
                                       {0xfff0, 0xfffb},  {0xe0000, 0x10ffff}};

bool is_hidden(std::uint32_t code) noexcept {
  if ((code & 0xfffe) == 0xfffe) return true;  // no characters
  return std::any_of(hidden.begin(), hidden.end(),
                     [code](const range& each) { return code >= each.first && code <= each.last; });
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const character next = first_of(text);
    const std::size_t bytes = std::max<std::size_t>(next.bytes, 1);
    if (next.bytes == 0 || next.code < 0x20 || next.code == 0x7f) {
      switch (text.front()) {
        case '\n': result += '\n'; break;
        case '\t': result += "\\t"; break;
        case '\r': result += "\\r"; break;
        default: result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
      }
    } else if (is_hidden(next.code)) {
      result += fmt::format("\\u{{{:x}}}", next.code);
    } else {
      result += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace pure::core
