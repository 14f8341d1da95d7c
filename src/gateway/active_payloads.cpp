#include "gateway/active_payloads.hpp"

#include <utility>

namespace pure::core {

active_payloads::moving& active_payloads::start(active_payload& its) {
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);
    free_.push_back(all_.emplace_back(std::make_unique<moving>()).get());
  }
  moving& made = *free_.back();
  free_.pop_back();
  made.its = &its;
  ++context_.payloads_on_their_way;
  return made;
}

void active_payloads::end(moving& done) noexcept {
  --context_.payloads_on_their_way;
  free_.push_back(&done);
  std::exchange(done.its, nullptr)->has_moved();
}

void active_payloads::send(int process, active_payload& what) {
  moving& made = start(what);
  if (context_.net.send(made.going, process, tag(), what.data, what.bytes)) end(made);
}

void active_payloads::receive(int process, active_payload& into) {
  moving& made = start(into);
  if (context_.net.receive(made.going, process, tag(), into.data, into.bytes)) end(made);
}

void active_payloads::has_moved(moving& done) noexcept { end(done); }

void active_payloads::add_open_accounts(open_accounts& to) const {
  to.add("payloads of active messages on their way", all_.size() - free_.size());
}

}  // namespace pure::core
