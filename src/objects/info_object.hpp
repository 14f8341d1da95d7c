// An info object: what a program says by keys and values (MPI 4.1, 10). Own thread of the rank only.
//
// Keys are in the order in which they were set first. A value's text stays where it is until its key is set again or
// removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <list>
#include <string>
#include <string_view>
#include <utility>

namespace pure::core {

class info_object {
 public:
  using entry = std::pair<const std::string, std::string>;

 private:
  template <class Entries>
  static auto place_of(Entries& all, std::string_view key) noexcept {
    return std::find_if(all.begin(), all.end(), [&](const entry& each) { return each.first == key; });
  }

 public:
  info_object() = default;
  info_object(std::initializer_list<entry> entries) : entries_(entries) {}
  info_object(const info_object&) = default;
  info_object(info_object&&) noexcept = default;
  info_object& operator=(info_object other) noexcept {  // keys are constant: lists are exchanged, not assigned
    entries_.swap(other.entries_);
    return *this;
  }
  ~info_object() = default;

  void set(std::string_view key, std::string value) {
    const auto found = place_of(entries_, key);
    if (found == entries_.end()) {
      entries_.emplace_back(std::string(key), std::move(value));
    } else {
      found->second = std::move(value);
    }
  }
  /// Null: it has no such key.
  [[nodiscard]] const std::string* find(std::string_view key) const noexcept {
    const auto found = place_of(entries_, key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  /// False: it has no such key.
  bool remove(std::string_view key) {
    const auto found = place_of(entries_, key);
    if (found == entries_.end()) return false;
    entries_.erase(found);
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }
  /// The key in place n, from 0 to size() - 1.
  [[nodiscard]] const std::string& key(std::size_t n) const noexcept {
    return std::next(entries_.begin(), static_cast<std::ptrdiff_t>(n))->first;
  }
  [[nodiscard]] auto begin() const noexcept { return entries_.begin(); }
  [[nodiscard]] auto end() const noexcept { return entries_.end(); }

 private:
  std::list<entry> entries_;
};

}  // namespace pure::core
