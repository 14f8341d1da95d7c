#include "libc/shared_things.hpp"

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <string>

#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "libc/hidden_state.hpp"

namespace pure::core {

namespace {

constexpr int kinds_of_things = static_cast<int>(shared_thing::stream) + 1;

constinit std::atomic<int> expected_ranks{0};

struct last_setting {
  std::string value;
  const hidden_state* rank;
  const hidden_state* other = nullptr;  // that has set it to the same since
};

/// What has been set, and what was said of it. One for the process.
struct settings_of_ranks {
  std::mutex lock;
  std::map<std::string, last_setting, std::less<>> last[kinds_of_things];
  bool is_said[kinds_of_things] = {};
};

settings_of_ranks& all_settings() {
  static auto* const all = new settings_of_ranks;  // ranks may set something while the process ends
  return *all;
}

std::string name_of(shared_thing kind, std::string_view name) {
  switch (kind) {
    case shared_thing::directory: return "the working directory";
    case shared_thing::file_mask: return "the mask of file modes (umask)";
    case shared_thing::limit: return fmt::format("a limit ({})", name);
    case shared_thing::timer: return fmt::format("the timer {}", name);
    case shared_thing::stream: break;
  }
  return std::string(name);
}

std::string both(int one, int other) {
  return one < 0 || other < 0 || one == other ? "two ranks" : fmt::format("ranks {} and {}", one, other);
}

}  // namespace

void note_setting(shared_thing kind, std::string_view name, std::string_view value) noexcept {
  if (!is_process_of_ranks()) return;
  const int error = errno;
  say([&]() -> std::string {
    const hidden_state& rank = hidden_state_here();
    settings_of_ranks& all = all_settings();
    const auto which = static_cast<std::size_t>(kind);
    const std::scoped_lock held(all.lock);
    const auto place = all.last[which].try_emplace(std::string(name), last_setting{std::string(value), &rank}).first;
    last_setting& last = place->second;
    if (last.value == value) {
      if (last.rank != &rank && last.other == nullptr) last.other = &rank;
      return {};
    }
    const hidden_state* const against = last.rank != &rank ? last.rank : last.other;
    last = {std::string(value), &rank};
    if (against == nullptr || std::exchange(all.is_said[which], true)) return {};
    return fmt::format(
        "pure: warning: {} set {} differently,\n"
        "  and share it: each gets what was set last. `purerun --ranks-as processes`\n"
        "  gives each rank its own.\n",
        both(against->rank, rank.rank), name_of(kind, name));
  });
  errno = error;
}

void note_for_all(shared_thing kind, std::string_view done) noexcept {
  if (!has_other_ranks()) return;
  const int error = errno;
  say([&]() -> std::string {
    const int number = hidden_state_here().rank;
    settings_of_ranks& all = all_settings();
    const std::scoped_lock held(all.lock);
    if (std::exchange(all.is_said[static_cast<std::size_t>(kind)], true)) return {};
    return fmt::format(
        "pure: warning: {} {},\n"
        "  which all ranks of its process share. `purerun --ranks-as processes` gives each\n"
        "  rank its own.\n",
        number < 0 ? "a rank" : fmt::format("rank {}", number), done);
  });
  errno = error;
}

void note_older_threads(std::string_view library) noexcept {
  static std::atomic<bool> is_said{false};
  if (!is_process_of_ranks() || is_said.exchange(true, std::memory_order_relaxed)) return;  // relaxed: a word, no more
  say([&]() -> std::string {
    const int number = hidden_state_here().rank;
    return fmt::format(
        "pure: warning: {} has threads that are older than a library that it opens,\n"
        "  {}. In these threads,\n"
        "  thread-local variables of it that begin with an address have that of a copy.\n"
        "  `purerun --ranks-as processes` has none.\n",
        number < 0 ? "a rank" : fmt::format("rank {}", number), printable_word(library));
  });
}

void expect_ranks(int count) noexcept {
  expected_ranks.store(count, std::memory_order_relaxed);  // relaxed: each rank stores the same before it asks
}

bool has_other_ranks() noexcept {
  const hidden_state* const first = first_hidden_state();
  const bool are_there = first != nullptr && first->next != nullptr;
  return (are_there || expected_ranks.load(std::memory_order_relaxed) > 1) && is_process_of_ranks();  // as above
}

}  // namespace pure::core
