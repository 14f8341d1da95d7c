#include "libc/hidden_state.hpp"

#include <sched.h>
#include <unistd.h>

#include <atomic>

namespace pure::core {

namespace {

char first_zone[] = "GMT";

constinit thread_local hidden_state* state_of_this_thread = nullptr;
/// The rank to which the calling thread's processor time counts, until it ends.
struct membership {
  hidden_state* rank = nullptr;
  membership() = default;
  membership(const membership&) = delete;
  membership& operator=(const membership&) = delete;
  ~membership() { change(nullptr); }

  void change(hidden_state* other) noexcept {
    if (rank == other) return;
    if (rank != nullptr) rank->used.leave();
    if (other != nullptr) other->used.join();
    rank = other;
  }
};
thread_local membership member_of;

constinit std::atomic<hidden_state*> last_made{nullptr};
constinit std::atomic<hidden_state*> first_made{nullptr};
constinit std::atomic<pid_t> process_of_ranks{0};

}  // namespace

hidden_state::hidden_state() noexcept {
  variables.optarg = &own.optarg;
  variables.optind = &own.optind;
  variables.opterr = &own.opterr;
  variables.optopt = &own.optopt;
  variables.signgam = &own.signgam;
  variables.getdate_err = &own.getdate_err;
  variables.input = &streams.input;
  variables.output = &streams.output;
  variables.errors = &streams.errors;
  variables.environment = &environ;
  variables.zone_names = own.zone_names;
  own.zone_names[0] = own.zone_names[1] = first_zone;
  variables.zone_seconds = &own.zone_seconds;
  variables.zone_daylight = &own.zone_daylight;
  process_of_ranks.store(getpid(), std::memory_order_relaxed);
  hidden_state* none = nullptr;
  // release: publishes what is constructed; pairs with the acquires in hidden_state_here() and first_hidden_state().
  first_made.compare_exchange_strong(none, this, std::memory_order_release, std::memory_order_relaxed);
  next = last_made.load(std::memory_order_relaxed);
  // release: as in the line above; pairs with the acquire in first_hidden_state().
  while (!last_made.compare_exchange_weak(next, this, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

hidden_state& hidden_state_here() noexcept {
  if (state_of_this_thread != nullptr) return *state_of_this_thread;
  // acquire: what the constructor wrote; pairs with the release in hidden_state().
  if (hidden_state* const first = first_made.load(std::memory_order_acquire)) return *first;
  static hidden_state* const of_no_rank = new hidden_state;  // no rank has been loaded
  return *of_no_rank;
}

// acquire: as in hidden_state_here().
hidden_state* first_hidden_state() noexcept { return last_made.load(std::memory_order_acquire); }

hidden_state* hidden_state_of_thread() noexcept { return state_of_this_thread; }

void set_hidden_state_here(hidden_state* state) noexcept {
  state_of_this_thread = state;
  member_of.change(state);
  if (state != nullptr)
    adopt_locale_of_rank();
  else
    uselocale(LC_GLOBAL_LOCALE);
}

void begin_rank(hidden_state& state) noexcept {
  set_hidden_state_here(&state);
  const libc_variables& copies = state.variables;
  begin_environment(state);
  state.streams.begin(state.rank <= 0);
  *copies.input = state.streams.own_input;
  *copies.output = state.streams.own_output;
  *copies.errors = state.streams.own_errors;
  copies.zone_names[0] = copies.zone_names[1] = first_zone;
  *copies.zone_seconds = *copies.zone_daylight = 0;
  state.signals.main_thread.store(gettid(), std::memory_order_relaxed);
  state.has_own_directory = unshare(CLONE_FS) == 0;  // some containers forbid it
}

bool is_number_of_rank(pid_t number) noexcept {
  if (number <= 0) return false;
  return number == getpid() ||
         (is_process_of_ranks() && number == hidden_state_here().signals.main_thread.load(std::memory_order_relaxed));
}

bool is_process_of_ranks() noexcept { return process_of_ranks.load(std::memory_order_relaxed) == getpid(); }

}  // namespace pure::core
