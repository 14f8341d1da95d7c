#include "start/sanitizer_warning.hpp"

#include <dlfcn.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "base/thread_sanitizer.hpp"

namespace pure::core {
namespace {

/// The folder of the copy that ThreadSanitizer sees, where one is installed beside this library; or nothing.
std::string folder_of_sanitized_copy() {
  namespace fs = std::filesystem;
  Dl_info here{};
  if (dladdr(reinterpret_cast<void*>(&folder_of_sanitized_copy), &here) == 0 || here.dli_fname == nullptr) return {};
  std::error_code error;
  const fs::path own = fs::canonical(here.dli_fname, error);
  const fs::path copy = own.parent_path() / "pure" / "tsan";
  return !error && fs::exists(copy / own.filename(), error) ? copy.string() : std::string();
}

}  // namespace

void warn_of_thread_sanitizer(bool speaks) {
  static std::atomic_flag done = ATOMIC_FLAG_INIT;
  if (is_seen_by_thread_sanitizer || !runs_under_thread_sanitizer() || !speaks) return;
  if (done.test_and_set(std::memory_order_relaxed)) return;  // relaxed: no other memory depends on it
  say([] {
    const std::string folder = folder_of_sanitized_copy();
    return fmt::format(
        "pure: warning: the program is built with -fsanitize=thread, but this libpure is not: ThreadSanitizer will report "
        "races that are none. {}\n",
        folder.empty()
            ? std::string("`make install-tsan` installs the copy that it needs (docs/debugging.md)")
            : fmt::format("Link with `purecxx -fsanitize=thread`, or set LD_LIBRARY_PATH={}", printable_word(folder)));
  });
}

}  // namespace pure::core
