#include "coll/neighbour_exchange.hpp"

#include <algorithm>
#include <utility>

#include "comm/point_to_point.hpp"

namespace pure::core {

neighbour_exchange::neighbour_exchange(communicator& on, const call& by, std::vector<message> sent,
                                       std::vector<message> received, bool is_persistent)
    : on_(on), made_by_(by), sent_(std::move(sent)), received_(std::move(received)), is_persistent_(is_persistent) {}

void neighbour_exchange::start(const call& by) {
  const std::uint32_t context = on_.shared().context(traffic::neighbours);
  failure_.reset();
  pairs_.clear();
  pairs_.reserve(std::max(sent_.size(), received_.size()));
  for (std::size_t i = 0; i < pairs_.capacity(); ++i) {
    message_exchange& both = *pairs_.emplace_back(std::make_unique<message_exchange>(on_.engine()));
    if (i < received_.size() && received_[i].peer != proc_null) {
      const message& each = received_[i];
      both.set_receive(each.data, context, on_.number_of(each.peer), each.tag);
    }
    if (i < sent_.size() && sent_[i].peer != proc_null) {
      const message& each = sent_[i];
      both.set_send(on_.number_of(each.peer), {context, on_.rank(), each.tag}, each.data);
    }
  }
  is_active_ = true;
  for (const auto& each : pairs_) each->start_both(by);
}

bool neighbour_exchange::poll() noexcept {
  if (!is_active_) return true;
  bool are_all = true;
  for (const auto& each : pairs_) are_all &= each->poll();
  if (are_all && !failure_) find_failure();
  return are_all;
}

void neighbour_exchange::find_failure() {
  for (const auto& each : pairs_) {
    const errc code = each->outcome().error;
    if (code == errc::success) continue;
    failure_.emplace(
        bad_argument(on_, made_by_, code, "a neighbour has sent more than there is room for, or other elements"));
    return;
  }
}

wait_reason neighbour_exchange::reason(const call& by) const noexcept {
  const auto open = std::find_if(pairs_.begin(), pairs_.end(), [](const auto& each) { return !each->poll(); });
  return (open == pairs_.end() ? pairs_.back() : *open)->reason(by);
}

void neighbour_exchange::settle(const call& by) noexcept {
  for (const auto& each : pairs_) {
    each->settle(by);
    if (!failure_ && each->failure() != nullptr) failure_.emplace(*each->failure());
  }
}

void neighbour_exchange::add_contexts(std::vector<std::uint32_t>& to) const {
  to.push_back(on_.shared().context(traffic::neighbours));
}

void neighbour_exchange::let_go() noexcept {
  pairs_.clear();
  on_.let_go();
}

namespace {

handle adopt(communicator& on, const call& by, std::vector<neighbour_exchange::message> sent,
             std::vector<neighbour_exchange::message> received, bool is_persistent) {
  auto made = std::make_unique<neighbour_exchange>(on, by, std::move(sent), std::move(received), is_persistent);
  neighbour_exchange& adopted = *made;
  const handle name = on.requests().adopt(by, std::move(made));
  adopted.hold_communicator();
  if (!is_persistent) adopted.start(by);
  return name;
}

}  // namespace

void run_neighbour_exchange(communicator& on, const call& by, std::vector<neighbour_exchange::message> sent,
                            std::vector<neighbour_exchange::message> received) {
  handle started = adopt(on, by, std::move(sent), std::move(received), false);
  on.requests().wait(by, started);
  on.requests().finish_or_throw(by, started, [](const status&) {});
}

handle start_neighbour_exchange(communicator& on, const call& by, std::vector<neighbour_exchange::message> sent,
                                std::vector<neighbour_exchange::message> received, bool is_persistent) {
  return adopt(on, by, std::move(sent), std::move(received), is_persistent);
}

}  // namespace pure::core
