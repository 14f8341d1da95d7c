// Attributes that one rank attaches to objects of one kind: keys with their callbacks, and values by object (MPI 4.1,
// 7.7). Own thread of the rank only.
//
// A callback may call functions of pure.h, also on attributes of the same object, so nothing is held across it. Its
// result is the caller's to report; a value whose callback has failed stays.
#pragma once

#include <pure.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace pure::core {

template <class Object, class Copy, class Remove>
class attribute_table {
 public:
  static constexpr int first_key = 1024;  // below are those that objects have of themselves

  [[nodiscard]] int create_key(Copy* copy, Remove* remover, void* extra_state) {
    keys_.emplace(next_key_, key{copy, remover, extra_state});
    return next_key_++;
  }
  /// Whether it may be named: it is there, and has not been freed.
  [[nodiscard]] bool is_key(int name) const noexcept {
    const auto found = keys_.find(name);
    return found != keys_.end() && !found->second.is_freed;
  }
  void free_key(int name) {
    keys_.find(name)->second.is_freed = true;
    forget_unused(name);
  }

  /// Null if the object has none.
  [[nodiscard]] void* const* find(Object of, int name) const noexcept {
    const auto values = values_.find(of);
    if (values == values_.end()) return nullptr;
    const auto found = position(values->second, name);
    return found == values->second.end() ? nullptr : &found->second;
  }
  /// Returns what the callback for the value that was there has returned; only PURE_SUCCESS has had an effect.
  [[nodiscard]] int set(Object of, int name, void* value) {
    if (const int result = remove(of, name); result != PURE_SUCCESS) return result;
    values_[of].emplace_back(name, value);
    ++keys_.find(name)->second.uses;
    return PURE_SUCCESS;
  }
  /// The same for the value that is there; there may be none.
  [[nodiscard]] int remove(Object of, int name) {
    void* const* const there = find(of, name);
    if (there == nullptr) return PURE_SUCCESS;
    const key its = keys_.find(name)->second;
    const int result = its.remove == nullptr ? static_cast<int>(PURE_SUCCESS)
                                             : its.remove(of, name, *there, its.extra_state);
    if (result != PURE_SUCCESS || find(of, name) == nullptr) return result;  // the callback may have removed it, too
    auto& values = values_.find(of)->second;
    values.erase(position(values, name));
    if (values.empty()) values_.erase(of);
    --keys_.find(name)->second.uses;
    forget_unused(name);
    return PURE_SUCCESS;
  }
  /// All of an object that ends, the last one that was set first. `failed`: the key whose callback has failed.
  [[nodiscard]] int remove_all(Object of, int& failed) {
    for (auto values = values_.find(of); values != values_.end(); values = values_.find(of)) {
      failed = values->second.back().first;
      if (const int result = remove(of, failed); result != PURE_SUCCESS) return result;
    }
    return PURE_SUCCESS;
  }

 private:
  struct key {
    Copy* copy;
    Remove* remove;
    void* extra_state;
    std::size_t uses = 0;  // values
    bool is_freed = false;
  };
  using values_of_object = std::vector<std::pair<int, void*>>;  // in the order in which they were set

  template <class Values>
  static auto position(Values& in, int name) noexcept {
    return std::find_if(in.begin(), in.end(), [&](const auto& each) { return each.first == name; });
  }
  void forget_unused(int name) {
    const auto found = keys_.find(name);
    if (found->second.is_freed && found->second.uses == 0) keys_.erase(found);
  }

  std::map<int, key> keys_;
  std::map<Object, values_of_object> values_;
  int next_key_ = first_key;
};

}  // namespace pure::core
