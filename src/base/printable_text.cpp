#include "base/printable_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

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

std::string_view printable_pieces::escaped(std::string_view before, std::uint32_t number, int digits,
                                           std::string_view after) noexcept {
  std::size_t length = before.copy(escape_.data(), before.size());
  for (int digit = digits - 1; digit >= 0; --digit) escape_[length++] = "0123456789abcdef"[number >> (4 * digit) & 0xf];
  length += after.copy(escape_.data() + length, after.size());
  return {escape_.data(), length};
}

std::string_view printable_pieces::next() noexcept {
  std::size_t plain = 0;
  while (plain < left_.size()) {
    const character next = first_of(left_.substr(plain));
    const bool is_control = next.bytes == 0 || next.code < 0x20 || next.code == 0x7f;
    const bool is_line_end = next.bytes != 0 && next.code == '\n' && lines_ == line_ends::kept;
    if (!is_line_end && (is_control || is_hidden(next.code))) {
      if (plain > 0) break;  // what comes before it, first
      const auto byte = static_cast<unsigned char>(left_.front());
      left_.remove_prefix(std::max<std::size_t>(next.bytes, 1));
      if (!is_control) {
        int digits = 1;
        while (next.code >> (4 * digits) != 0) ++digits;
        return escaped("\\u{", next.code, digits, "}");
      }
      switch (byte) {
        case '\n': return "\\n";
        case '\t': return "\\t";
        case '\r': return "\\r";
        default: return escaped("\\x", byte, 2, "");
      }
    }
    plain += next.bytes;
  }
  const std::string_view piece = left_.substr(0, plain);
  left_.remove_prefix(plain);
  return piece;
}

namespace {

std::string all_pieces(printable_pieces pieces, std::size_t about) {
  std::string result;
  result.reserve(about);
  for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) result += piece;
  return result;
}

}  // namespace

std::string printable(std::string_view text) {
  return all_pieces(printable_pieces(text, printable_pieces::line_ends::kept), text.size());
}

std::string printable_word(std::string_view text) {
  return all_pieces(printable_pieces(text, printable_pieces::line_ends::escaped), text.size());
}

}  // namespace pure::core
