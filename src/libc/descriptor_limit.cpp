#include "libc/descriptor_limit.hpp"

#include <algorithm>
#include <atomic>

namespace pure::core {

namespace {

// Relaxed: written before the ranks' programs begin.
std::atomic<rlim_t> limit_of_rank{0}, limit_of_all{0};

}  // namespace

void raise_descriptor_limit(int ranks, bool (*calls_select)()) noexcept {
  rlimit now{};
  if (ranks < 2 || getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur >= now.rlim_max || calls_select()) return;
  rlimit raised = now;
  raised.rlim_cur = std::min(now.rlim_max, now.rlim_cur * static_cast<rlim_t>(ranks));
  if (setrlimit(RLIMIT_NOFILE, &raised) != 0) return;
  limit_of_rank.store(now.rlim_cur, std::memory_order_relaxed);
  limit_of_all.store(raised.rlim_cur, std::memory_order_relaxed);
}

std::optional<rlim_t> descriptor_limit_of_rank() noexcept {
  const rlim_t own = limit_of_rank.load(std::memory_order_relaxed);
  rlimit now{};
  if (own == 0 || getrlimit(RLIMIT_NOFILE, &now) != 0) return {};
  return now.rlim_cur == limit_of_all.load(std::memory_order_relaxed) ? std::optional(own) : std::nullopt;
}

descriptor_limit_of_new_program::descriptor_limit_of_new_program() noexcept {
  const auto own = descriptor_limit_of_rank();
  rlimit now{};
  if (!own || getrlimit(RLIMIT_NOFILE, &now) != 0) return;
  const rlimit lowered{*own, now.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &lowered) == 0) before_ = now;
}

descriptor_limit_of_new_program::~descriptor_limit_of_new_program() {
  if (before_) setrlimit(RLIMIT_NOFILE, &*before_);
}

void limit_descriptors_of(pid_t child) noexcept {
  const auto own = descriptor_limit_of_rank();
  rlimit now{};
  if (!own || prlimit(child, RLIMIT_NOFILE, nullptr, &now) != 0) return;
  if (now.rlim_cur != limit_of_all.load(std::memory_order_relaxed)) return;  // it has set one itself
  now.rlim_cur = *own;
  prlimit(child, RLIMIT_NOFILE, &now, nullptr);
}

}  // namespace pure::core
