// Modelled by tests/model/runs.pml.
#include "gateway/outgoing.hpp"

namespace pure::core {

namespace {

/// A run of so many messages of each of its streams was long.
constexpr std::uint32_t many_messages = 16;

}  // namespace

std::byte* packet::add(const outgoing& message) noexcept {
  if (message.streams->ends_before(message.what.who, message.what.bytes)) {
    add_end_of_run(message.what, *message.streams);
  }
  if (message.note) static_cast<void>(entries.add(*message.note));
  return add(message.what, *message.streams);
}

void packet::add_end_of_run(const message_entry& before, out_streams& streams) noexcept {
  const wire_pair of{before.who, static_cast<std::uint32_t>(before.to), static_cast<std::uint32_t>(before.from)};
  static_cast<void>(entries.add(wire_run_end{.of = of, .messages = streams.messages_of_run}));
  streams.run = nullptr;
  const bool was_long = streams.messages_of_run >= many_messages * streams.of_run.size();
  streams.had_long_run = was_long && streams.of_run.size() > 1;
  for (out_stream* const each : streams.of_run) {
    each->had_long_run = was_long && streams.of_run.size() == 1;
    each->end_run(number);
  }
}

}  // namespace pure::core
