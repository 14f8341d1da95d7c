#include "objects/attribute_table.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace pure::core {

namespace {

template <class Values>
auto position_of_key(Values& in, int name) noexcept {
  return std::find_if(in.begin(), in.end(), [&](const auto& each) { return each.first == name; });
}

}  // namespace

int attribute_table::create_key(attribute_callbacks callbacks) {
  if (next_key_ == std::numeric_limits<int>::max()) throw std::length_error("too many keys of attributes");
  keys_.emplace(next_key_, key{std::move(callbacks)});
  return next_key_++;
}

bool attribute_table::is_key(int name) const noexcept {
  const auto found = keys_.find(name);
  return found != keys_.end() && !found->second.is_freed;
}

void attribute_table::free_key(int name) {
  keys_.find(name)->second.is_freed = true;
  forget_unused(name);
}

void attribute_table::forget_unused(int name) {
  const auto found = keys_.find(name);
  if (found->second.is_freed && found->second.uses == 0) keys_.erase(found);
}

void* const* attribute_table::find(std::uint64_t of, int name) const noexcept {
  const auto values = values_.find(of);
  if (values == values_.end()) return nullptr;
  const auto found = position_of_key(values->second, name);
  return found == values->second.end() ? nullptr : &found->second;
}

int attribute_table::set(std::uint64_t of, int name, void* value) {
  if (const int result = remove(of, name); result != 0) return result;
  values_[of].emplace_back(name, value);
  ++keys_.find(name)->second.uses;
  return 0;
}

int attribute_table::remove(std::uint64_t of, int name) {
  void* const* const there = find(of, name);
  if (there == nullptr) return 0;
  const auto callback = keys_.find(name)->second.callbacks.remove;  // a copy: the callback may free the key
  const int result = callback == nullptr ? 0 : callback(of, name, *there);
  if (result != 0 || find(of, name) == nullptr) return result;  // the callback may have removed it, too
  auto& values = values_.find(of)->second;
  values.erase(position_of_key(values, name));
  if (values.empty()) values_.erase(of);
  --keys_.find(name)->second.uses;
  forget_unused(name);
  return 0;
}

int attribute_table::remove_all(std::uint64_t of, int& failed) {
  for (auto values = values_.find(of); values != values_.end(); values = values_.find(of)) {
    failed = values->second.back().first;
    if (const int result = remove(of, failed); result != 0) return result;
  }
  return 0;
}

void attribute_table::hand_over(std::uint64_t from, std::uint64_t to) {
  auto values = values_.extract(from);
  if (values.empty()) return;
  values.key() = to;
  values_.insert(std::move(values));
}

int attribute_table::copy_all(std::uint64_t from, std::uint64_t to, int& failed) {
  const auto values = values_.find(from);
  if (values == values_.end()) return 0;
  const values_of_object all = values->second;  // the callbacks may change the object's
  for (const auto& [name, value] : all) {
    const auto its = keys_.find(name);
    if (its == keys_.end() || its->second.callbacks.copy == nullptr) continue;
    const auto callback = its->second.callbacks.copy;
    std::optional<void*> copy;
    failed = name;
    if (const int result = callback(from, name, value, copy); result != 0) return result;
    if (!copy || keys_.find(name) == keys_.end()) continue;
    values_[to].emplace_back(name, *copy);
    ++keys_.find(name)->second.uses;
  }
  return 0;
}

}  // namespace pure::core
