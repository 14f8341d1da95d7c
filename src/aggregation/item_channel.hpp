// One rank's end of a channel: where its items for each destination wait, and who handles those that come.
//
// A send writes its item to the place that a route names, outside of the library (pure/aggregation.hpp), and calls
// route_is_full() for the last place. A route that has no buffer yet leads to a scratch place, which is its last one:
// so the first item of a buffer comes here, too, and one comparison an item is enough. Routes of a *guarded* channel
// always lead to the scratch place: every item comes here, to be combined or checked (PURE_CHECK).
//
// Own thread of the rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <pure/detail/aggregation.hpp>

#include "aggregation/aggregation_layout.hpp"
#include "aggregation/call_checks.hpp"
#include "aggregation/channel_words.hpp"
#include "aggregation/item_buffer.hpp"
#include "aggregation/item_sender.hpp"
#include "aggregation/packet_writer.hpp"
#include "aggregation/send_follow_up.hpp"
#include "aggregation/shared_packets.hpp"
#include "base/aligned_bytes.hpp"
#include "base/call.hpp"

namespace pure::core {

/// Ends the context of a channel that cannot be made.
class owned_context {
 public:
  explicit owned_context(const detail::channel_request& of) noexcept : of_(of) {}
  owned_context(const owned_context&) = delete;
  owned_context& operator=(const owned_context&) = delete;
  ~owned_context() {
    if (is_owned_ && of_.destroy != nullptr) of_.destroy(of_.context);
  }
  /// The channel is made, and destroys it.
  void release() noexcept { is_owned_ = false; }

 private:
  const detail::channel_request& of_;
  bool is_owned_ = true;
};

/// What a channel uses of its rank. All outlive it.
struct channel_home {
  const aggregation_layout& layout;
  const call_checks& checks;
  item_sender& sender;
  shared_packets& shared;
  send_follow_up& behind;
  bool checks_sends = false;  // PURE_CHECK
};

class item_channel {
 public:
  using item_route = detail::item_route;
  static constexpr std::size_t largest_alignment = line_bytes;

  /// The context of `wanted` is destroyed with the channel; not if this throws.
  item_channel(const channel_home& home, std::size_t number, const detail::channel_request& wanted);
  item_channel(const item_channel&) = delete;
  item_channel& operator=(const item_channel&) = delete;
  ~item_channel();

  [[nodiscard]] detail::item_sends sends() noexcept { return {routes_.data(), &word_->word, word_->tag, this}; }

  /// For sends that have found no destination: there is no such rank, or the channel has ended. Throws rank, state.
  [[noreturn]] static void throw_no_destination(const call& by, const detail::item_sends& of, int dest);

  /// Throws state, no_memory: then the item has not been sent, and all others wait as before. So does send_urgent().
  void route_is_full(const call& by, int dest);
  void send_urgent(const call& by, const std::byte* item, int dest);
  /// Pushes what waits for that rank. True if there was something. Throws std::bad_alloc, as flush_process() and
  /// flush_older(): what has not left still waits.
  bool flush(const call& by, int dest);
  /// What waits for other processes, by the next one on its way.
  bool flush_process(int next);
  /// When the oldest item that waits was sent; 0 if none does, or nobody keeps the time.
  [[nodiscard]] std::int64_t oldest_ns() const noexcept;
  /// Pushes what has waited since `limit_ns` or longer.
  bool flush_older(const call& by, std::int64_t limit_ns);
  /// How many items wait.
  [[nodiscard]] std::uint64_t waiting() const noexcept;

  /// Calls the handler. Throws what it throws.
  void handle(item_buffer& arrived);

 private:
  /// What is open for a destination.
  struct open_buffer {
    item_buffer* buffer = nullptr;
    std::uint32_t capacity = 0;   // of items; of the next one, where none is open
    std::uint8_t short_ones = 0;  // in a row, that left less than half full
  };

  static constexpr std::size_t first_items = 64;
  static constexpr std::size_t most_items = 1024;
  static constexpr std::size_t most_chunk_items = 32;

  /// What waits for other processes, by the next one on its way (schemes wps, wsp, pp, automatic).
  struct group {
    explicit group(packet_writer own) : packet(std::move(own)) {}

    packet_writer packet;         // of this rank's own
    std::vector<int> dests;       // whose items go that way
    std::size_t open_chunks = 0;  // of these
    std::size_t shared_ones = 0;  // items since the last flush
    std::uint8_t short_ones = 0;  // packets in a row that have left less than half full
    bool is_shared = false;       // chunks fill packets with those of the other ranks here
  };

  /// Not at the begin of its memory, which may be where a full chunk ends: a route to the one would look like the
  /// other.
  [[nodiscard]] std::byte* scratch() const noexcept { return scratch_.get() + largest_alignment; }
  [[nodiscard]] item_route closed_route() const noexcept { return {scratch(), scratch() + item_bytes_}; }
  [[nodiscard]] item_route& route_of(int dest) noexcept {
    return is_guarded_ ? guarded_[static_cast<std::size_t>(dest)] : routes_[static_cast<std::size_t>(dest)];
  }
  void make_groups(std::size_t capacity);
  [[nodiscard]] bool is_in_group(int dest) const noexcept;
  [[nodiscard]] std::byte* first_of(int dest) const noexcept;
  [[nodiscard]] std::size_t count_of(int dest) const noexcept;
  void place(const call& by, const std::byte* item, int dest);
  void append(const call& by, const std::byte* item, int dest);
  void open(int dest);
  bool absorbs(const std::byte* item, int dest);
  bool push(const call& by, int dest, bool is_full);
  void push_full(const call& by, int dest);
  void take_back_last(int dest) noexcept;
  void adapt(open_buffer& closed, std::size_t count, bool is_full) const noexcept;
  void place_in_chunk(const call& by, const std::byte* item, int dest);
  bool push_chunk(group& to, int dest);
  bool add_to_packet(group& to, const std::byte* items, std::size_t count, const item_tag& tag, int next,
                     std::size_t& taken);
  void close_chunk(group& of, int dest) noexcept;
  void push_packet(group& pushed, int next);
  void choose_scheme(group& pushed, std::size_t count, bool is_full);

  const channel_home home_;
  const std::size_t number_;
  const std::size_t item_bytes_;
  const detail::channel_request what_;
  bool is_guarded_ = false;
  bool adapts_ = false;
  bool chooses_ = false;               // scheme automatic: whether a rank fills packets alone
  std::vector<item_route> routes_;     // what sends use, by destination
  std::vector<item_route> guarded_;    // of a guarded channel: where items go
  std::vector<open_buffer> open_;      // by destination
  std::vector<group> groups_;          // by next process
  std::size_t chunk_items_ = 0;        // of each destination in another process
  std::vector<aligned_bytes> chunks_;  // by destination; null: nothing was sent there yet
  std::int64_t group_opened_ns_ = 0;   // no item in groups_ is older; 0: nobody keeps the time, or there is none
  aligned_bytes scratch_;
  channel_words::entry* word_ = nullptr;  // for sends
};

}  // namespace pure::core
