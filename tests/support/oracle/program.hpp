// A message-passing program as data: who sends what to whom, who receives, and in which order each rank does it.
//
// generate.hpp makes programs, run.hpp runs them on Pure, model.hpp knows which outcomes the MPI standard allows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "support/oracle/dice.hpp"

namespace oracle {

inline constexpr int any_source = -1;  // the values of the MPI standard ABI
inline constexpr int any_tag = -2;
inline constexpr int proc_null = -3;
inline constexpr int nothing = -1;

/// How a message is sent. `cancelled_first`: synchronously, cancelled at once, and sent again if that succeeded; where
/// a send does not block it is a standard one.
enum class sending { standard, synchronous, buffered, persistent, persistent_synchronous, cancelled_first, ready };
inline constexpr int modes = 6;  // `ready` is for messages whose receive is sure to be posted

/// How a message is received. `probed` to `cancelled_first`: only where a receive blocks, elsewhere it is a plain one.
enum class receiving { plain, persistent, probed, iprobed, matched, imatched, cancelled_first };
inline constexpr int ways = 7;

// Ranks are those of the world; communicator 1 has them in the opposite order, and runners translate.

struct message {
  int from;
  int to;
  int tag;
  std::size_t bytes;
  int comm = 0;
  sending how = sending::standard;

  /// Complete only when it is received.
  [[nodiscard]] bool is_synchronous() const noexcept {
    return how == sending::synchronous || how == sending::persistent_synchronous;
  }
};

struct receive {
  int at;
  int source;
  int tag;
  std::size_t capacity;
  int comm = 0;
  receiving how = receiving::plain;

  [[nodiscard]] bool matches(const message& m) const noexcept {
    return comm == m.comm && at == m.to && (source == m.from || source == any_source) &&
           (tag == m.tag || tag == any_tag);
  }
};

/// How a set of requests is completed. Every form completes all of the set; they differ in the calls.
enum class completion { wait, wait_all, wait_any, wait_some, test, test_all, test_any, test_some };
inline constexpr int completions = 8;

/// One thing that a rank does. `mprobe` matches a receive, `mrecv` ends it.
struct step {
  enum class kind { send, recv, sendrecv, isend, irecv, complete, barrier, mprobe, mrecv } what;
  int sends = nothing;            // a message
  int receives = nothing;         // a receive
  std::vector<int> operations{};  // complete: which, in the order of the array; `nothing` is a null request
  completion how = completion::wait;
};

struct program {
  std::uint64_t seed = 0;
  std::vector<message> messages;
  std::vector<receive> receives;
  std::vector<std::vector<step>> steps;  // by rank

  [[nodiscard]] bool has_second_communicator() const noexcept {
    return std::any_of(messages.begin(), messages.end(), [](const message& m) { return m.comm != 0; });
  }
  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(steps.size()); }
  [[nodiscard]] const message& sent(int m) const noexcept { return messages[static_cast<std::size_t>(m)]; }
  [[nodiscard]] const receive& posted(int r) const noexcept { return receives[static_cast<std::size_t>(r)]; }

  int add(const message& made) {
    messages.push_back(made);
    return static_cast<int>(messages.size()) - 1;
  }
  int add(const receive& made) {
    receives.push_back(made);
    return static_cast<int>(receives.size()) - 1;
  }
};

// The number of a non-blocking operation tells what it is: message m is 2m, receive r is 2r + 1.
constexpr int operation_of_message(int m) noexcept { return 2 * m; }
constexpr int operation_of_receive(int r) noexcept { return 2 * r + 1; }
constexpr bool is_send(int operation) noexcept { return operation % 2 == 0; }
constexpr int index_of(int operation) noexcept { return operation / 2; }

/// What a receive of a program that ran has got.
struct outcome {
  bool complete = false;
  int source = 0;
  int tag = 0;
  std::size_t bytes = 0;
  int from_message = nothing;  // as the payload says, if it is long enough to say
  std::string complaint;       // damaged payload, bytes written outside the message, a probe that was wrong
  std::uint64_t began = 0;     // when the receive was about to start, on the clock of the run
};

// ---- payloads: the number of the message, then bytes that depend on it and on the seed -----------------------------

inline constexpr std::size_t bytes_of_number = sizeof(std::uint32_t);

inline std::uint64_t payload_word(const program& p, int m, std::size_t word) noexcept {
  return mix(mix(p.seed) + static_cast<std::uint64_t>(m) + word);
}

inline void fill_payload(const program& p, int m, std::byte* to) noexcept {
  const std::size_t bytes = p.sent(m).bytes;
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = payload_word(p, m, at);
    std::memcpy(to + at, &word, bytes - at < sizeof word ? bytes - at : sizeof word);
  }
  const auto number = static_cast<std::uint32_t>(m);
  if (bytes >= bytes_of_number) std::memcpy(to, &number, sizeof number);
}

/// The message whose payload this is; sets the complaint if it is none, or damaged. `nothing` if it is too short.
inline int identify_payload(const program& p, const std::byte* payload, std::size_t bytes, std::string& complaint) {
  if (bytes < bytes_of_number) return nothing;
  std::uint32_t number = 0;
  std::memcpy(&number, payload, sizeof number);
  if (number >= p.messages.size()) {
    complaint = fmt::format("the payload begins with {:#x}, which is no message's number", number);
    return nothing;
  }
  const int m = static_cast<int>(number);
  for (std::size_t at = 0; at < bytes && at < p.sent(m).bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = payload_word(p, m, at);
    const std::size_t skip = at == 0 ? bytes_of_number : 0;
    const std::size_t end = bytes - at < sizeof word ? bytes - at : sizeof word;
    if (std::memcmp(payload + at + skip, reinterpret_cast<const std::byte*>(&word) + skip, end - skip) != 0) {
      complaint = fmt::format("the payload of message {} is damaged near byte {} of {}", m, at, bytes);
      break;
    }
  }
  return m;
}

// ---- text, for failures --------------------------------------------------------------------------------------------

inline std::string to_text(const program& p, const step& s) {
  static constexpr const char* names[] = {"send",     "recv",    "sendrecv", "isend", "irecv",
                                          "complete", "barrier", "mprobe",   "mrecv"};
  static constexpr const char* send_modes[] = {
      "standard", "synchronous", "buffered", "persistent", "persistent synchronous", "cancelled first", "ready"};
  static constexpr const char* receive_ways[ways] = {"plain",   "persistent", "probed",         "iprobed",
                                                     "matched", "imatched",   "cancelled first"};
  static constexpr const char* forms[completions] = {"wait", "wait_all", "wait_any", "wait_some",
                                                     "test", "test_all", "test_any", "test_some"};
  std::string text = names[static_cast<int>(s.what)];
  if (s.sends != nothing) {
    const message& m = p.sent(s.sends);
    text += fmt::format(" m{}(to {}, tag {}, {} bytes, comm {}, {})", s.sends, m.to, m.tag, m.bytes, m.comm,
                        send_modes[static_cast<int>(m.how)]);
  }
  if (s.receives != nothing) {
    const receive& r = p.posted(s.receives);
    text += fmt::format(" r{}(from {}, tag {}, room for {}, comm {}, {})", s.receives, r.source, r.tag, r.capacity,
                        r.comm, receive_ways[static_cast<int>(r.how)]);
  }
  if (s.what == step::kind::complete) {
    text += fmt::format(" by {}:", forms[static_cast<int>(s.how)]);
    for (const int operation : s.operations) {
      if (operation == nothing) {
        text += " null";
      } else {
        text += fmt::format(" {}{}", is_send(operation) ? 'm' : 'r', index_of(operation));
      }
    }
  }
  return text;
}

inline std::string to_text(const program& p) {
  std::string text;
  for (int rank = 0; rank < p.ranks(); ++rank) {
    text += fmt::format("rank {}:\n", rank);
    for (const step& s : p.steps[static_cast<std::size_t>(rank)]) text += "  " + to_text(p, s) + "\n";
  }
  return text;
}

}  // namespace oracle
