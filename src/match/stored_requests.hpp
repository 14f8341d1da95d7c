// Requests of messages that are laid out or persistent (MPI 4.1, 3.9 and 5.1): they keep what they were made of. Own
// thread of the rank only.
//
// Invariant: a persistent one is active from its start until it is completed by wait or test; one whose start throws
// stays inactive.
#pragma once

#include <cstdint>

#include "base/call.hpp"
#include "match/match_engine.hpp"
#include "match/request_tables.hpp"
#include "match/send_buffers.hpp"
#include "match/stored_message.hpp"
#include "runtime/rank.hpp"

namespace pure::core {

class stored_requests {
 public:
  stored_requests(rank_context& self, const message_halves& engine, request_tables& tables,
                  send_buffers& buffers) noexcept
      : self_(self), engine_(engine), tables_(tables), buffers_(buffers) {}

  // ---- of messages that may be laid out ----

  handle start_send(const call& by, send_mode mode, int to, const envelope& who, const placed_message& what);
  handle start_receive(const call& by, const placed_message& where, std::uint32_t context, int from, int tag);

  // ---- persistent ones: inactive until start() ----

  handle make_send(const call& by, send_mode mode, int to, const envelope& who, const placed_message& what);
  handle make_receive(const call& by, const placed_message& where, std::uint32_t context, int from, int tag);
  handle make_send_to_nobody(const call& by);
  handle make_receive_from_nobody(const call& by);

  /// Starts a persistent request, also one of a layer above. Throws request if it is none, or is active.
  void start(const call& by, handle request);
  /// Throws as start() would.
  void check_startable(const call& by, handle request);

 private:
  handle_table<send_entry>::made make_stored_send(const call& by, send_mode mode, int to, const envelope& who,
                                                  const placed_message& what);
  handle_table<receive_entry>::made make_stored_receive(const call& by, const placed_message& where,
                                                        std::uint32_t context, int from, int tag);
  void start(const call& by, receive_entry& entry);
  void start(const call& by, send_entry& entry);
  static void start(const call& by, operation_entry& entry) { entry.what->start(by); }

  rank_context& self_;
  const message_halves engine_;
  request_tables& tables_;
  send_buffers& buffers_;
};

}  // namespace pure::core
