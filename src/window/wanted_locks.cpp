#include "window/wanted_locks.hpp"

#include <utility>

namespace pure::core {

bool wanted_locks::try_lock_for(waiting& one) {
  const rma_ranks& ranks = one.wanted.ranks;
  target_control& its = *one.of->at(ranks.target).control;
  const window_lock::outcome how = its.lock.try_lock(one.tried);
  if (how == window_lock::outcome::vain) {
    tell_holder(one);
    return false;
  }
  if (one.tried.kind == lock_kind::exclusive) its.holder.write(ranks.origin, one.call);
  if (how == window_lock::outcome::locked_and_wake) one.of->wake_all();
  others_.send_active_message(one.from, window_messages, packed(one.window, rma_answer{.request = one.wanted.request}));
  return true;
}

/// Reports of a rank that waits for ever say who it waits for.
void wanted_locks::tell_holder(waiting& one) {
  const lock_note::seen who = one.of->at(one.wanted.ranks.target).control->holder.read();
  if (who == one.told_holder) return;
  one.told_holder = who;
  others_.send_active_message(one.from, window_messages,
                              packed(one.window, rma_held{.ranks = one.wanted.ranks, .who = who}));
}

void wanted_locks::lock(int from, window_group& of, const arrived_rma<rma_lock>& wanted) {
  waiting one{.from = from,
              .of = &of,
              .window = wanted.window,
              .wanted = wanted.what,
              .call = {reinterpret_cast<const char*>(wanted.data.data()), wanted.data.size()},
              .tried = {wanted.what.how},
              .told_holder = {}};
  if (!try_lock_for(one)) waiting_.push_back(std::move(one));
}

void wanted_locks::resume() {
  std::erase_if(waiting_, [&](waiting& each) { return try_lock_for(each); });
}

}  // namespace pure::core
