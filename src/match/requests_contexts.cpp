// Requests: the contexts that they still need. A communicator that is freed gives up its context when no request of the
// rank needs it any more (comm/communicator_table.hpp).
#include "match/requests.hpp"

namespace pure::core {

std::vector<std::uint32_t> requests::contexts() {
  std::vector<std::uint32_t> all;
  if (receives_.live() > 0) receives_.for_each([&](const receive_entry& each) { all.push_back(each.op.context); });
  if (sends_.live() > 0) sends_.for_each([&](const send_entry& each) { all.push_back(each.op.who.context); });
  if (operations_.live() > 0) operations_.for_each([&](const operation_entry& each) { each.what->add_contexts(all); });
  buffer_.add_contexts(all);
  for (const auto& [context, buffer] : buffers_of_communicators_) buffer->add_contexts(all);
  return all;
}

}  // namespace pure::core
