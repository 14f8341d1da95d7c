#include "coll/pending_collective.hpp"

#include <exception>

#include "coll/collective_service.hpp"
#include "comm/point_to_point.hpp"
#include "comm/wait_kinds.hpp"
#include "runtime/job.hpp"

namespace pure::core {

pending_collective::pending_collective(communicator& on, const call& by, const collective_arguments& what,
                                       bool is_persistent)
    : on_(on),
      member_(collective_member::of(on)),
      service_(collective_service::of(on.owner())),
      what_(what),
      made_by_(by),
      is_persistent_(is_persistent) {}

void pending_collective::start(const call&) {
  if (activity* const log = on_.owner().log(); log != nullptr) [[unlikely]]
    ++log->counts.collectives;
  failure_.reset();
  check_.reset();
  if (member_.size() == 1 || (is_nothing(what_) && !member_.checks())) {
    if (member_.size() == 1) run_alone(what_);
    now_ = stage::complete;
    return;
  }
  // Both take their sequence numbers now: the order of the starts is that of the numbers.
  const auto prepare = [&]<class Algorithm>(auto&&... arguments) -> void {
    step_ = &running_.emplace<Algorithm>(arguments...);
  };
  if (member_.checks()) {
    lets_know(member_);
    check_ = compare_calls(member_, made_by_, what_);
    choose_compared_algorithm(member_, what_, prepare);
  } else {
    choose_algorithm(member_, what_, prepare);
  }
  now_ = check_ ? stage::checking : stage::running;
  if (!poll()) service_.add(*this);
}

bool pending_collective::poll() noexcept {
  if (is_complete()) return true;
  try {
    if (!move_on()) return false;
  } catch (const Error& error) {
    failure_.emplace(error);
  } catch (const std::exception& error) {
    fail(errc::other, error.what());
  }
  now_ = stage::complete;
  service_.remove(*this);
  return true;
}

/// True if it is complete.
bool pending_collective::move_on() {
  if (now_ == stage::checking) {
    if (!check_->poll()) return false;
    now_ = stage::running;
    service_.note_new_phase();
    if (!check_->conflict().empty()) {
      std::visit(
          [](auto& each) {
            if constexpr (requires { each.cancel(); }) each.cancel();
          },
          running_);
      fail(errc::mismatch, check_->conflict());
      return true;
    }
  }
  return std::visit(
      [&](auto& each) {
        if constexpr (std::is_same_v<decltype(each), std::monostate&>) {
          return true;
        } else {
          if (!each.poll()) return false;
          if (!each.disagreement().empty()) fail(errc::mismatch, explain(each, check_.get()));
          return true;
        }
      },
      running_);
}

void pending_collective::fail(errc code, const std::string& text) {
  failure_.emplace(bad_argument(on_, made_by_, code, text));
}

/// The algorithm first: what it is made of belongs to the communicator.
void pending_collective::let_go() noexcept {
  step_ = nullptr;
  running_.emplace<std::monostate>();
  check_.reset();
  on_.let_go();
}

int pending_collective::waits_for() const noexcept {
  return now_ == stage::checking ? check_->waits_for() : step_->waits_for();
}

wait_reason pending_collective::reason(const call& by) const noexcept {
  return {by, same_pending_call_by, on_.number_of(waits_for()), wait_reason::no_tag};
}

}  // namespace pure::core
