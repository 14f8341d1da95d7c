#include "coll/pending_collective.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "coll/collective_service.hpp"
#include "coll/spanning_signatures.hpp"
#include "comm/point_to_point.hpp"
#include "comm/wait_kinds.hpp"
#include "runtime/job.hpp"

namespace pure::core {

namespace {

/// Starting it may need other ranks.
bool needs_others(const communicator& on, const collective_arguments& what) {
  return on.size() > 1 && (!is_nothing(what) || on.owner().owner().values().check);
}

/// The largest data of it that goes through a dropbox: what is larger is lent.
std::size_t most_copied(communicator& on, const collective_arguments& what) {
  const std::size_t most = collective_member::of(on).choice_of(what.kind).copied_bytes;
  switch (what.kind) {
    case collective::bcast: return std::min(most, what.count * what.element_bytes);
    case collective::reduce:
    case collective::allreduce:
    case collective::scan:
    case collective::exscan:
    case collective::reduce_scatter: return std::min(most, bytes_of_vector(what));
    default: return most;
  }
}

}  // namespace

pending_collective::pending_collective(communicator& on, const call& by, const collective_arguments& what,
                                       bool is_persistent, std::unique_ptr<collective_staging> around)
    : on_(on),
      own_(is_persistent && needs_others(on, what) ? collective_member::make_persistent(on, most_copied(on, what))
                                                   : nullptr),
      member_(own_ != nullptr ? *own_ : collective_member::of(on)),
      service_(collective_service::of(on.owner())),
      what_(what),
      made_by_(by),
      is_persistent_(is_persistent),
      around_(std::move(around)) {}

void pending_collective::end_well() noexcept {
  if (around_ != nullptr) around_->after();
}

void pending_collective::start(const call& by) {
  if (is_broken_) {
    throw bad_argument(on_, by, errc::state, "an earlier start of the request has failed before its end: free it");
  }
  if (activity* const log = on_.owner().log(); log != nullptr) [[unlikely]]
    ++log->counts.collectives;
  failure_.reset();
  check_.reset();
  if (around_ != nullptr) around_->before();
  if (!needs_others(on_, what_)) {
    if (member_.size() == 1) {
      run_alone(what_);
    } else if (!is_persistent_) {
      member_.pass_over();
    }
    end_well();
    now_ = stage::complete;
    return;
  }
  // Both take their sequence numbers now: the order of the starts is that of the numbers.
  is_broken_ = true;  // if one of them cannot be made
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
  is_broken_ = false;
  now_ = check_ ? stage::checking : stage::running;
  if (!poll()) service_.add(*this);
}

bool pending_collective::poll() noexcept {
  if (is_complete()) return true;
  try {
    if (!move_on()) return false;
    if (!failure_) end_well();
  } catch (const Error& error) {
    is_broken_ = true;
    failure_.emplace(error);
  } catch (const std::exception& error) {
    is_broken_ = true;
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
          if (each.disagrees()) fail(errc::mismatch, explain(each, check_.get()));
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
  if (own_ != nullptr) own_->leave();
  on_.let_go();
}

int pending_collective::waits_for() const noexcept {
  return now_ == stage::checking ? check_->waits_for() : step_->waits_for();
}

wait_reason pending_collective::reason(const call& by) const noexcept {
  return {by, same_pending_call_by, on_.number_of(waits_for()), wait_reason::no_tag};
}

}  // namespace pure::core
