// What the dynamic linker has loaded into this process, while nobody here changes it.
//
// Whoever loads or unloads a private object holds the lock: then a difference in the list is of one's own making. It is
// the last lock but for the dynamic linker's, which guards the list itself.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <link.h>

namespace pure::core {

class linker_list {
 public:
  linker_list();

  /// Where each object lies, and its name (l_name).
  [[nodiscard]] std::set<std::pair<std::uint64_t, std::string>> objects() const;

 private:
  std::lock_guard<std::mutex> lock_;
};

/// The object that has the address; null: none. Takes no lock but the dynamic linker's.
const link_map* linked_object_at(const void* address) noexcept;

}  // namespace pure::core
