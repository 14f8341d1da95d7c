#include "base/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace pure::core {

bool is_environment_ignored() noexcept { return getauxval(AT_SECURE) != 0; }

const char* const* environment() noexcept {
  static const char* const none[] = {nullptr};
  return is_environment_ignored() || environ == nullptr ? none : environ;
}

const char* environment_variable(const char* name) noexcept { return secure_getenv(name); }

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
