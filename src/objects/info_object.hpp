// An info object: what a program says by keys and values (MPI 4.1, 10). Own thread of the rank only.
//
// Keys have an order that only changes when one is added or removed. A value's text stays where it is until its key is
// set again or removed.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace pure::core {

class info_object {
 public:
  using entry = std::pair<const std::string, std::string>;

  info_object() = default;
  info_object(std::initializer_list<entry> entries) : entries_(entries) {}

  void set(std::string_view key, std::string value) { entries_.insert_or_assign(std::string(key), std::move(value)); }
  /// Null: it has no such key.
  [[nodiscard]] const std::string* find(std::string_view key) const noexcept {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second;
  }
  /// False: it has no such key.
  bool remove(std::string_view key) {
    const auto found = entries_.find(key);
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
  std::map<std::string, std::string, std::less<>> entries_;
};

}  // namespace pure::core
