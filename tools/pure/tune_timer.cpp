#include "pure/tune_timer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/core.h>
#include <pure.h>

#include <pure/run.hpp>

#include "base/clock.hpp"
#include "pure/tune_work.hpp"
#include "runtime/rank.hpp"

namespace pure::tool {

namespace {

constexpr std::size_t largest_in_a_loop = 1024;
constexpr long spans_of_a_loop = 20;
constexpr std::size_t largest_through_dropboxes = core::tuning::most_copied_bytes;

struct span {
  double start;
  double end;
};

double now() noexcept { return 1e-9 * static_cast<double>(core::now_ns()); }

void send_bytes(const void* data, std::size_t bytes, int to, int tag) {
  pure_send_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, to, tag, PURE_COMM_WORLD);
}
void recv_bytes(void* data, std::size_t bytes, int from, int tag) {
  pure_recv_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, from, tag, PURE_COMM_WORLD);
}

/// What rank 0 says, on every rank.
template <class T>
T announced(T value, int tag) {
  if (pure_rank() != 0) {
    recv_bytes(&value, sizeof value, 0, tag);
  } else {
    for (int r = 1; r < pure_size(); ++r) send_bytes(&value, sizeof value, r, tag);
  }
  return value;
}

/// All ranks are here. By messages: no collective is measured with the help of another.
void message_barrier() {
  const int ranks = pure_size(), rank = pure_rank();
  for (int distance = 1; distance < ranks; distance *= 2) {
    char token = 0, arrived = 0;
    pure_sendrecv_msg(&token, 1, PURE_BYTE, (rank + distance) % ranks, 1, &arrived, 1, PURE_BYTE,
                      (rank - distance + ranks) % ranks, 1, PURE_COMM_WORLD);
  }
}

}  // namespace

// ---- one rank of one sample -------------------------------------------------------------------------------------

class rank_of_timer {
 public:
  explicit rank_of_timer(tune_timer& all) : all_(all) {
    pure_comm_split(PURE_COMM_WORLD, 0, pure_size() - pure_rank(), &reversed_);
  }

  void measure_all() {
    for (std::size_t i = 0; i < all_.sizes_.size(); ++i) measure(i);
    pure_comm_free(&reversed_);
  }

 private:
  struct timing {
    double of_one;  // repetition
    double of_all;  // with writing, checking and meeting
  };

  /// `count` repetitions; on rank 0, how long they took.
  timing batch(tune_work& work, std::size_t bytes, long count) {
    message_barrier();
    const double start = now();
    const bool in_a_loop = bytes <= largest_in_a_loop;
    const long in_a_span = in_a_loop ? std::max(count / spans_of_a_loop, 1L) : 1;
    spans_.clear();
    for (long done = 0; done < count; done += in_a_span) {
      if (in_a_loop) {
        const double began = now();
        for (const long end = next_ + in_a_span; next_ < end; ++next_) {
          work.prepare(next_);
          work.run(next_);
          work.consume(next_);
        }
        spans_.push_back({began, now()});
      } else {
        work.prepare(next_);
        meet();
        const double began = now();
        work.run(next_);
        spans_.push_back({began, now()});
        work.consume(next_++);
      }
    }
    const double of_one = usual_seconds() / static_cast<double>(in_a_span);
    return {of_one, now() - start};
  }

  /// All ranks have met, and start at the same moment; those that share cores cannot.
  void meet() {
    message_barrier();
    if (all_.shared_cores_) return;
    const double moment = announced(now() + 1e-6 * (pure_size() + 1), 2);
    while (now() < moment) {
    }
  }

  /// On rank 0: the mean of all spans but the slowest fifth, for whoever interrupts is no part of an algorithm. A span
  /// lasts from the first rank that started to the last that ended.
  double usual_seconds() {
    const std::size_t bytes = spans_.size() * sizeof(span);
    if (pure_rank() != 0) return send_bytes(spans_.data(), bytes, 0, 3), 0;
    std::vector<span> theirs(spans_.size());
    for (int r = 1; r < pure_size(); ++r) {
      recv_bytes(theirs.data(), bytes, r, 3);
      for (std::size_t i = 0; i < spans_.size(); ++i) {
        spans_[i] = {std::min(spans_[i].start, theirs[i].start), std::max(spans_[i].end, theirs[i].end)};
      }
    }
    std::sort(spans_.begin(), spans_.end(),
              [](const span& a, const span& b) { return a.end - a.start < b.end - b.start; });
    const std::size_t usual = spans_.size() - spans_.size() / 5;
    double sum = 0;
    for (std::size_t i = 0; i < usual; ++i) sum += spans_[i].end - spans_[i].start;
    return sum / static_cast<double>(usual);
  }

  void measure(std::size_t i) {
    const std::size_t bytes = all_.sizes_[i];
    tune_work work(all_.kind_, bytes, reversed_);
    // Every slot of the dropboxes, and the copies that belong to it, have been used once.
    batch(work, bytes, bytes <= largest_through_dropboxes ? 8 : 1);
    if (pure_rank() != 0) {
      while (const long count = announced(0L, 4)) batch(work, bytes, count);
      return;
    }
    long& known = all_.repetitions_[i];
    for (long count = std::max(known, 1L);;) {
      const timing got = batch(work, bytes, announced(count, 4));
      all_.seconds_[i] = got.of_one;
      if (known != 0) break;
      if (got.of_all > all_.batch_seconds_ / 2) {
        known = count;
        break;
      }
      const double growth = std::clamp(all_.batch_seconds_ / got.of_all, 2.0, 10.0);
      count = static_cast<long>(std::ceil(static_cast<double>(count) * growth));
    }
    announced(0L, 4);
  }

  tune_timer& all_;
  pure_comm reversed_{};
  long next_ = 0;
  std::vector<span> spans_;
};

// ---- the sample ---------------------------------------------------------------------------------------------------

tune_timer::tune_timer(detail::collective kind, int ranks, bool shared_cores, std::vector<std::size_t> sizes,
                       double batch_seconds)
    : kind_(kind),
      ranks_(ranks),
      shared_cores_(shared_cores),
      sizes_(std::move(sizes)),
      batch_seconds_(batch_seconds),
      repetitions_(sizes_.size()),
      seconds_(sizes_.size()) {}

std::vector<double> tune_timer::sample(const std::string& table_path) {
  setenv("PURE_TUNING", table_path.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): no ranks run, and nobody else
  pure::run(ranks_, [this] { rank_of_timer(*this).measure_all(); });
  unsetenv("PURE_TUNING");  // NOLINT(concurrency-mt-unsafe)
  return seconds_;
}

bool ranks_share_cores(int ranks) {
  std::vector<char> shares(static_cast<std::size_t>(ranks));
  pure::run(ranks, [&] {
    shares[static_cast<std::size_t>(pure_rank())] = core::self()->thread().how_to_wait().yields ? 1 : 0;
  });
  return std::find(shares.begin(), shares.end(), 1) != shares.end();
}

// ---- tables -------------------------------------------------------------------------------------------------------

table_folder::table_folder() : path_((std::filesystem::temp_directory_path() / "pure_tune_XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(fmt::format("no temporary folder {} can be made (TMPDIR says where)", path_));
  }
}

table_folder::~table_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string table_folder::path_of(const core::algorithm_choice& use) {
  std::string path = fmt::format("{}/{}_{}_{}", path_, use.copied_bytes, use.tree_radix, use.piece_bytes);
  if (std::filesystem::exists(path)) return path;
  std::vector<core::tuning_row> rows;
  for (std::size_t i = 0; i < detail::collective_kinds; ++i) {
    for (const bool shared_cores : {false, true}) {
      rows.push_back({static_cast<detail::collective>(i), core::tuning::any_ranks, shared_cores, use});
    }
  }
  std::ofstream file(path);
  file << core::tuning_file_text(rows);
  if (!file.flush()) throw std::runtime_error(fmt::format("{} cannot be written", path));
  return path;
}

}  // namespace pure::tool
