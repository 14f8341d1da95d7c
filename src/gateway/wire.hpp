// What a network message holds: the envelopes of several ranks' messages to ranks of one other process, with their
// payloads where these are small (DESIGN D5). Plain bytes of one machine's order; all processes have the same (checked
// when the network is opened).
//
//   message  = header, then entries, each at a multiple of 8
//   entry    = wire_envelope, then what belongs to it, padded to a multiple of 8: the payload of the eager kinds and of
//              texts and control messages, a wire_large of the large ones
//
// A network message with a tag other than 0 holds a payload and nothing else (gateway/envelope_cache.hpp).
//
// Who uses it: whoever has the network's turn packs what ranks have left for a process into one message, as much as is
// there at that time, and never waits for more; it unpacks arrived ones into what each rank polls. A large message's
// payload follows under a network tag of its own (`payload_tag`): the receiver posts it when a receive has matched.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "transport/record.hpp"

namespace pure::core {

enum class wire_kind : std::uint8_t {
  eager,              // a message; its payload follows here
  large,              // a message; its payload travels under payload_tag
  eager_synchronous,  // the same two, but the sender waits for `matched`
  large_synchronous,
  matched,          // to a sender: a receive has matched the message `number`
  cancel,           // the sender asks for its message `number` back
  cancelled,        // the answers: it has not been matched, and is gone (a large one's payload is still received, and
  not_cancelled,    // thrown away, by the process that answers so); or it had been matched
  text,             // characters that notes name by `number`, from position payload_tag on; the rest comes next
  note,             // a wire_note
  control_message,  // of one process's runtime to the other's: a piece of it is here, and `number` bytes follow in the
                    // next ones
  // Of a pair of ranks (gateway/message_streams.hpp): a run begins behind its next message, of `payload_tag` streams,
  // of which the first is `number`, and its messages are no longer than `bytes`; the same of the next of its streams;
  // it has ended, after `number` messages.
  run_begins,
  run_stream,
  run_ends,
  run_unwanted,  // to a sender: no receives are posted that foresee the messages of the stream `number`
  nothing,       // there is only something to say in its `seen`
  last = nothing
};

/// What follows the envelope of a large message.
struct wire_large {
  std::uint32_t record_number = 0;  // transport/record.hpp
  std::uint32_t stream = 0;         // that starts with it (gateway/message_streams.hpp); 0: none
};

struct wire_envelope {
  std::uint64_t bytes = 0;  // of the message
  envelope who;             // as it is matched: context, the sender's rank in the communicator, tag
  std::uint32_t to = 0;     // ranks of the job
  std::uint32_t from = 0;
  // The sender's, among its messages that somebody may have to name again. Of an eager one: the tag under which
  // messages with its envelope may come bare from now on, or 0 (gateway/envelope_cache.hpp).
  std::uint32_t number = 0;
  std::uint32_t payload_tag = 0;  // of a large one; of others, the number of the record (transport/record.hpp)
  wire_kind kind = wire_kind::eager;
  std::uint8_t seen[3] = {};  // of a message's first entry: see wire_writer::finish()

  [[nodiscard]] bool carries_payload() const noexcept {
    return kind == wire_kind::eager || kind == wire_kind::eager_synchronous || kind == wire_kind::text ||
           kind == wire_kind::control_message;
  }
  /// Whether `number` is that of a send, which may be asked back.
  [[nodiscard]] bool names_send() const noexcept {
    return kind == wire_kind::large || kind == wire_kind::large_synchronous || kind == wire_kind::eager_synchronous;
  }
  /// Where runs begin and end.
  [[nodiscard]] bool is_of_run() const noexcept {
    return kind == wire_kind::run_begins || kind == wire_kind::run_stream || kind == wire_kind::run_ends;
  }
  /// How many bytes follow it in its entry.
  [[nodiscard]] std::size_t bytes_inside() const noexcept {
    if (carries_payload()) return bytes;
    const bool is_large = kind == wire_kind::large || kind == wire_kind::large_synchronous;
    return is_large ? sizeof(wire_large) : 0;
  }
  /// What the entry takes in a message.
  [[nodiscard]] std::size_t entry_bytes() const noexcept;
};
static_assert(std::is_trivially_copyable_v<wire_envelope>);
static_assert(sizeof(envelope) == 12 && sizeof(wire_envelope) == 40 && alignof(wire_envelope) == 8);
static_assert(std::endian::native == std::endian::little && offsetof(wire_envelope, seen) == 37);  // see seen_since()
static_assert(offsetof(wire_envelope, who) == 8 && offsetof(wire_envelope, to) == 20 &&
              offsetof(wire_envelope, number) == 28 && offsetof(wire_envelope, kind) == 36);

/// What only some messages need said of them: an entry of its own, before the message's in the same packet. Texts go by
/// the numbers under which this process has been told them; 0: none.
struct wire_note {
  std::uint32_t operation = 0;  // of the call that sends it, where calls are checked
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t object_type = 0;     // of an object that is serialized (pure/detail/archive.hpp)
  std::uint32_t message_number = 0;  // of its record (transport/record.hpp)
  std::uint32_t unused[4] = {};
  wire_kind kind = wire_kind::note;
  std::uint8_t seen[3] = {};  // as there
};
static_assert(std::is_trivially_copyable_v<wire_note> && sizeof(wire_note) == sizeof(wire_envelope));
static_assert(offsetof(wire_note, kind) == offsetof(wire_envelope, kind));
static_assert(offsetof(wire_note, seen) == offsetof(wire_envelope, seen));

struct wire_header {
  std::uint32_t bytes = 0;  // of the message, with the header
  std::uint32_t entries = 0;
};
static_assert(std::is_trivially_copyable_v<wire_header> && sizeof(wire_header) == 8);

namespace wire {

inline constexpr std::size_t alignment = 8;
constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + alignment - 1) / alignment * alignment; }

/// The largest payload that travels inside a message of that size.
constexpr std::size_t largest_payload(std::size_t message_bytes) noexcept {
  return (message_bytes - sizeof(wire_header) - sizeof(wire_envelope)) / alignment * alignment;
}

}  // namespace wire

inline std::size_t wire_envelope::entry_bytes() const noexcept {
  return sizeof(wire_envelope) + wire::padded(bytes_inside());
}

/// Packs entries into a buffer. One thread.
class wire_writer {
 public:
  /// Aligned to 8; at least a header and an envelope.
  wire_writer(std::byte* buffer, std::size_t capacity) noexcept : buffer_(buffer), capacity_(capacity) { clear(); }

  void clear() noexcept {
    used_ = sizeof(wire_header);
    entries_ = 0;
  }
  [[nodiscard]] bool empty() const noexcept { return entries_ == 0; }
  [[nodiscard]] bool has_room_for(std::size_t entry_bytes) const noexcept { return entry_bytes <= capacity_ - used_; }

  /// Where to copy what belongs to the envelope (then fill all bytes_inside()); null if there is no room: then nothing
  /// has changed.
  [[nodiscard]] std::byte* add(const wire_envelope& entry) noexcept {
    if (entry.bytes_inside() > capacity_) return nullptr;  // first: it may be anything
    const std::size_t needed = entry.entry_bytes();
    if (needed > capacity_ - used_) return nullptr;
    std::byte* const at = buffer_ + used_;
    std::memcpy(at, &entry, sizeof entry);
    used_ += needed;
    ++entries_;
    return at + sizeof entry;
  }

  /// Completes the header; the message is the first bytes of the buffer. Then clear(). `seen`: how many messages of the
  /// receiver the sender has dealt with; its last 24 bits travel.
  [[nodiscard]] std::size_t finish(std::uint64_t seen = 0) noexcept {
    const wire_header header{static_cast<std::uint32_t>(used_), entries_};
    std::memcpy(buffer_, &header, sizeof header);
    if (entries_ == 0) return used_;
    std::memcpy(buffer_ + sizeof header + offsetof(wire_envelope, seen), &seen, sizeof wire_envelope::seen);
    return used_;
  }

 private:
  std::byte* buffer_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  std::uint32_t entries_ = 0;
};

/// Reads the entries of a message in their order. One thread; the message must stay.
class wire_reader {
 public:
  wire_reader(const std::byte* message, std::size_t bytes) noexcept : message_(message), bytes_(bytes) {
    wire_header header;
    if (bytes < sizeof header) return;
    std::memcpy(&header, message, sizeof header);
    if (header.bytes != bytes) return;
    left_ = header.entries;
    at_ = sizeof header;
  }

  /// What finish() was told, if that is less than 2^24 more than `before`; else something between.
  [[nodiscard]] std::uint64_t seen_since(std::uint64_t before) const noexcept {
    if (left_ == 0 || bytes_ < sizeof(wire_header) + sizeof(wire_envelope)) return before;
    std::uint32_t kind_and_seen = 0;
    std::memcpy(&kind_and_seen, message_ + sizeof(wire_header) + offsetof(wire_envelope, kind), sizeof kind_and_seen);
    return before + (((kind_and_seen >> 8) - before) & 0xffffff);
  }

  /// False after the last entry, or where the bytes are not a message; then is_whole() tells.
  [[nodiscard]] bool next(wire_envelope& entry, const std::byte*& payload) noexcept {
    if (left_ == 0 || bytes_ - at_ < sizeof entry) return false;
    std::memcpy(&entry, message_ + at_, sizeof entry);
    if (entry.kind > wire_kind::last) return false;
    if (entry.bytes_inside() > bytes_) return false;  // first: it may be anything
    const std::size_t taken = entry.entry_bytes();
    if (taken > bytes_ - at_) return false;
    payload = message_ + at_ + sizeof entry;
    at_ += taken;
    --left_;
    return true;
  }
  /// After the last next(): every byte has been read as what it is.
  [[nodiscard]] bool is_whole() const noexcept { return left_ == 0 && at_ != 0 && at_ == bytes_; }

 private:
  const std::byte* message_;
  std::size_t bytes_;
  std::size_t at_ = 0;  // 0: no header
  std::uint32_t left_ = 0;
};

}  // namespace pure::core
