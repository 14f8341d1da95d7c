// Attributes that one rank attaches to its objects of one kind: keys with their callbacks, and values by object (MPI
// 4.1, 7.7). Own thread of the rank only.
//
// Objects are known by their handles, and callbacks by what their door makes of the program's functions. A callback may
// call the functions of any door, also on attributes of the same object, so nothing is held across it. Its result is
// the caller's to report; a value whose callback has failed, or thrown, stays. A key that is freed lasts as long as
// values have it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace pure::core {

/// What the program wants to be done with the values of a key.
struct attribute_callbacks {
  /// Empty: nothing. Returns 0, or the program's code for a failure. The thread is the rank's.
  std::function<int(std::uint64_t object, int key, void* value)> remove;
  /// What a duplicate of the object gets (MPI 4.1, 7.7.2): sets `copy`, or leaves it as it is, for nothing. Empty:
  /// nothing. Returns as remove().
  std::function<int(std::uint64_t object, int key, void* value, std::optional<void*>& copy)> copy = {};
};

class attribute_table {
 public:
  static constexpr int first_key = 1024;  // below are those that objects have of themselves

  /// `next_key`: for tests of the last one.
  explicit attribute_table(int next_key = first_key) noexcept : next_key_(next_key) {}

  /// Throws std::length_error when all numbers have been in use.
  [[nodiscard]] int create_key(attribute_callbacks callbacks);
  /// Whether it may be named: it is there, and has not been freed.
  [[nodiscard]] bool is_key(int name) const noexcept;
  /// The same, or it was freed, and values have it.
  [[nodiscard]] bool has_key(int name) const noexcept { return keys_.contains(name); }
  /// Of one that has_key() knows.
  void free_key(int name);
  /// How many keys there are, with those that only values have.
  [[nodiscard]] std::size_t keys() const noexcept { return keys_.size(); }

  /// Null if the object has none.
  [[nodiscard]] void* const* find(std::uint64_t of, int name) const noexcept;
  /// `name`: has_key(). Returns what the callback for the value that was there has returned; only 0 has had an effect.
  [[nodiscard]] int set(std::uint64_t of, int name, void* value);
  /// The same for the value that is there; there may be none.
  [[nodiscard]] int remove(std::uint64_t of, int name);
  /// All of an object that ends, the last one that was set first. `failed`: the key whose callback has failed.
  [[nodiscard]] int remove_all(std::uint64_t of, int& failed);
  /// To a duplicate, in the order in which they were set: what the callbacks of the keys that `from` has say. `failed`:
  /// likewise; what was copied before stays.
  [[nodiscard]] int copy_all(std::uint64_t from, std::uint64_t to, int& failed);

  /// The values of `from`, which is an object no more, are those of `to`, which has none.
  void hand_over(std::uint64_t from, std::uint64_t to);

 private:
  struct key {
    attribute_callbacks callbacks;
    std::size_t uses = 0;  // values
    bool is_freed = false;
  };
  using values_of_object = std::vector<std::pair<int, void*>>;  // in the order in which they were set

  void forget_unused(int name);

  std::map<int, key> keys_;
  std::map<std::uint64_t, values_of_object> values_;
  int next_key_;
};

}  // namespace pure::core
