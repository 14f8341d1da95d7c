#include "window/wanted_locks.hpp"

#include <span>
#include <utility>

namespace pure::core {

bool wanted_locks::has_locked(waiting& one) {
  window_group::target& its = one.of->at(one.wanted.target);
  const window_lock::outcome how = its.control->lock.try_lock(one.tried);
  if (how == window_lock::outcome::vain) {
    tell_holder(one);
    return false;
  }
  if (one.tried.kind == lock_kind::exclusive) its.control->holder.write(one.wanted.origin, one.call);
  if (how == window_lock::outcome::locked_and_wake) one.of->wake_all();
  send_answer(others_, one.from, one.wanted);
  return true;
}

/// Reports of a rank that waits for ever say who it waits for.
void wanted_locks::tell_holder(waiting& one) {
  const lock_note::seen who = one.of->at(one.wanted.target).control->holder.read();
  if (who == one.told_holder) return;
  one.told_holder = who;
  rma_message told = one.wanted;
  told.kind = rma_message_kind::held;
  told.rows = 0;
  others_.send_active_message(one.from, window_messages, packed(told, {}, std::as_bytes(std::span(&who, 1))));
}

void wanted_locks::lock(int from, window_group& of, const rma_message& wanted, std::string call) {
  waiting one{&of, {static_cast<lock_kind>(wanted.detail)}, wanted, from, std::move(call), {}};
  if (!has_locked(one)) waiting_.push_back(std::move(one));
}

void wanted_locks::unlock(int from, window_group& of, const rma_message& its) {
  target_control& control = *of.at(its.target).control;
  const auto kind = static_cast<lock_kind>(its.detail);
  if (kind == lock_kind::exclusive) control.holder.wipe();
  if (control.lock.unlock(kind)) of.wake_all();
  send_answer(others_, from, its);
}

void wanted_locks::resume() {
  std::erase_if(waiting_, [&](waiting& each) { return has_locked(each); });
}

}  // namespace pure::core
