#include "loader/hidden_state.hpp"

#include <atomic>

namespace pure::core {

namespace {

constinit thread_local hidden_state* state_of_this_thread = nullptr;
constinit std::atomic<hidden_state*> first_state{nullptr};

}  // namespace

hidden_state::hidden_state() noexcept {
  variables.optarg = &own.optarg;
  variables.optind = &own.optind;
  variables.opterr = &own.opterr;
  variables.optopt = &own.optopt;
  variables.signgam = &own.signgam;
  variables.getdate_err = &own.getdate_err;
  hidden_state* none = nullptr;
  // release: publishes what is constructed; pairs with the acquire in hidden_state_here().
  first_state.compare_exchange_strong(none, this, std::memory_order_release, std::memory_order_relaxed);
}

hidden_state& hidden_state_here() noexcept {
  if (state_of_this_thread != nullptr) return *state_of_this_thread;
  // acquire: what the constructor wrote; pairs with the release in hidden_state().
  if (hidden_state* const first = first_state.load(std::memory_order_acquire)) return *first;
  static hidden_state* const of_no_rank = new hidden_state;  // no rank has been loaded
  return *of_no_rank;
}

void set_hidden_state_here(hidden_state* state) noexcept {
  state_of_this_thread = state;
  if (state != nullptr)
    adopt_locale_of_rank();
  else
    uselocale(LC_GLOBAL_LOCALE);
}

}  // namespace pure::core
