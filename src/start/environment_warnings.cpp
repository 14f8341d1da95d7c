#include "start/environment_warnings.hpp"

#include <unistd.h>

#include <atomic>
#include <string_view>

#include "base/environment.hpp"
#include "base/say.hpp"

namespace pure::core {
namespace {

bool has_any_setting() noexcept {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("PURE_")) return true;
  }
  return false;
}

}  // namespace

void warn_of_environment(const settings& values, bool speaks) {
  static std::atomic_flag done = ATOMIC_FLAG_INIT;
  if (!speaks || done.test_and_set(std::memory_order_relaxed)) return;  // relaxed: no other memory depends on it
  if (is_environment_ignored()) {
    if (has_any_setting()) {
      say("pure: warning: this program has more rights than whoever started it (set-user-ID, set-group-ID or file "
          "capabilities): PURE_* variables count for nothing, all settings have their defaults.\n");
    }
    return;
  }
  if (!values.launch_fd.empty()) return;
  say([] {
    const std::string text = text_of_foreign_settings(environment());
    return text.empty() ? text : fmt::format("pure: warning: {}\n", text);
  });
}

}  // namespace pure::core
