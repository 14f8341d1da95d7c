// Numbers and texts in a row of bytes, for another process that runs the same program. Not for messages of ranks.
//
// A reader that comes to the end too early gives zeros and empty texts, and says so afterwards. One thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

namespace pure::core {

class byte_packer {
 public:
  template <class Number>
  byte_packer& add(Number number) requires std::is_arithmetic_v<Number> || std::is_enum_v<Number> {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  byte_packer& add(std::string_view text) {
    add(static_cast<std::uint32_t>(text.size()));
    bytes_.append(text);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

class byte_unpacker {
 public:
  explicit byte_unpacker(std::string_view bytes) noexcept : left_(bytes) {}

  template <class Number>
  Number number() noexcept {
    Number read{};
    if (has(sizeof read)) {
      std::memcpy(&read, left_.data(), sizeof read);
      left_.remove_prefix(sizeof read);
    }
    return read;
  }
  /// Valid as long as the bytes.
  std::string_view text() noexcept {
    const auto length = number<std::uint32_t>();
    if (!has(length)) return {};
    const std::string_view read = left_.substr(0, length);
    left_.remove_prefix(length);
    return read;
  }
  /// Of a list whose elements take at least a byte each.
  std::uint32_t count() noexcept {
    const auto read = number<std::uint32_t>();
    return has(read) ? read : 0;
  }
  /// Nothing was missing so far.
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }

 private:
  [[nodiscard]] bool has(std::size_t bytes) noexcept {
    is_whole_ = is_whole_ && bytes <= left_.size();
    return is_whole_;
  }

  std::string_view left_;
  bool is_whole_ = true;
};

/// Texts that outlive the bytes they came in, each once: those of a program's call sites.
class kept_texts {
 public:
  const char* keep(std::string_view text) { return all_.emplace(text).first->c_str(); }

 private:
  std::set<std::string, std::less<>> all_;
};

}  // namespace pure::core
