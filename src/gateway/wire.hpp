// What a packet holds: entries, most of them the envelopes of several ranks' messages to ranks of one other process,
// with their payloads where these are small (DESIGN D5). Plain bytes of one machine's order; all processes have the
// same (checked when the network is opened).
//
//   packet  = header, then entries, each at a multiple of 8
//   entry   = the struct of its kind, then what belongs to it, padded to a multiple of 8: the payload of the eager
//   kinds
//             and of texts and control messages
//
// A network message with a tag other than 0 holds a payload and nothing else (envelope_cache.hpp). A large message's
// payload follows under a network tag of its own: the receiver posts it when a receive has matched.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "transport/record.hpp"

namespace pure::core {

enum class wire_kind : std::uint8_t {
  eager,              // wire_eager: a message; its payload follows here
  large,              // wire_large: a message; its payload travels under its payload_tag
  eager_synchronous,  // wire_synchronous: as eager, but the sender waits for `matched`
  large_synchronous,  // wire_large: likewise
  matched,            // wire_answer, to a sender: a receive has matched the message
  cancel,             // wire_answer, to a receiver: its sender asks for the message back
  cancelled,          // wire_answer: it has not been matched, and is gone (a large one's payload is still received, and
                      // thrown away, by the process that answers so)
  not_cancelled,      // wire_answer: it had been matched
  text,               // wire_text: characters that notes name
  note,               // wire_note
  control,            // wire_control: a piece of a control message of one process's runtime to the other's
  run_begins,         // wire_run_stream: a run begins behind the next message of the pair, with this stream
  run_stream,         // wire_run_stream: the next of its streams
  run_ends,           // wire_run_end
  run_unwanted,       // wire_run_unwanted, to a sender
  nothing,            // wire_nothing: there is only something to say in its `seen`
  last = nothing
};

/// The last of the first 40 bytes of every entry.
struct wire_tail {
  wire_kind kind;
  std::uint8_t seen[3] = {};  // of a packet's first entry: see wire_writer::finish()
};

/// Between whom a message is, and as what it is matched: context, the sender's rank in the communicator, tag.
struct wire_pair {
  envelope who;
  std::uint32_t to = 0;  // ranks of the job
  std::uint32_t from = 0;
};

struct wire_eager {
  std::uint64_t bytes = 0;
  wire_pair of;
  std::uint32_t bare_tag = 0;       // under which messages with its envelope may come bare from now on; 0: none
  std::uint32_t record_number = 0;  // transport/record.hpp
  wire_tail tail{wire_kind::eager};
};

struct wire_synchronous {
  std::uint64_t bytes = 0;
  wire_pair of;
  std::uint32_t send_number = 0;  // the sender's, among its messages that somebody may have to name again
  std::uint32_t record_number = 0;
  wire_tail tail{wire_kind::eager_synchronous};
};

struct wire_large {
  std::uint64_t bytes = 0;
  wire_pair of;
  std::uint32_t send_number = 0;
  std::uint32_t payload_tag = 0;
  wire_tail tail{wire_kind::large};
  std::uint32_t record_number = 0;
  std::uint32_t stream = 0;  // that starts with it (message_streams.hpp); 0: none
};

struct wire_answer {
  std::uint32_t unused[8] = {};
  std::uint32_t send_number = 0;
  wire_tail tail{wire_kind::matched};
};

struct wire_text {
  std::uint64_t bytes = 0;
  std::uint32_t number = 0;    // of the text
  std::uint32_t position = 0;  // of these characters in it; the rest comes next
  std::uint32_t unused[5] = {};
  wire_tail tail{wire_kind::text};
};

/// What only some messages need said of them: before the message's entry in the same packet. Texts go by the numbers
/// under which this process has been told them; 0: none.
struct wire_note {
  std::uint32_t operation = 0;  // of the call that sends it, where calls are checked
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t object_type = 0;     // of an object that is serialized (pure/detail/archive.hpp)
  std::uint32_t message_number = 0;  // of its record (transport/record.hpp)
  std::uint32_t sum = 0;             // of its payload, if that follows; 0: none
  std::uint32_t unused[3] = {};
  wire_tail tail{wire_kind::note};
};

struct wire_control {
  std::uint64_t bytes = 0;    // of this piece
  std::uint64_t left = 0;     // that follow in the next ones
  std::uint32_t handler = 0;  // active_message_kind
  std::uint32_t unused[4] = {};
  wire_tail tail{wire_kind::control};
};

/// Of a run between a pair of ranks (message_streams.hpp).
struct wire_run_stream {
  std::uint64_t limit = 0;  // its messages are no longer
  wire_pair of;             // `who.tag`: the stream's
  std::uint32_t stream = 0;
  std::uint32_t streams = 0;  // of the whole run
  wire_tail tail{wire_kind::run_begins};
};

/// The run of the pair has ended.
struct wire_run_end {
  std::uint64_t unused = 0;
  wire_pair of;
  std::uint32_t messages = 0;  // of the run
  std::uint32_t unused_too = 0;
  wire_tail tail{wire_kind::run_ends};
};

/// No receives are posted that foresee the messages of the stream.
struct wire_run_unwanted {
  std::uint32_t unused[8] = {};
  std::uint32_t stream = 0;
  wire_tail tail{wire_kind::run_unwanted};
};

struct wire_nothing {
  std::uint32_t unused[9] = {};
  wire_tail tail{wire_kind::nothing};
};

struct wire_header {
  std::uint32_t bytes = 0;  // of the packet, with the header
  std::uint32_t entries = 0;
};

namespace wire {

inline constexpr std::size_t alignment = 8;
inline constexpr std::size_t tail_at = 36;
constexpr std::size_t padded(std::size_t bytes) noexcept { return (bytes + alignment - 1) / alignment * alignment; }

/// The largest payload that travels inside a packet of that size.
constexpr std::size_t largest_payload(std::size_t packet_bytes) noexcept {
  return (packet_bytes - sizeof(wire_header) - sizeof(wire_eager)) / alignment * alignment;
}

template <class Entry>
concept entry = std::is_trivially_copyable_v<Entry> && sizeof(Entry) % alignment == 0 &&
                offsetof(Entry, tail) == tail_at;
/// Kinds whose entries have `bytes` of payload behind them.
template <class Entry>
inline constexpr bool carries_payload = std::is_same_v<Entry, wire_eager> || std::is_same_v<Entry, wire_synchronous> ||
                                        std::is_same_v<Entry, wire_text> || std::is_same_v<Entry, wire_control>;
template <class Entry>
constexpr std::size_t payload_bytes(const Entry& of) noexcept {
  if constexpr (carries_payload<Entry>) {
    return of.bytes;
  } else {
    return 0;
  }
}

static_assert(entry<wire_eager> && entry<wire_synchronous> && entry<wire_large> && entry<wire_answer> &&
              entry<wire_text> && entry<wire_note> && entry<wire_control> && entry<wire_run_stream> &&
              entry<wire_run_end> && entry<wire_run_unwanted> && entry<wire_nothing>);
static_assert(sizeof(wire_eager) == 40 && sizeof(wire_synchronous) == 40 && sizeof(wire_large) == 48);
static_assert(std::endian::native == std::endian::little && sizeof(wire_tail) == 4);  // see seen_since()

}  // namespace wire

/// Packs entries into a buffer. One thread.
class wire_writer {
 public:
  /// Aligned to 8; at least a header and an entry.
  wire_writer(std::byte* buffer, std::size_t capacity) noexcept : buffer_(buffer), capacity_(capacity) { clear(); }

  void clear() noexcept {
    used_ = sizeof(wire_header);
    entries_ = 0;
  }
  [[nodiscard]] bool empty() const noexcept { return entries_ == 0; }
  [[nodiscard]] bool has_room_for(std::size_t entry_bytes) const noexcept { return entry_bytes <= capacity_ - used_; }

  /// Where to copy the payload of the entry, all of it; null if there is no room: then nothing has changed.
  template <wire::entry Entry>
  [[nodiscard]] std::byte* add(const Entry& what) noexcept {
    const std::size_t payload = wire::payload_bytes(what);
    if (payload > capacity_) return nullptr;  // first: it may be anything
    const std::size_t needed = sizeof what + wire::padded(payload);
    if (needed > capacity_ - used_) return nullptr;
    std::byte* const at = buffer_ + used_;
    std::memcpy(at, &what, sizeof what);
    used_ += needed;
    ++entries_;
    return at + sizeof what;
  }

  /// Completes the header; the packet is the first bytes of the buffer. Then clear(). `seen`: how many packets of the
  /// receiver the sender has dealt with; its last 24 bits travel.
  [[nodiscard]] std::size_t finish(std::uint64_t seen = 0) noexcept {
    const wire_header header{static_cast<std::uint32_t>(used_), entries_};
    std::memcpy(buffer_, &header, sizeof header);
    if (entries_ == 0) return used_;
    std::memcpy(buffer_ + sizeof header + wire::tail_at + offsetof(wire_tail, seen), &seen, sizeof wire_tail::seen);
    return used_;
  }

 private:
  std::byte* buffer_;
  std::size_t capacity_;
  std::size_t used_ = 0;
  std::uint32_t entries_ = 0;
};

/// Reads the entries of a packet in their order. One thread; the packet must stay.
class wire_reader {
 public:
  wire_reader(const std::byte* packet, std::size_t bytes) noexcept : packet_(packet), bytes_(bytes) {
    wire_header header;
    if (bytes < sizeof header) return;
    std::memcpy(&header, packet, sizeof header);
    if (header.bytes != bytes) return;
    left_ = header.entries;
    at_ = sizeof header;
  }

  /// What finish() was told, if that is less than 2^24 more than `before`; else something between.
  [[nodiscard]] std::uint64_t seen_since(std::uint64_t before) const noexcept {
    if (left_ == 0 || bytes_ < sizeof(wire_header) + sizeof(wire_eager)) return before;
    std::uint32_t kind_and_seen = 0;
    std::memcpy(&kind_and_seen, packet_ + sizeof(wire_header) + wire::tail_at, sizeof kind_and_seen);
    return before + (((kind_and_seen >> 8) - before) & 0xffffff);
  }

  /// Calls visit(entry, payload) with the next entry, whose type says what it is. False after the last one, or where
  /// the bytes are no packet; then is_whole() tells.
  template <class Visit>
  [[nodiscard]] bool next(Visit&& visit) {
    if (left_ == 0 || bytes_ - at_ < sizeof(wire_eager)) return false;
    wire_tail tail{};
    std::memcpy(&tail, packet_ + at_ + wire::tail_at, sizeof tail);
    switch (tail.kind) {
      case wire_kind::eager: return take<wire_eager>(visit);
      case wire_kind::large:
      case wire_kind::large_synchronous: return take<wire_large>(visit);
      case wire_kind::eager_synchronous: return take<wire_synchronous>(visit);
      case wire_kind::matched:
      case wire_kind::cancel:
      case wire_kind::cancelled:
      case wire_kind::not_cancelled: return take<wire_answer>(visit);
      case wire_kind::text: return take<wire_text>(visit);
      case wire_kind::note: return take<wire_note>(visit);
      case wire_kind::control: return take<wire_control>(visit);
      case wire_kind::run_begins:
      case wire_kind::run_stream: return take<wire_run_stream>(visit);
      case wire_kind::run_ends: return take<wire_run_end>(visit);
      case wire_kind::run_unwanted: return take<wire_run_unwanted>(visit);
      case wire_kind::nothing: return take<wire_nothing>(visit);
    }
    return false;
  }
  /// After the last next(): every byte has been read as what it is.
  [[nodiscard]] bool is_whole() const noexcept { return left_ == 0 && at_ != 0 && at_ == bytes_; }

 private:
  template <wire::entry Entry, class Visit>
  bool take(Visit& visit) {
    const std::size_t there = bytes_ - at_;
    Entry what;
    if (there < sizeof what) return false;
    std::memcpy(&what, packet_ + at_, sizeof what);
    const std::size_t payload = wire::payload_bytes(what);
    if (payload > there) return false;  // first: it may be anything
    const std::size_t taken = sizeof what + wire::padded(payload);
    if (taken > there) return false;
    const std::byte* const behind = packet_ + at_ + sizeof what;
    at_ += taken;
    --left_;
    visit(what, behind);
    return true;
  }

  const std::byte* packet_;
  std::size_t bytes_;
  std::size_t at_ = 0;  // 0: no header
  std::uint32_t left_ = 0;
};

}  // namespace pure::core
