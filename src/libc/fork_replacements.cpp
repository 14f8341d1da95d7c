// What a rank has asked for around a fork (pthread_atfork): done when it forks, and not when another rank does.
//
// Any thread. Libraries that keep threads of their own (OpenBLAS, say) stop them so, each in its rank.
#include <pthread.h>

#include <cerrno>
#include <mutex>
#include <vector>

#include "libc/program_of_rank.hpp"
#include "libc/replacement_parts.hpp"

extern "C" int __register_atfork(void (*)(), void (*)(), void (*)(), void*) noexcept;

namespace pure::core {

namespace {

using fork_handler = void (*)();
struct fork_handlers {
  fork_handler prepare, in_parent, in_child;
  const program_of_rank* program;
  const void* object;  // that has asked, as __cxa_finalize knows it
};

/// Of all ranks. `changing` is held from before a fork until after it, and the child lets it go, too.
struct known_handlers {
  std::mutex changing;
  std::vector<fork_handlers> all;
};
known_handlers& known() {
  static auto* const all = new known_handlers;
  return *all;
}

void run(fork_handler fork_handlers::*which) {
  const program_of_rank* const program = program_of_thread();
  const std::vector<fork_handlers>& all = known().all;
  if (which == &fork_handlers::prepare) {
    for (std::size_t i = all.size(); i-- > 0;)
      if (all[i].program == program && all[i].prepare != nullptr) all[i].prepare();
    return;
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].program == program && all[i].*which != nullptr) (all[i].*which)();
}

void prepare() {
  known().changing.lock();
  run(&fork_handlers::prepare);
}
void end_in_parent() {
  run(&fork_handlers::in_parent);
  known().changing.unlock();
}
void end_in_child() {
  run(&fork_handlers::in_child);
  known().changing.unlock();
}

int rank_register_atfork(fork_handler before, fork_handler in_parent, fork_handler in_child, void* object) noexcept {
  const program_of_rank* const program = program_of_thread();
  if (program == nullptr) return __register_atfork(before, in_parent, in_child, object);
  static const int failed = __register_atfork(prepare, end_in_parent, end_in_child, nullptr);
  if (failed != 0) return failed;
  try {
    const std::lock_guard lock(known().changing);
    known().all.push_back({before, in_parent, in_child, program, object});
    return 0;
  } catch (...) {
    return ENOMEM;
  }
}

int rank_pthread_atfork(fork_handler before, fork_handler in_parent, fork_handler in_child) noexcept {
  return rank_register_atfork(before, in_parent, in_child, nullptr);
}

}  // namespace

void forget_fork_handlers(const void* object) noexcept {
  const std::lock_guard lock(known().changing);
  std::erase_if(known().all, [&](const fork_handlers& each) {
    return each.program == program_of_thread() && each.object == object;
  });
}

std::span<const replacement> fork_parts() noexcept {
  static const replacement table[] = {
      replaced_by("__register_atfork", rank_register_atfork),
      replaced_by("pthread_atfork", rank_pthread_atfork),
  };
  return table;
}

}  // namespace pure::core
