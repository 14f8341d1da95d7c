// What is said of messages beside their envelopes: the types of serialized objects; where messages are checked
// (PURE_CHECK), the calls that have sent them.
//
// Texts are told once to each process, and then named by numbers. A text that is longer than a packet is told in parts;
// one that is told again from its beginning, because there was no room for its end, replaces what is there. By the
// holder of the network lock, but for calls_of().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gateway/context.hpp"
#include "gateway/outgoing.hpp"
#include "gateway/packet_sender.hpp"
#include "gateway/wire.hpp"
#include "match/send_log.hpp"

namespace pure::core {

class text_table {
 public:
  text_table(gateway_context& context, packet_sender& packets) : context_(context), packets_(packets) {}

  /// Before any rank runs. `ranks`: of the job.
  void make_logs(int ranks) { calls_.resize(static_cast<std::size_t>(ranks)); }

  /// Gives the message a note, if there is something to say. False if there is no room for the texts in it.
  bool describe(const local_end& end, int process, record& leaving, outgoing& message);

  void hear_text(int process, const wire_text& part, const std::byte* payload);
  /// Null for none. It stays as long as the gateway.
  [[nodiscard]] const char* text_of(int process, std::uint32_t number) const;
  void note_call(int process, int sender, const wire_note& note);
  /// The calls of a rank of another process; null: none is known. For whoever has one of their messages.
  [[nodiscard]] const send_log* calls_of(int sender) const noexcept {
    return calls_[static_cast<std::size_t>(sender)].get();
  }

 private:
  std::optional<std::uint32_t> number_of_text(int process, const char* text);

  gateway_context& context_;
  packet_sender& packets_;
  std::vector<std::unique_ptr<send_log>> calls_;  // by sender; made before its first message is handed over
};

}  // namespace pure::core
