#include "base/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace pure::core {

bool is_environment_ignored() noexcept { return getauxval(AT_SECURE) != 0; }

namespace {

constinit const char* const* kept = nullptr;  // null: libc's

}  // namespace

void keep_environment() {
  std::size_t count = 0;
  while (environ != nullptr && environ[count] != nullptr) ++count;
  auto* const copy = new const char*[count + 1]();
  std::copy_n(environ, count, copy);
  kept = copy;
}

const char* const* environment() noexcept {
  static const char* const none[] = {nullptr};
  const char* const* const all = kept != nullptr ? kept : environ;
  return is_environment_ignored() || all == nullptr ? none : all;
}

const char* environment_variable(const char* name) noexcept {
  if (kept == nullptr) return secure_getenv(name);
  const std::size_t length = std::strlen(name);
  for (const char* const* entry = environment(); *entry != nullptr; ++entry)
    if (std::strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') return *entry + length + 1;
  return nullptr;
}

void hide_ignored_variables(std::string_view prefix) {
  if (!is_environment_ignored() || environ == nullptr) return;
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): see the header
}

}  // namespace pure::core
