// For tests of what PURE_CHECK finds in windows: programs of ranks whose errors are looked at. Each runs in one
// process, and with a process for each rank, which reach each other's memory directly, or by messages: what is found is
// the same.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <pure/error.hpp>

#include "coll/collective.hpp"
#include "coll/operators.hpp"
#include "comm/communicator_table.hpp"
#include "comm/point_to_point.hpp"
#include "layout/layout.hpp"
#include "start/launch.hpp"
#include "start/services.hpp"
#include "support/job_over_world.hpp"
#include "support/loopback_network.hpp"
#include "window/create.hpp"
#include "window/operations.hpp"

namespace test_support {

using namespace pure::core;
using pure::errc;
using pure::Error;

inline constexpr std::size_t part_bytes = 64;

/// A turn that ranks take, which the checks, and the search for ranks that wait for ever, know nothing of.
class turns {
 public:
  void wait_for(int turn) const {
    while (now_.load(std::memory_order_acquire) < turn) std::this_thread::yield();  // pairs with next()
  }
  void next() { now_.fetch_add(1, std::memory_order_release); }  // pairs with wait_for()

 private:
  std::atomic<int> now_{0};
};

/// What one rank does with a window that all have made; with checks.
struct one_rank {
  window& win;
  turns& turn;

  [[nodiscard]] int me() const { return win.rank(); }
  static call here(const char* operation, pure_call_site site = pure_call_site::current()) { return {operation, site}; }

  void put_value(int rank, std::int64_t offset, std::int64_t value, pure_call_site site = pure_call_site::current()) {
    put(win, here("put", site), {&value, 8, {}}, {rank, offset, 8, nullptr});
  }
  std::int64_t get_value(int rank, std::int64_t offset, pure_call_site site = pure_call_site::current()) {
    std::int64_t value = 0;
    get(win, here("get", site), {&value, 8, {}}, {rank, offset, 8, nullptr});
    win.wait_for_results(here("get", site), rank);
    return value;
  }
  void add_value(int rank, std::int64_t offset, std::int64_t value, combination::kind kind = combination::kind::combine,
                 pure_call_site site = pure_call_site::current()) {
    combination how;
    how.what = kind;
    how.element_bytes = 8;
    EXPECT_TRUE(find_reduction(PURE_SUM, PURE_INT64_T, how.how));
    accumulate(win, here("accumulate", site), {&value, 8, {}}, nullptr, {rank, offset, 8, nullptr}, how);
  }
  void swap_value(int rank, std::int64_t offset) {
    std::int64_t expected = 0, desired = 1, before = 0;
    compare_and_swap(win, here("swap"), &expected, &desired, &before, 8, rank, offset);
    win.wait_for_results(here("swap"), rank);  // it comes to this frame
  }
  void store(std::int64_t offset, std::int64_t value) const { std::memcpy(win.own().base + offset, &value, 8); }
  void fence(bool opens = true) { win.fence(here("fence"), opens); }
  void barrier() const {
    collective_arguments what;
    what.kind = pure::detail::collective::barrier;
    run_collective(win.comm(), here("barrier"), what);
  }
  void send_to(int rank) const { send(win.comm(), here("send"), nullptr, 0, rank, 0); }
  void receive_from(int rank) const {
    receive(win.comm(), here("receive"), {nullptr, 0, nullptr}, rank, 0, [](const status&) {});
  }
};

struct door {
  bool needs_epochs = true;
  window_options options = {};
  std::size_t bytes = part_bytes;
  bool checks = true;
};

inline const door no_epochs{.needs_epochs = false};

/// Runs it on ranks. The errors, by rank: empty where there was none.
inline std::vector<std::string> errors_in(int processes, const std::string& transport, int ranks, const door& how,
                                          const std::function<void(one_rank)>& program) {
  std::vector<std::string> texts(static_cast<std::size_t>(ranks));
  turns turn;
  settings values;
  values.check = how.checks;
  values.window_transport = transport;
  const auto body = [&](rank_context& self) {
    communicator& world = communicator_table::of(self).world();
    window& made = make_window(world, {"make", {}},
                               {.bytes = how.bytes, .options = how.options, .needs_epochs = how.needs_epochs});
    made.rename("halo");
    try {
      program({made, turn});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), errc::rma_conflict) << error.what();
      texts[static_cast<std::size_t>(self.number())] = error.what();
    }
    abandon(made);
    return 0;
  };
  if (processes == 1) {
    const outcome end = run_ranks({.values = values, .ranks = ranks}, attach_services, body);
    if (end.failure != nullptr) std::rethrow_exception(end.failure);
  } else {
    loopback_world network(processes);
    EXPECT_EQ(run_over(network, ranks, values, body), 0);
  }
  return texts;
}

/// In each of the ways.
inline std::vector<std::string> errors_of(int ranks, const door& how, const std::function<void(one_rank)>& program) {
  std::vector<std::string> texts = errors_in(1, "auto", ranks, how, program);
  EXPECT_EQ(errors_in(ranks, "messages", ranks, how, program), texts) << "between processes, by messages";
  // The processes of the loopback network map the same memory at several addresses, and ThreadSanitizer does not know
  // that these are one place: it misses what orders accesses.
#if !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(errors_in(ranks, "auto", ranks, how, program), texts) << "between processes, mapped";
#endif
  return texts;
}

inline void expect_texts(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& each : words)
    EXPECT_NE(text.find(each), std::string::npos) << "no '" << each << "' in: " << text;
}

/// Only that rank has an error, which has these words.
inline void expect_error_of(int rank, const std::vector<std::string>& errors, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (static_cast<int>(i) == rank) {
      expect_texts(errors[i], words);
    } else {
      EXPECT_EQ(errors[i], "") << i;
    }
  }
}

inline void expect_no_error(const std::vector<std::string>& errors) { expect_error_of(-1, errors, {}); }

/// Rank 1 does the first, rank 2 the second, in one epoch of a fence, of all ranks.
inline std::vector<std::string> one_after_the_other(const std::function<void(one_rank)>& first,
                                                    const std::function<void(one_rank)>& second, const door& how = {}) {
  return errors_of(3, how, [&](one_rank at) {
    at.fence();
    if (at.me() == 1) {
      first(at);
      at.turn.next();
    } else if (at.me() == 2) {
      at.turn.wait_for(1);
      second(at);
    }
  });
}

inline const auto puts_word = [](one_rank at) { at.put_value(0, 16, at.me()); };
inline const auto gets_word = [](one_rank at) { static_cast<void>(at.get_value(0, 16)); };
inline const auto adds_word = [](one_rank at) { at.add_value(0, 16, 1); };
inline const auto replaces_word = [](one_rank at) { at.add_value(0, 16, 1, combination::kind::replace); };
inline const auto looks_word = [](one_rank at) { at.add_value(0, 16, 0, combination::kind::none); };
inline const auto swaps_word = [](one_rank at) { at.swap_value(0, 16); };

}  // namespace test_support
