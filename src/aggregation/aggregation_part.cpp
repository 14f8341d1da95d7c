#include "aggregation/aggregation_part.hpp"

namespace pure::core {

aggregation_part::aggregation_part(std::vector<item_home> homes, int process, std::span<const int> machines,
                                   aggregation_options options, item_transport* transport)
    : layout_(std::move(homes), process, machines, std::move(options)),
      transport_(layout_.processes() > 1 ? transport : nullptr),
      members_(layout_.ranks_here()),
      outgoing_(layout_, members_, channels_, transport_),
      shared_(layout_, outgoing_),
      phases_(layout_, members_, transport_ == nullptr ? nullptr : &outgoing_,
              transport_ == nullptr ? nullptr : &shared_),
      incoming_(layout_, members_, channels_, shared_, phases_, spare_),
      references_(static_cast<int>(members_.size())) {}

aggregation_part::~aggregation_part() {
  owned_transport_.reset();  // nothing is delivered from here on
  for (part_member& each : members_.all()) delete_buffers(each.inbox.take());
}

bool aggregation_part::poll_transport() {
  if (transport_ == nullptr) return false;
  const bool has_moved = transport_->poll();
  return outgoing_.try_again() || has_moved;
}

void aggregation_part::add_open_accounts(open_accounts& to) {
  outgoing_.add_open_accounts(to);
  shared_.add_open_accounts(to);
  incoming_.add_open_accounts(to);
  if (transport_ != nullptr) transport_->add_open_accounts(to);
}

}  // namespace pure::core
