#include "loader/linker_list.hpp"

#include <dlfcn.h>

namespace pure::core {

namespace {

std::mutex& changing_list() {
  static auto* const changing = new std::mutex;  // ranks may close libraries while the process ends
  return *changing;
}

using object_set = std::set<std::pair<std::uint64_t, std::string>>;

int add_object(dl_phdr_info* info, std::size_t /*bytes*/, void* all) {
  static_cast<object_set*>(all)->emplace(info->dlpi_addr, info->dlpi_name == nullptr ? "" : info->dlpi_name);
  return 0;
}

}  // namespace

linker_list::linker_list() : lock_(changing_list()) {}

std::set<std::pair<std::uint64_t, std::string>> linker_list::objects() const {
  object_set all;
  dl_iterate_phdr(add_object, &all);
  return all;
}

const link_map* linked_object_at(const void* address) noexcept {
  Dl_info ignored{};
  link_map* map = nullptr;
  return dladdr1(address, &ignored, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ? nullptr : map;
}

}  // namespace pure::core
