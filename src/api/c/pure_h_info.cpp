// pure.h, info objects (pure/info.h).
#include <pure.h>

#include <fmt/core.h>

#include "api/c/door.hpp"
#include "api/c/group.hpp"

using pure::errc;
using namespace pure::core;

namespace {

void require_key(const call& by, const char* key) {
  require_pointer(by, key, "key");
  if (*key == '\0') throw_wrong_call(by, errc::info, "the key is empty");
}

}  // namespace

int pure_info_create(pure_info* info, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, info, "info");
    give_info(by, {}, info);
  });
}

int pure_info_set(pure_info info, const char* key, const char* value, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_key(by, key);
    require_pointer(by, value, "value");
    info_of(by, info).set(key, value);
  });
}

int pure_info_get(pure_info info, const char* key, const char** value, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_key(by, key);
    require_pointer(by, value, "value");
    const std::string* const found = info_of(by, info).find(key);
    *value = found == nullptr ? nullptr : found->c_str();
  });
}

int pure_info_delete(pure_info info, const char* key, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_key(by, key);
    if (!info_of(by, info).remove(key)) throw_wrong_call(by, errc::info, fmt::format("there is no key \"{}\"", key));
  });
}

int pure_info_get_nkeys(pure_info info, int* count, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, count, "count");
    *count = static_cast<int>(info_of(by, info).size());
  });
}

int pure_info_get_nthkey(pure_info info, int n, const char** key, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, key, "key");
    const info_object& all = info_of(by, info);
    if (n < 0 || static_cast<std::size_t>(n) >= all.size())
      throw_wrong_call(by, errc::info, fmt::format("there is no key {}: it has {}", n, all.size()));
    *key = all.key(static_cast<std::size_t>(n)).c_str();
  });
}

int pure_info_dup(pure_info info, pure_info* made, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, made, "made");
    give_info(by, info_of(by, info), made);
  });
}

int pure_info_free(pure_info* info, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, info, "info");
    info_of(by, *info);
    rank_objects::of(rank_of(by)).infos.free(static_cast<std::uint64_t>(*info));
    *info = PURE_INFO_NULL;
  });
}
