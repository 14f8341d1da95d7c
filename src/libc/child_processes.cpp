#include "libc/child_processes.hpp"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>

#include "libc/hidden_state.hpp"

namespace pure::core {

namespace {

constexpr pid_t being_written = -1;

struct known_child {
  std::atomic<pid_t> process{0};  // 0: the place is free
  std::atomic<hidden_state*> rank{nullptr};
  std::atomic<pid_t> thread{0};
  std::atomic<bool> is_reaped{false}, is_told{false};
};

constexpr std::size_t places = 1024;
constinit known_child children[places];

known_child* place_of(pid_t process) noexcept {
  if (process <= 0) return nullptr;
  for (known_child& each : children)
    // acquire: what is written of it; pairs with the release in note_child().
    if (each.process.load(std::memory_order_acquire) == process) return &each;
  return nullptr;
}

/// The caller writes to it; null: all are taken.
known_child* taken_place(pid_t process) noexcept {
  if (known_child* const same = place_of(process)) {  // of a child that was there before, whose number this one has
    same->process.store(being_written, std::memory_order_relaxed);
    return same;
  }
  for (const bool takes_reaped : {false, true}) {
    for (known_child& each : children) {
      pid_t before = each.process.load(std::memory_order_relaxed);
      const bool is_free = before == 0 ||
                           (takes_reaped && before > 0 && each.is_reaped.load(std::memory_order_relaxed));
      // relaxed: the release in note_child() publishes what is written then.
      if (is_free && each.process.compare_exchange_strong(before, being_written, std::memory_order_relaxed))
        return &each;
    }
  }
  return nullptr;
}

// Ends of children that were told before their starts were over. Sequentially consistent, `starts` and `process`: who
// keeps an end writes it and then looks whether anything is still being started, and whose start is over counts it down
// and then looks for ends: one of the two sees the other.
struct early_end {
  std::atomic<pid_t> process{0};  // as that of known_child
  siginfo_t end{};
};
constexpr std::size_t most_early_ends = 64;
constinit early_end early_ends[most_early_ends];
constinit std::atomic<int> starts{0};

/// Takes it out, and tells it; a process of 0 is any. The rank of a child is known by now, or it is none of ours: then
/// all are told, but for one that has been waited for, whose place another has.
void tell_early_ends(pid_t process) noexcept {
  for (early_end& each : early_ends) {
    pid_t its = each.process.load();
    if (its <= 0 || (process != 0 && its != process)) continue;
    if (!each.process.compare_exchange_strong(its, being_written)) continue;
    const siginfo_t end = each.end;
    each.process.store(0);
    hidden_state* const rank = rank_of_child(its);
    if (rank != nullptr ? claim_telling(its) : !has_been_reaped(its)) tell_end_of_child(rank, end);
  }
}

void note_child(pid_t process) noexcept {
  hidden_state* const rank = hidden_state_of_thread();
  known_child* const its = process <= 0 || rank == nullptr || !is_process_of_ranks() ? nullptr : taken_place(process);
  if (its == nullptr) return;
  // relaxed: published by the release below.
  its->rank.store(rank, std::memory_order_relaxed);
  its->thread.store(gettid(), std::memory_order_relaxed);
  its->is_reaped.store(false, std::memory_order_relaxed);
  its->is_told.store(false, std::memory_order_relaxed);
  // seq_cst: publishes whose it is, pairs with the acquire in place_of(); and comes before the look for its early end
  its->process.store(process);
}

}  // namespace

starting_child::starting_child() noexcept { starts.fetch_add(1); }

void starting_child::note_made(pid_t process) noexcept {
  if (process <= 0) return;
  note_child(process);
  tell_early_ends(process);
}

starting_child::~starting_child() {
  if (is_process_of_ranks() && starts.fetch_sub(1) == 1) tell_early_ends(0);
}

bool keep_for_start(const siginfo_t& end) noexcept {
  if (starts.load() == 0) return false;
  for (early_end& each : early_ends) {
    pid_t free = 0;
    if (!each.process.compare_exchange_strong(free, being_written)) continue;
    each.end = end;
    each.process.store(end.si_pid);
    // The start may be over meanwhile: then nobody looks here any more.
    if (starts.load() != 0 && place_of(end.si_pid) == nullptr) return true;
    pid_t own = end.si_pid;
    if (!each.process.compare_exchange_strong(own, being_written)) return true;  // somebody has
    each.process.store(0);
    return false;
  }
  return false;
}

bool claim_telling(pid_t process) noexcept {
  known_child* const its = place_of(process);
  return its != nullptr && !its->is_told.exchange(true, std::memory_order_relaxed);  // relaxed: who is first, no more
}

void note_reaped(pid_t process, int status) noexcept {
  known_child* const its = place_of(process);
  if (its == nullptr || its->is_reaped.load(std::memory_order_relaxed)) return;
  if (claim_telling(process)) {
    siginfo_t end{};
    end.si_signo = SIGCHLD;
    end.si_code = WIFEXITED(status) ? CLD_EXITED : WCOREDUMP(status) ? CLD_DUMPED : CLD_KILLED;
    end.si_pid = process;
    end.si_uid = getuid();
    end.si_status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    tell_end_of_child(its->rank.load(std::memory_order_relaxed), end);
  }
  its->is_reaped.store(true, std::memory_order_relaxed);  // relaxed: a wait for it would fail, no more
}

bool has_been_reaped(pid_t process) noexcept {
  siginfo_t end{};
  return waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOHANG | WNOWAIT) != 0 && errno == ECHILD;
}

hidden_state* rank_of_child(pid_t process) noexcept {
  const known_child* const its = place_of(process);
  return its == nullptr ? nullptr : its->rank.load(std::memory_order_relaxed);
}

std::size_t children_of_other_threads(pid_t* found, std::size_t room) noexcept {
  const hidden_state* const rank = hidden_state_of_thread();
  const pid_t thread = gettid();
  std::size_t count = 0;
  for (const known_child& each : children) {
    // acquire: as in place_of().
    const pid_t process = each.process.load(std::memory_order_acquire);
    const bool is_one = process > 0 && each.rank.load(std::memory_order_relaxed) == rank &&
                        each.thread.load(std::memory_order_relaxed) != thread &&
                        !each.is_reaped.load(std::memory_order_relaxed);
    if (is_one && count < room) found[count++] = process;
  }
  return count;
}

bool next_untold_end(std::size_t& place, hidden_state*& rank, siginfo_t& end) noexcept {
  for (; place < places; ++place) {
    known_child& each = children[place];
    // acquire: as in place_of().
    const pid_t process = each.process.load(std::memory_order_acquire);
    if (process <= 0 || each.is_reaped.load(std::memory_order_relaxed) || each.is_told.load(std::memory_order_relaxed))
      continue;
    end = {};
    const bool has_ended = waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                           end.si_pid == process;
    if (!has_ended || each.is_told.exchange(true, std::memory_order_relaxed)) continue;
    rank = each.rank.load(std::memory_order_relaxed);
    return true;
  }
  return false;
}

}  // namespace pure::core
