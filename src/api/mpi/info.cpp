// Info objects (MPI 5.0, chapter 10). Blanks count in C: what Fortran strips, it has stripped before it calls.
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door.hpp"
#include "objects/rank_objects.hpp"

namespace pure::core::mpi {

namespace {

std::string key_of(const call& by, const char* key) {
  std::string name = key;
  if (name.empty()) throw_error(by, constants::err_info_key, "the key is empty");
  if (name.size() >= constants::max_info_key)
    throw_error(by, constants::err_info_key, fmt::format("the key has {} characters", name.size()));
  return name;
}

/// At most `room` characters and the end.
void give_value(char* to, const std::string& value, std::size_t room) noexcept {
  const std::size_t taken = std::min(value.size(), room);
  std::memcpy(to, value.data(), taken);
  to[taken] = '\0';
}

}  // namespace

void bodies::Info_create(const call& by, info_handle* info) { give_info(by, {}, info); }

/// What a program can be told of how it was started (MPI 5.0, 10 and 11.2.2): there is no argument that only MPI knows.
void bodies::Info_create_env(const call& by, int, char**, info_handle* info) {
  info_object all;
  char folder[4096];
  if (getcwd(folder, sizeof folder) != nullptr) all.set("wdir", folder);
  give_info(by, std::move(all), info);
}

void bodies::Info_dup(const call& by, info_object* info, info_handle* newinfo) { give_info(by, *info, newinfo); }

void bodies::Info_free(const call& by, info_handle* info) {
  free_info(by, *info);
  *info = constants::info_null;
}

void bodies::Info_set(const call& by, info_object* info, const char* key, const char* value) {
  std::string text = value;
  if (text.size() >= constants::max_info_val)
    throw_error(by, constants::err_info_value, fmt::format("the value has {} characters", text.size()));
  info->set(key_of(by, key), std::move(text));
}

void bodies::Info_delete(const call& by, info_object* info, const char* key) {
  if (!info->remove(key_of(by, key)))
    throw_error(by, constants::err_info_nokey, fmt::format("there is no key \"{}\"", key));
}

void bodies::Info_get(const call& by, info_object* info, const char* key, int valuelen, char* value, int* flag) {
  check_count(by, valuelen, "valuelen");
  const std::string* const found = info->find(key_of(by, key));
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) give_value(value, *found, static_cast<std::size_t>(valuelen));
}

void bodies::Info_get_valuelen(const call& by, info_object* info, const char* key, int* valuelen, int* flag) {
  const std::string* const found = info->find(key_of(by, key));
  *flag = found != nullptr ? 1 : 0;
  if (found != nullptr) *valuelen = static_cast<int>(found->size());
}

/// `buflen`: the room with the end; afterwards, what the whole value takes.
void bodies::Info_get_string(const call& by, info_object* info, const char* key, int* buflen, char* value, int* flag) {
  check_count(by, *buflen, "buflen");
  const std::string* const found = info->find(key_of(by, key));
  *flag = found != nullptr ? 1 : 0;
  if (found == nullptr) return;
  if (*buflen > 0) give_value(value, *found, static_cast<std::size_t>(*buflen) - 1);
  *buflen = static_cast<int>(found->size()) + 1;
}

void bodies::Info_get_nkeys(const call&, info_object* info, int* nkeys) { *nkeys = static_cast<int>(info->size()); }

void bodies::Info_get_nthkey(const call& by, info_object* info, int n, char* key) {
  if (static_cast<std::size_t>(n) >= info->size())
    throw_error(by, constants::err_arg, fmt::format("there is no key {}: it has {}", n, info->size()));
  give_value(key, info->key(static_cast<std::size_t>(n)), constants::max_info_key - 1);
}

}  // namespace pure::core::mpi
