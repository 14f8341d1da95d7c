// Messages out: from the ranks' rings into packets of the network, or straight into it, and what is kept of a send
// until its rank may go on. By the holder of the network lock, but for list().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/open_accounts.hpp"
#include "gateway/context.hpp"
#include "gateway/outgoing.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/stream_sender.hpp"
#include "gateway/text_table.hpp"
#include "match/message_content.hpp"

namespace pure::core {

class outbox {
 public:
  using departure = remote_ranks::departure;

  outbox(gateway_context& context, packet_sender& packets, stream_sender& streams, text_table& texts)
      : context_(context), packets_(packets), streams_(streams), texts_(texts) {}

  /// By the rank that has written a message there.
  static void list(out_link& link) noexcept;
  /// Links that ranks have made become their ends'.
  static void adopt_announced(local_end& end);
  /// What finds no room is tried again with the end's other work.
  void forward_from(out_link& link);
  /// From all links of the end that have something.
  void forward_listed(local_end& end);

  /// Refused if the message has to wait behind others or for room, or is too large for a packet and cannot be lent.
  departure send_directly(out_link& link, const bare_message& what);

  /// Of a send, by its number: it has matched, it is its sender's again, or it is not.
  void hear_of(std::uint32_t number, wire_kind what);
  /// What ranks want back of what has left.
  void take_asked_back(local_end& end);
  /// The network is done with a payload.
  void payload_has_left(open_send& sent);
  void add_open_accounts(open_accounts& to) const { to.add("open sends", open_sends_.size()); }
  /// What of these ranks' sends is on its way or asked back.
  template <class Visit>
  void for_each_open(Visit visit) const {
    for (const auto& [number, each] : open_sends_) visit(each);
  }

 private:
  bool forward_all(out_link& link);
  bool forward(out_link& link, record& leaving);
  bool forward_in_run(out_link& link, record& leaving);
  void forward_synchronous(local_end& end, int process, outgoing message, record& leaving, packet& into);
  void forward_large(local_end& end, int process, outgoing message, const message_offer& offer, packet& into,
                     bool may_be_foreseen);
  void forward_object(int process, const outgoing& message, moved_value& object, packet& into);
  bool may_travel_inside(const outgoing& message) const noexcept {
    return message.what.bytes <= context_.most_inside_now() - message.bytes_before_envelope();
  }
  static bool is_plain(record& leaving) noexcept;

  departure send_without_envelope(out_link& link, packet& by, const bare_message& what, int tag, bool is_in_run);
  departure send_with_envelope(peer& to, out_link& link, int tag, std::span<const stream_of_run> next_run,
                               const bare_message& what);
  departure send_in_run(peer& to, out_link& link, const bare_message& what);
  departure send_large_directly(out_link& link, send_op& op);
  int new_tag(peer& to, out_link& link, const envelope& who) noexcept;

  open_send& open(local_end* end, int process);
  open_send& open_large(local_end& end, int process, claim_reference claim, send_op& op);
  void send_apart(open_send& made, outgoing message, const laid_out_source& data, packet& into,
                  bool may_be_foreseen = true);
  std::uint32_t next_tag(int process) noexcept;
  void end_if_complete(open_send& which);

  gateway_context& context_;
  packet_sender& packets_;
  stream_sender& streams_;
  text_table& texts_;
  std::unordered_map<std::uint32_t, open_send> open_sends_;  // by number
  std::vector<decltype(open_sends_)::node_type> free_sends_;
  std::uint32_t next_number_ = 0;
};

}  // namespace pure::core
