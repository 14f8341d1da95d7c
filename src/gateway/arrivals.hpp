// Messages in: from envelopes to records in the rings of the receivers, in the order of arrival, and sends that are
// asked back. By the holder of the network lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gateway/context.hpp"
#include "gateway/message_entry.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/payload_receiver.hpp"
#include "gateway/text_table.hpp"

namespace pure::core {

class foreseen_receives;
class run_receiver;

class arrivals {
 public:
  arrivals(gateway_context& context, packet_sender& packets, text_table& texts, payload_receiver& payloads,
           foreseen_receives& foreseen, run_receiver& runs)
      : context_(context), packets_(packets), texts_(texts), payloads_(payloads), foreseen_(foreseen), runs_(runs) {}

  /// Of a pair of ranks; made when it is needed.
  in_link& link_to(int receiver, int sender);
  in_link& link_of(const message_entry& what) { return link_to(what.to, what.from); }

  /// A message, in the order of its link.
  void hand_over(in_link& link, int process, const message_entry& what, const std::optional<wire_note>& note,
                 const std::byte* payload);
  /// To the receive that waits for it, where its receiver is the one who polls, and nothing is before it. False
  /// otherwise.
  bool give_now(const in_link& link, const envelope& who, const std::byte* payload, std::size_t bytes);
  /// In its ring, or where it waits for room there.
  void leave_for_receiver(in_link& link, int process, const message_entry& what, const std::optional<wire_note>& note,
                          const std::byte* payload);
  /// What has found no room. False if some still find none.
  bool put_waiting(local_end& end);
  /// Tells the senders of synchronous messages which have matched.
  void tell_matches(local_end& end);
  /// The sender wants its message back: answers whether a receive has matched it.
  void answer_asked_back(int process, std::uint32_t number);

 private:
  static std::size_t lines_for(const waiting_entry& entry) noexcept;
  bool put(in_link& link, waiting_entry& next, const std::byte* payload);
  [[nodiscard]] bool take_back(int process, std::uint32_t number);
  bool take_back_waiting(local_end& end, int process, std::uint32_t number);

  gateway_context& context_;
  packet_sender& packets_;
  text_table& texts_;
  payload_receiver& payloads_;
  foreseen_receives& foreseen_;
  run_receiver& runs_;
};

}  // namespace pure::core
