// The characters of a large file, for a parser that takes iterators: read block by block, and counted.
//
// A type of our own has a second purpose. nlohmann-json's parser is a template of its input, and the linker keeps one
// copy of each instance: with std::istream, that of a file compiled without optimization, which takes more than twice
// as long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <iterator>
#include <vector>

namespace pure::tool {

class char_source {
 public:
  explicit char_source(std::istream& file) : file_(file), block_(std::size_t{1} << 18U) {}

  /// True if there is no further character.
  [[nodiscard]] bool at_end() { return next_ == filled_ && !refill(); }
  /// Only if at_end() has been asked.
  [[nodiscard]] char current() const { return block_[next_]; }
  void advance() { ++next_; }

  /// True if a character behind the last one was asked for.
  [[nodiscard]] bool was_exhausted() const noexcept { return exhausted_; }
  /// How many have been read.
  [[nodiscard]] std::uint64_t position() const noexcept { return before_block_ + next_; }

 private:
  bool refill() {
    before_block_ += filled_;
    next_ = 0;
    file_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
    filled_ = static_cast<std::size_t>(file_.gcount());
    exhausted_ = filled_ == 0;
    return !exhausted_;
  }

  std::istream& file_;
  std::vector<char> block_;
  std::size_t next_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t before_block_ = 0;
  bool exhausted_ = false;
};

/// All copies move together, as those of std::istreambuf_iterator do. Without a source, it is the end.
class char_iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  char_iterator() = default;
  explicit char_iterator(char_source& source) : source_(&source) {}

  char operator*() const { return source_->current(); }
  char_iterator& operator++() {
    source_->advance();
    return *this;
  }
  char_iterator operator++(int) {
    const char_iterator before = *this;
    source_->advance();
    return before;
  }
  friend bool operator==(const char_iterator& a, const char_iterator& b) { return a.is_end() == b.is_end(); }

 private:
  [[nodiscard]] bool is_end() const { return source_ == nullptr || source_->at_end(); }

  char_source* source_ = nullptr;
};

}  // namespace pure::tool
