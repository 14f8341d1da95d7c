// Streams: the messages from one rank to one rank of another process, with one context and one tag, once some of them
// are too large for a packet. Both processes count them alike, so the receiver knows the tag under which the payload of
// the next one will travel, if that is large, and can post its receive before the envelope is here
// (gateway/foreseen_receives.hpp).
//
//   sender    adds a message to a packet   -> count + 1    in the order of the packets, which is that of arrival
//   receiver  reads its envelope           -> count + 1
//
// A payload travels under the tag of its place in the stream if it is no longer than `limit`, about the longest of
// those before it, which both know: so it fits where one is expected; and if its tag is free (out_stream). Else it has
// a tag of its own (gateway::next_tag). The second large message with a context and tag starts the stream, by its
// envelope; a pair of ranks has few, which live as long as the job (contexts that several processes use are never given
// out again: communicator_registry.hpp). What has found no place among them travels as everything once did.
//
// A *run*: messages that follow each other, of one stream, or of some in turn, as where several fields of a grid are
// exchanged; nothing else of their pair between them but short messages with other contexts. They travel as payloads of
// their places, without envelopes, straight into the buffers of receives that are posted for them; so they are no
// longer than their stream's limit. Entries in packets say where a run begins, and of which streams, before the message
// that comes before its first one, and, before the next other message of the pair, how many it was
// (gateway/run_receiver.hpp).
//
// By the holder of the network lock. tests/model/streams.pml, runs.pml
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/record.hpp"

namespace pure::core {

struct foreseen_receive;
struct in_link;

namespace streams {

inline constexpr std::uint32_t most_of_a_pair = 16;
inline constexpr std::uint32_t tags_of_each = 16;
/// Messages of a run: shorter ones are copied in less time than it takes to post a receive for each
/// (D-runs-from-5-kb, D-runs-from-8-kb). Over TCP runs of 4 KB have the kernel acknowledge each message
/// (docs/processes.md).
inline constexpr std::size_t shortest_of_run = std::size_t{8} * 1024;
inline constexpr std::size_t shortest_of_run_if_fast = std::size_t{5} * 1024;
/// Longer ones come to memory of the receiver's process where nobody receives them, and an envelope costs them little.
inline constexpr std::size_t longest_of_run = std::size_t{1024} * 1024;

/// Of a message between those of a run with that context, or of one that may begin: whether it is nothing to it. One
/// with another context has no order with them, for no receive can match both; so a barrier leaves a run alone, and a
/// short sum. What could be in a run itself does not.
constexpr bool is_aside(std::uint32_t context, const envelope& who, std::size_t bytes) noexcept {
  return who.context != context && bytes < shortest_of_run_if_fast;
}

/// So many messages in a row are each like the one before in their turn, and one more for each further stream of a
/// turn, and behind them a run begins; or behind the first one, if the last run of these had many messages, and
/// something else came between. (The first ones over Open MPI's TCP have an envelope each, which takes longer:
/// D-runs-large.)
inline constexpr std::uint32_t alike_before_run = 4;
/// So many of the same length that are shorter than others of their stream end one.
inline constexpr std::uint32_t short_before_end = 16;

/// Payloads have the second half of a network's tags, but for the last one (network/process_collective.hpp).
constexpr std::uint32_t first_tag(int largest_tag) noexcept { return static_cast<std::uint32_t>(largest_tag) / 2 + 1; }
/// The payloads of active messages have this one, those of large messages the ones below, in turn
/// (active_payloads.hpp).
constexpr std::uint32_t active_tag(int largest_tag) noexcept { return first_tag(largest_tag) - 1; }
/// How many pairs of ranks of two processes there are tags for.
constexpr std::uint32_t most_pairs(int largest_tag) noexcept {
  return (static_cast<std::uint32_t>(largest_tag) - first_tag(largest_tag)) / (most_of_a_pair * tags_of_each);
}

}  // namespace streams

struct message_stream {
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  std::uint32_t first_tag = 0;  // of its payloads
  std::uint32_t count = 0;
  std::size_t limit = 0;

  /// Of the payload at the place after `further` more.
  [[nodiscard]] std::uint32_t next_tag(std::uint32_t further = 0) const noexcept {
    return first_tag + (count + further) % streams::tags_of_each;
  }
  /// By a large message; only those that travel in one piece are foreseen. One that was much longer than the others is
  /// forgotten with time.
  void has_grown(std::size_t bytes, std::size_t piece_bytes) noexcept {
    limit = std::max(limit - limit / 8, std::min(bytes, piece_bytes));
  }
};

struct in_stream : message_stream {
  std::int32_t source = 0;               // the sender, in the communicator
  std::uint32_t owed = 0;                // the next messages, which were received before their envelopes came
  std::uint32_t unposted = 0;            // payloads under its tags whose receives have not been posted
  foreseen_receive* expected = nullptr;  // the next message that is not owed, if its receive has been posted
  foreseen_receive* again = nullptr;     // the one that its expected messages have in turn (payload_pool.hpp)
  in_link* run_of = nullptr;             // it is in a run there
  std::uint32_t ahead = 0;               // messages of that run that have come, while one before them is missing
  bool is_noted = false;                 // its receiver has been told of it
  bool is_kept = false;                  // no receive had been posted for the last message of a run
  std::uint32_t pauses = 0;              // receives that expect none, because others did in vain
  std::uint32_t next_pauses = 0;

  void was_in_vain() noexcept { pauses = next_pauses = std::min(2 * next_pauses + 1, 15U); }
};

/// The sender's. A tag comes again after tags_of_each messages, and must not meet a receive that expects the one
/// before: so it is used only if the receiver's process has dealt with that message's envelope, which its own packets
/// tell.
struct out_stream : message_stream {
  std::array<std::uint64_t, streams::tags_of_each> in_packet{};  // of the last messages, by place
  std::uint32_t without_run = 0;                                 // so many of the next messages that could begin one
  bool had_long_run = false;                                     // the last one was
  std::size_t short_bytes = 0;                                   // of its last messages of the run, and how many these
  std::uint32_t short_ones = 0;                                  // are in a row, while they are shorter than the limit

  void add(std::uint64_t packet) noexcept { in_packet[count++ % streams::tags_of_each] = packet; }
  /// One of a run: it is received with its tag, whatever happens.
  void add_of_run() noexcept { add(0); }
  /// Of the next message of a run: whether so many have been as short as it that the run ends, and the next one has a
  /// lower limit. A receive with less room than the limit is never posted in the network.
  [[nodiscard]] bool shortens_run(std::size_t bytes) noexcept {
    if (bytes >= limit) {
      short_ones = 0;
    } else {
      short_ones = bytes == short_bytes ? short_ones + 1 : 1;
      short_bytes = bytes;
    }
    return short_ones >= streams::short_before_end;
  }
  /// The run has ended, in that packet. (A limit that is lower than the receiver's is right, too.)
  void end_run(std::uint64_t packet) noexcept {
    if (short_ones >= streams::short_before_end) limit = short_bytes;
    short_ones = 0;
    leave_next_tag(packet);
  }
  /// By the next ones that could begin one: the receiver has told that it does not foresee them, or the sender asks
  /// for some of them back.
  void avoid_runs() noexcept { without_run = 1000; }
  /// Whether the next message, which could begin one, does not.
  [[nodiscard]] bool avoids_run() noexcept {
    if (without_run == 0) return false;
    --without_run;
    return true;
  }
  /// Until that packet has been dealt with.
  void leave_next_tag(std::uint64_t packet) noexcept { in_packet[count % streams::tags_of_each] = packet; }
  /// But for those of the last messages, which are used again after all the others: of an answered message it is often
  /// not known yet, for a foreseen payload may come before its envelope.
  [[nodiscard]] bool are_tags_free_for_run(std::uint64_t dealt_with) const noexcept {
    constexpr std::uint32_t last = 2;
    for (std::uint32_t i = 0; i < streams::tags_of_each - last; ++i) {
      if (in_packet[(count + i) % streams::tags_of_each] > dealt_with) return false;
    }
    return true;
  }
  /// `dealt_with`: the packets of which that is known.
  [[nodiscard]] bool may_use_next_tag(std::uint64_t dealt_with) const noexcept {
    return in_packet[count % streams::tags_of_each] <= dealt_with;
  }
};

/// The streams of a pair of ranks, which stay where they are.
template <class Stream>
class pair_streams {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] bool full() const noexcept { return all_.size() == streams::most_of_a_pair; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(all_.size()); }
  /// Null if there is none.
  [[nodiscard]] Stream* find(const envelope& who) noexcept {
    for (Stream& each : all_) {
      if (each.context == who.context && each.tag == who.tag) return &each;
    }
    return nullptr;
  }
  [[nodiscard]] Stream* find_by_tag(std::uint32_t first_tag) noexcept {
    for (Stream& each : all_) {
      if (each.first_tag == first_tag) return &each;
    }
    return nullptr;
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Stream& each : all_) visit(each);
  }
  /// There must be room.
  Stream& add(const envelope& who, std::uint32_t first_tag) {
    if (all_.empty()) all_.reserve(streams::most_of_a_pair);
    Stream& made = all_.emplace_back();
    made.context = who.context;
    made.tag = who.tag;
    made.first_tag = first_tag;
    return made;
  }

 private:
  std::vector<Stream> all_;
};

/// The streams of a run, in the order of its messages: after the last comes the first again.
template <class Stream>
class streams_in_turn {
 public:
  void clear() noexcept { size_ = turn_ = 0; }
  /// There must be room: it is of the same pair.
  void add(Stream& next) noexcept { of_[size_++] = &next; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }
  /// Whose message is the next.
  [[nodiscard]] Stream& current() const noexcept { return *of_[turn_]; }
  /// The next message has been sent, or has come.
  Stream& advance() noexcept {
    if (++turn_ == size_) turn_ = 0;
    return current();
  }
  [[nodiscard]] auto begin() const noexcept { return of_.begin(); }
  [[nodiscard]] auto end() const noexcept { return of_.begin() + size_; }

 private:
  std::uint32_t size_ = 0;
  std::uint32_t turn_ = 0;
  std::array<Stream*, streams::most_of_a_pair> of_{};
};

/// Messages of a pair that have left one after the other, with the same envelope and of the same length, and each after
/// something has come from the other process: so they are no flood, for which a run has no room.
class alike_messages {
 public:
  /// The next one; `arrived`: messages of the other process.
  void add(std::uint32_t context, std::int32_t tag, std::size_t bytes, std::uint64_t arrived) noexcept {
    unanswered_ = arrived == arrived_ ? unanswered_ + 1 : 0;
    const bool is_alike = tag == tag_ && bytes == bytes_ && unanswered_ == 0;
    count_ = is_alike ? count_ + 1 : 1;
    context_ = context;
    tag_ = tag;
    bytes_ = bytes;
    arrived_ = arrived;
  }
  void interrupt() noexcept { count_ = 0; }

  [[nodiscard]] std::uint32_t context() const noexcept { return context_; }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  /// The last ones, for which nothing had come.
  [[nodiscard]] std::uint32_t unanswered() const noexcept { return unanswered_; }

 private:
  std::uint32_t count_ = 0;
  std::uint32_t unanswered_ = 0;
  std::uint32_t context_ = 0;
  std::int32_t tag_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t arrived_ = 0;
};

/// What is told of a stream when a run begins.
struct stream_of_run {
  std::int32_t tag = 0;
  std::size_t bytes = 0;
};

/// The last messages of a pair that could be in a run, and whether they come in turn: each with the tag and the length
/// of the one `period` before, and with no such tag between.
class recent_messages {
 public:
  /// The next one; `unanswered`: so many had left since something came from the other process.
  void add(std::int32_t tag, std::size_t bytes, std::uint32_t unanswered) noexcept {
    const std::uint32_t distance = distance_to_same(tag, bytes);
    const bool is_in_turn = distance > 0 && unanswered < distance;
    count_ = !is_in_turn ? 0 : distance == period_ ? count_ + 1 : 1;
    period_ = distance;
    last_[added_++ % most] = {tag, bytes};
  }
  void forget() noexcept { added_ = count_ = period_ = 0; }

  [[nodiscard]] std::uint32_t period() const noexcept { return period_; }
  /// So many in a row, of that period.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  /// The one that came so many before the last; less than the period.
  [[nodiscard]] const stream_of_run& before_last(std::uint32_t so_many) const noexcept {
    return last_[(added_ - 1 - so_many) % most];
  }

 private:
  static constexpr std::uint32_t most = streams::most_of_a_pair;

  /// 0: there is none, or the last with that tag was of another length.
  [[nodiscard]] std::uint32_t distance_to_same(std::int32_t tag, std::size_t bytes) const noexcept {
    for (std::uint32_t so_many = 0; so_many < std::min(added_, most); ++so_many) {
      const stream_of_run& each = before_last(so_many);
      if (each.tag == tag) return each.bytes == bytes ? so_many + 1 : 0;
    }
    return 0;
  }

  std::array<stream_of_run, most> last_{};
  std::uint32_t added_ = 0;
  std::uint32_t period_ = 0;
  std::uint32_t count_ = 0;
};

/// The streams of a sender.
class out_streams : public pair_streams<out_stream> {
 public:
  out_stream* run = nullptr;  // the one whose message is the next of the run; null: there is none
  std::uint32_t messages_of_run = 0;
  alike_messages alike;
  streams_in_turn<out_stream> of_run;  // or of the last one
  bool had_long_run = false;           // that was of several streams
  recent_messages recent;

  /// A message that could be in a run, and is in none; `arrived`: messages of the other process.
  void note(const envelope& who, std::size_t bytes, std::uint64_t arrived) noexcept {
    if (who.context != alike.context() || alike.count() == 0) recent.forget();
    alike.add(who.context, who.tag, bytes, arrived);
    recent.add(who.tag, bytes, alike.unanswered());
  }
  /// Interrupts the messages alike that have been noted, by another one.
  void interrupt_by(const envelope& who, std::size_t bytes) noexcept {
    if (!streams::is_aside(alike.context(), who, bytes)) alike.interrupt();
  }
  /// The streams of the run that may begin behind the last message that was noted, which is `last`, of `its` if that is
  /// not null, in turn; none: it does not. Until the next call. `shortest`: of the messages of several streams.
  [[nodiscard]] std::span<const stream_of_run> next_run(const out_stream* its, const stream_of_run& last,
                                                        std::size_t shortest) noexcept {
    if (alike.count() > streams::alike_before_run || (its != nullptr && its->had_long_run)) {
      next_[0] = last;
      return {next_.data(), 1};
    }
    const std::uint32_t period = recent.period();
    if (period > 1 && recent.count() + 1 >= streams::alike_before_run + period) {
      bool are_long = true;
      for (std::uint32_t i = 0; i < period; ++i) {
        next_[i] = recent.before_last(period - 1 - i);
        are_long = are_long && next_[i].bytes >= shortest;
      }
      return {next_.data(), are_long ? period : 0};
    }
    return {next_.data(), its != nullptr && had_long_run ? same_run_behind(*its, last.bytes) : 0};
  }

  /// Whether the run ends before that message.
  [[nodiscard]] bool ends_before(const envelope& who, std::size_t bytes) const noexcept {
    return run != nullptr && !streams::is_aside(run->context, who, bytes);
  }
  /// A message with that envelope, in that packet.
  void count(const envelope& who, std::uint64_t packet) noexcept {
    if (out_stream* const its = find(who)) its->add(packet);
  }
  /// Of a large message that is in none: whether one with its context and tag was among the last few.
  [[nodiscard]] bool comes_again(const envelope& who) {
    for (const envelope& each : seen_) {
      if (each.context == who.context && each.tag == who.tag) return true;
    }
    if (seen_.size() < most_seen) {
      seen_.push_back(who);
    } else {
      seen_[next_seen_++ % most_seen] = who;
    }
    return false;
  }

  static constexpr std::uint32_t no_pair = ~std::uint32_t{0};
  std::uint32_t pair = no_pair;  // its number among those with streams, of the two processes

 private:
  /// The last run again, from the message on that came after those of `its` there. Returns how many streams that has.
  std::uint32_t same_run_behind(const out_stream& its, std::size_t bytes) noexcept {
    const auto at = std::find(of_run.begin(), of_run.end(), &its);
    if (at == of_run.end() || bytes > its.limit) return 0;
    std::uint32_t so_many = 0;
    for (auto each = at + 1; each != of_run.end(); ++each) next_[so_many++] = {(*each)->tag, (*each)->limit};
    for (auto each = of_run.begin(); each <= at; ++each) next_[so_many++] = {(*each)->tag, (*each)->limit};
    return so_many;
  }

  std::array<stream_of_run, streams::most_of_a_pair> next_;
  static constexpr std::uint32_t most_seen = 16;
  std::vector<envelope> seen_;
  std::uint32_t next_seen_ = 0;
};

}  // namespace pure::core
