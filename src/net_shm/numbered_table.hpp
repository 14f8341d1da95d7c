// Objects by number, where others name them: a number is used again when its object has gone. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace pure::net_shm {

template <class Object>
class numbered_table {
 public:
  std::uint32_t add(Object what) {
    if (free_.empty()) {
      all_.emplace_back(std::move(what));
      return static_cast<std::uint32_t>(all_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    all_[number].emplace(std::move(what));
    return number;
  }
  /// Null if there is no object of that number: whoever has told it is wrong.
  [[nodiscard]] Object* find(std::uint32_t number) noexcept {
    return number < all_.size() && all_[number].has_value() ? &*all_[number] : nullptr;
  }
  Object& operator[](std::uint32_t number) noexcept { return *all_[number]; }
  void remove(std::uint32_t number) {
    free_.push_back(number);
    all_[number].reset();
  }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size() - free_.size(); }

 private:
  std::vector<std::optional<Object>> all_;
  std::vector<std::uint32_t> free_;
};

}  // namespace pure::net_shm
