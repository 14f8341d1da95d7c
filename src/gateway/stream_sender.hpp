// The sender's side of streams and runs (message_streams.hpp): which messages start a stream, where a run begins, and
// whether it goes on. By the holder of the network lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gateway/context.hpp"
#include "gateway/outgoing.hpp"
#include "gateway/wire.hpp"

namespace pure::core {

class stream_sender {
 public:
  explicit stream_sender(gateway_context& context) : context_(context) {}

  /// With a large message, of which `starting` says it, by its number; null if none starts.
  out_stream* start_stream(out_streams& of, int process, const envelope& who, std::uint32_t& starting) noexcept;

  /// The streams of the run that begins behind a message that is in none, if one does. `is_plain`: it could be in one.
  std::span<const stream_of_run> run_behind(out_link& link, const envelope& who, std::size_t bytes, bool is_plain) {
    const std::size_t shortest = context_.pace.is_slow() ? streams::shortest_of_run : streams::shortest_of_run_if_fast;
    const bool may_be_in_one = bytes >= shortest && !context_.is_too_long_for_run(bytes) && is_plain;
    if (may_be_in_one && context_.ways.runs && context_.ways.foreseen) return note_for_run(link, who, bytes);
    link.streams.interrupt_by(who, bytes);
    return {};
  }
  /// With the next message in the packet, whose envelope `what` is. It begins when that has been added, which is not
  /// foreseen: what came of it before the packet would be taken for the first of the run.
  void begin_run(out_link& link, const message_entry& what, packet& in, std::span<const stream_of_run> its) noexcept;
  /// Asked again for the same message, it may count it twice, and then ends the run sooner.
  [[nodiscard]] bool goes_on_with_run(const peer& to, out_link& link, const bare_message& what) noexcept;

  /// No runs with the stream of that number: its receiver has told that it does not foresee them.
  void avoid_runs(int process, std::uint32_t number) noexcept;
  /// A message of a run cannot be asked back, and its sender wants that.
  static void keep_out_of_runs(local_end& end, const send_op& taken_back) noexcept;

 private:
  std::span<const stream_of_run> note_for_run(out_link& link, const envelope& who, std::size_t bytes) noexcept;
  [[nodiscard]] bool has_room_for_streams(const out_streams& of, int process, std::uint32_t new_ones) const noexcept;
  /// There must be room. The next packet to the process has to tell of it.
  out_stream& add_stream(out_streams& of, int process, const envelope& who) noexcept;

  gateway_context& context_;
};

}  // namespace pure::core
