// The cases of rma: what each operation on a window is, how it is repeated, and what is checked of it.
//
// An operation is an object that measure() calls: with a number of repetitions; begin() before and end() after, which
// are not timed. What is operated on is the memory of one rank, the target, in the second half of the ranks, so that
// where there are two processes it is in the other one. Alone: only rank 0 does something. Contended: all ranks do.
#pragma once

#include <array>
#include <memory>
#include <tuple>
#include <utility>

#include "windows.hpp"

namespace bench::rma {

inline constexpr std::size_t part_bytes = MB;
inline constexpr std::size_t word_bytes = sizeof(std::int64_t);

inline int target() { return size() / 2; }
inline bool is_target() { return rank() == target(); }

enum class use { alone, contended };

inline bool works(use by) { return by == use::contended || rank() == 0; }
inline long workers(use by) { return by == use::contended ? size() : 1; }

/// The target's own look at its memory, as MPI allows it: behind a barrier, under its lock.
template <class Look>
void at_target(const rma_window& w, Look look) {
  barrier();
  if (is_target()) {
    lock_exclusive(w, rank());
    look();
    unlock(w, rank());
  }
  barrier();
}
inline void clear(const rma_window& w, std::size_t bytes) {
  at_target(w, [&] { std::memset(w.base, 0, bytes); });
}
inline std::int64_t first_word(const rma_window& w) { return *static_cast<const std::int64_t*>(w.base); }

inline void check_word(std::int64_t found, std::int64_t expected, const char* what) {
  check(found == expected, what, word_bytes, expected, found);
}

/// The sum over all ranks.
inline std::int64_t sum(std::int64_t mine) {
  const auto in = static_cast<double>(mine);
  double out = 0;
  allreduce(&in, &out, 1);
  return static_cast<std::int64_t>(out);
}

// ---- synchronization -----------------------------------------------------------------------------------------------

struct fences {
  const rma_window& w;

  /// Checked before: in 64 epochs each rank puts a number into the memory of the next one, who looks at it behind the
  /// fence, while the number of the next epoch comes into another word.
  explicit fences(const rma_window& on) : w(on) {
    const int next = (rank() + 1) % size();
    const int before = (rank() + size() - 1) % size();
    const auto* const mine = static_cast<const std::int64_t*>(w.base);
    fence(w);
    for (std::int64_t i = 0; i < 64; ++i) {
      const std::int64_t number = 1000 * rank() + i;
      put(w, &number, 1, next, static_cast<std::size_t>(i % 2));
      fence(w);
      check_word(mine[i % 2], 1000 * before + i, "a put before a fence");
    }
    barrier();
  }
  void operator()(long n) const {
    for (long i = 0; i < n; ++i) fence(w);
  }
};

/// Checked before: all ranks count in one word under the lock, by get and put.
inline void check_exclusion(const rma_window& w) {
  constexpr std::int64_t rounds = 100;
  clear(w, word_bytes);
  for (std::int64_t i = 0; i < rounds; ++i) {
    std::int64_t word = 0;
    lock_exclusive(w, target());
    get(w, &word, 1, target(), 0);
    flush(w, target());
    ++word;
    put(w, &word, 1, target(), 0);
    unlock(w, target());
  }
  at_target(w, [&] { check_word(first_word(w), rounds * size(), "the count under a lock"); });
}

struct locks {
  const rma_window& w;
  bool is_exclusive;

  locks(const rma_window& on, bool exclusive) : w(on), is_exclusive(exclusive) { check_exclusion(w); }

  void operator()(long n) const {
    if (!works(use::alone)) return;
    for (long i = 0; i < n; ++i) {
      if (is_exclusive) {
        lock_exclusive(w, target());
      } else {
        lock_shared(w, target());
      }
      unlock(w, target());
    }
  }
};

/// One word, which says who has put it, and when; the last one stays.
struct locked_puts {
  const rma_window& w;
  use by;
  long last = 0;

  static std::int64_t word(int who, long when) { return (std::int64_t{who} << 40) + when; }

  void operator()(long n) {
    last = n - 1;
    if (!works(by)) return;
    for (long i = 0; i < n; ++i) {
      const std::int64_t number = word(rank(), i);
      lock_exclusive(w, target());
      put(w, &number, 1, target(), 0);
      unlock(w, target());
    }
  }
  void end() const {
    at_target(w, [&] {
      const std::int64_t found = first_word(w);
      const int who = static_cast<int>(found >> 40);
      check(who >= 0 && who < workers(by), "who has put last", word_bytes, 0, who);
      check_word(found, word(who, last), "what was put under a lock last");
    });
  }
};

// ---- in an epoch of lock_all
// -----------------------------------------------------------------------------------------

/// Opens the epoch, and closes it.
struct passive {
  const rma_window& w;

  void begin() const { lock_all(w); }
  void end() const { unlock_all(w); }
};

/// The first word is the number of the repetition.
struct puts : passive {
  static constexpr std::int64_t key = 1 << 20;
  std::size_t bytes;
  std::shared_ptr<buffer> data;
  long last = 0;

  puts(const rma_window& on, std::size_t size) : passive{on}, bytes(size), data(std::make_shared<buffer>(size)) {
    data->fill(key);
    clear(w, bytes);
  }
  void operator()(long n) {
    last = n - 1;
    if (!works(use::alone)) return;
    for (long i = 0; i < n; ++i) {
      (*data)[0] = i;
      put(w, data->data(), data->size(), target(), 0);
      flush(w, target());
    }
  }
  void end() const {
    passive::end();
    at_target(w, [&] {
      const auto* const words = static_cast<const std::int64_t*>(w.base);
      check_word(words[0], last, "what was put last");
      for (std::size_t i = 1; i < data->size(); ++i)
        check_word(words[i], key + static_cast<std::int64_t>(i), "what was put");
    });
  }
};

struct gets : passive {
  static constexpr std::int64_t key = 1 << 21;
  std::size_t bytes;
  std::shared_ptr<buffer> into;

  gets(const rma_window& on, std::size_t size) : passive{on}, bytes(size), into(std::make_shared<buffer>(size)) {
    at_target(w, [&] {
      auto* const words = static_cast<std::int64_t*>(w.base);
      for (std::size_t i = 0; i < into->size(); ++i) words[i] = key + static_cast<std::int64_t>(i);
    });
  }
  void operator()(long n) const {
    if (!works(use::alone)) return;
    for (long i = 0; i < n; ++i) {
      (*into)[0] = 0;
      get(w, into->data(), into->size(), target(), 0);
      flush(w, target());
      check_word((*into)[0], key, "what was got");
    }
  }
  void end() const {
    passive::end();
    if (works(use::alone)) into->verify(key);
  }
};

/// Sums of small whole numbers, which doubles hold exactly.
struct accumulates : passive {
  use by;
  std::vector<double> summands;
  long done = 0;  // by all ranks

  accumulates(const rma_window& on, use how, std::size_t bytes)
      : passive{on}, by(how), summands(bytes / sizeof(double)) {
    for (std::size_t i = 0; i < summands.size(); ++i) summands[i] = static_cast<double>(i % 7 + 1);
    clear(w, bytes);
  }
  void operator()(long n) {
    done += n * workers(by);
    if (!works(by)) return;
    for (long i = 0; i < n; ++i) accumulate(w, summands.data(), summands.size(), target());
  }
  void end() const {
    passive::end();
    at_target(w, [&] {
      const auto* const found = static_cast<const double*>(w.base);
      for (std::size_t i = 0; i < summands.size(); ++i) {
        check_word(static_cast<std::int64_t>(found[i]), done * static_cast<std::int64_t>(i % 7 + 1), "a sum");
      }
    });
  }
};

/// Each must bring a number that is greater than the one before, and, alone, by one.
struct fetches_and_adds : passive {
  use by;
  std::int64_t done = 0;  // by all ranks

  fetches_and_adds(const rma_window& on, use how) : passive{on}, by(how) { clear(w, word_bytes); }

  void operator()(long n) {
    const std::int64_t before = std::exchange(done, done + n * workers(by));
    if (!works(by)) return;
    for (std::int64_t i = 0, least = before; i < n; ++i, ++least) {
      const std::int64_t found = fetch_and_add(w, 1, target());
      check(by == use::alone ? found == least : found >= least, "what was fetched", word_bytes, least, found);
      least = found;
    }
  }
  void end() const {
    passive::end();
    at_target(w, [&] { check_word(first_word(w), done, "how often was added"); });
  }
};

/// Each tries to raise the word that it has seen last by one. As many as have succeeded is what the word is then.
struct compares_and_swaps : passive {
  use by;
  std::int64_t seen = 0;
  std::int64_t won = 0;

  compares_and_swaps(const rma_window& on, use how) : passive{on}, by(how) { clear(w, word_bytes); }

  void operator()(long n) {
    if (!works(by)) return;
    const std::int64_t won_before = won;
    for (long i = 0; i < n; ++i) {
      const std::int64_t found = compare_and_swap(w, seen, seen + 1, target());
      if (found == seen) {
        ++won;
        ++seen;
      } else {
        seen = found;
      }
    }
    if (by == use::alone) check_word(won - won_before, n, "how often was swapped");
  }
  void end() const {
    passive::end();
    const std::int64_t all = sum(won);
    at_target(w, [&] { check_word(first_word(w), all, "how often was swapped"); });
  }
};

// ---- making windows ------------------------------------------------------------------------------------------------

struct creations {
  static constexpr std::size_t bytes = 4 * KB;
  window_kind kind;

  /// Checked before: what a rank stores is what the one before it gets.
  explicit creations(window_kind which) : kind(which) {
    rma_window w = make_window(kind, bytes);
    fence(w);
    store(w, 1000 + rank());
    fence(w);
    std::int64_t found = 0;
    const int next = (rank() + 1) % size();
    get(w, &found, 1, next, 0);
    fence(w);
    check_word(found, 1000 + next, "the memory of a new window");
    free_window(w);
  }
  void operator()(long n) const {
    for (long i = 0; i < n; ++i) {
      rma_window w = make_window(kind, bytes);
      store(w, i);
      free_window(w);
    }
  }
  static void store(const rma_window& w, std::int64_t word) { *static_cast<std::int64_t*>(w.base) = word; }
};

// ---- all of them ---------------------------------------------------------------------------------------------------

/// A window of each kind, for as long as they are measured.
template <std::size_t Kinds>
class windows {
 public:
  explicit windows(const std::array<window_kind, Kinds>& kinds) {
    for (std::size_t i = 0; i < Kinds; ++i) all_[i] = make_window(kinds[i], part_bytes);
  }
  ~windows() {
    for (rma_window& each : all_) free_window(each);
  }
  windows(const windows&) = delete;
  windows& operator=(const windows&) = delete;

  /// measure_best() of make(window), for each.
  template <class Make>
  void measure(session& s, const std::string& name, std::size_t bytes, Make make) const {
    std::apply([&](const auto&... each) { s.measure_best(name, bytes, ns_per(), make(each)...); }, all_);
  }

 private:
  std::array<rma_window, Kinds> all_;
};

inline std::string name_of(const char* what, use by, std::size_t bytes) {
  return (by == use::contended ? "contended " : "") + (what + (" " + size_name(bytes)));
}

/// Puts and gets alone.
template <std::size_t Kinds>
void measure_moves(session& s, const std::array<window_kind, Kinds>& kinds) {
  const windows all(kinds);
  using window = const rma_window&;
  const sizes each{8, 16 * KB, 64 * KB, 256 * KB, MB};
  for (const std::size_t bytes : each)
    all.measure(s, "put " + size_name(bytes), bytes, [&](window w) { return puts(w, bytes); });
  for (const std::size_t bytes : each)
    all.measure(s, "get " + size_name(bytes), bytes, [&](window w) { return gets(w, bytes); });
}

/// Of each case the faster kind counts.
template <std::size_t Kinds>
void measure_all(session& s, const std::array<window_kind, Kinds>& kinds) {
  {
    const windows all(kinds);
    using window = const rma_window&;
    all.measure(s, "fence", 0, [](window w) { return fences(w); });
    all.measure(s, "lock exclusive", 0, [](window w) { return locks(w, true); });
    all.measure(s, "lock shared", 0, [](window w) { return locks(w, false); });
    for (const use by : {use::alone, use::contended}) {
      all.measure(s, name_of("lock put", by, 8), 8, [&](window w) { return locked_puts{w, by}; });
    }
    for (const std::size_t bytes : sizes{8, KB, 64 * KB, MB}) {
      all.measure(s, "put " + size_name(bytes), bytes, [&](window w) { return puts(w, bytes); });
    }
    for (const std::size_t bytes : sizes{8, KB, 64 * KB, MB}) {
      all.measure(s, "get " + size_name(bytes), bytes, [&](window w) { return gets(w, bytes); });
    }
    for (const auto& [by, bytes] :
         {std::pair{use::alone, std::size_t{8}}, std::pair{use::alone, KB}, std::pair{use::alone, 64 * KB},
          std::pair{use::alone, MB}, std::pair{use::contended, std::size_t{8}}, std::pair{use::contended, 64 * KB}}) {
      all.measure(s, name_of("accumulate", by, bytes), bytes,
                  [by = by, bytes = bytes](window w) { return accumulates(w, by, bytes); });
    }
    for (const use by : {use::alone, use::contended}) {
      all.measure(s, name_of("fetch_and_op", by, 8), 8, [&](window w) { return fetches_and_adds(w, by); });
    }
    for (const use by : {use::alone, use::contended}) {
      all.measure(s, name_of("compare_and_swap", by, 8), 8, [&](window w) { return compares_and_swaps(w, by); });
    }
  }
  std::apply(
      [&](const auto&... each) {
        s.measure_best(name_of("create", use::alone, creations::bytes), creations::bytes, ns_per(), creations(each)...);
      },
      kinds);
}

}  // namespace bench::rma
