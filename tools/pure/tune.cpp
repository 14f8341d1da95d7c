#include "pure/tune.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "machine/topology.hpp"
#include "pure/tune_timer.hpp"
#include "pure/tune_work.hpp"

namespace pure::tool {

namespace {

using core::algorithm_choice;
using detail::collective;
using sizes = std::vector<std::size_t>;

constexpr std::size_t KiB = 1024;
constexpr double noise = 1.05;                        // a smaller ratio is none
constexpr std::size_t most_memory = 256 * KiB * KiB;  // of the buffers of all ranks

struct effort {
  int rounds;
  double batch_seconds;
  sizes of_trees, of_copies, of_pieces;
  std::vector<int> radices;
  sizes pieces;
};

const effort thorough = {.rounds = 7,
                         .batch_seconds = 0.010,
                         .of_trees = {8, 1 * KiB},
                         .of_copies = {256, 512, 1 * KiB, 2 * KiB, 4 * KiB, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB},
                         .of_pieces = {256 * KiB, 2048 * KiB},
                         .radices = {0, 2, 4, 8},
                         .pieces = {4 * KiB, 8 * KiB, 16 * KiB, 32 * KiB, 64 * KiB}};
const effort fast = {.rounds = 5,
                     .batch_seconds = 0.001,
                     .of_trees = {8},
                     .of_copies = {512, 2 * KiB, 8 * KiB, 32 * KiB},
                     .of_pieces = {256 * KiB},
                     .radices = {0, 2, 8},
                     .pieces = {8 * KiB, 32 * KiB}};

// The collectives with a choice; an exscan is done as the scan is.
constexpr collective measured_kinds[] = {
    collective::barrier, collective::bcast,          collective::reduce,  collective::allreduce, collective::scan,
    collective::gather,  collective::reduce_scatter, collective::scatter, collective::allgather, collective::alltoall};

bool has_pieces(collective kind) {
  return kind != collective::barrier && kind != collective::allgather && kind != collective::alltoall;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// ---- samples of several tables, taken in turn ----------------------------------------------------------------------

class contest {
 public:
  /// `samples[table][size][round]`, in seconds.
  explicit contest(std::vector<std::vector<std::vector<double>>> samples) : samples_(std::move(samples)) {}

  [[nodiscard]] double seconds(std::size_t table, std::size_t size) const { return median(samples_[table][size]); }

  [[nodiscard]] double ratio(std::size_t table, std::size_t to, std::size_t size) const {
    return median(ratios(table, to, size));
  }

  /// How much faster `table` is than `than`, as a logarithm; 0 if that may be noise.
  [[nodiscard]] double gain(std::size_t table, std::size_t than, std::size_t size) const {
    const std::vector<double> all = ratios(table, than, size);
    const double middle = median(all);
    if (middle < noise && middle > 1 / noise) return 0;
    const auto agree = std::count_if(all.begin(), all.end(), [&](double r) { return (r < 1) == (middle < 1); });
    return 4 * static_cast<std::size_t>(agree) >= 3 * all.size() ? -std::log(middle) : 0;
  }

  [[nodiscard]] double total_gain(std::size_t table, std::size_t than) const {
    double sum = 0;
    for (std::size_t size = 0; size < samples_.front().size(); ++size) sum += gain(table, than, size);
    return sum;
  }

 private:
  [[nodiscard]] std::vector<double> ratios(std::size_t table, std::size_t to, std::size_t size) const {
    std::vector<double> all;
    for (std::size_t round = 0; round < samples_[table][size].size(); ++round) {
      all.push_back(samples_[table][size][round] / samples_[to][size][round]);
    }
    return all;
  }

  std::vector<std::vector<std::vector<double>>> samples_;
};

// ---- one collective with one number of ranks -----------------------------------------------------------------------

class row_tuner {
 public:
  row_tuner(const effort& how, table_folder& tables, collective kind, int ranks, bool shared_cores)
      : how_(how),
        tables_(tables),
        kind_(kind),
        ranks_(ranks),
        shared_cores_(shared_cores),
        use_(core::tuning().choose(kind, ranks, shared_cores)) {}

  void tune(tune_result& result) {
    if (core::has_tree(kind_)) tune_radix(result);
    if (kind_ != collective::barrier) tune_copied(result);
    if (has_pieces(kind_)) tune_pieces(result);
  }

  [[nodiscard]] const algorithm_choice& best() const { return use_; }

 private:
  void tune_radix(tune_result& result) {
    std::vector<algorithm_choice> candidates = {use_};
    for (const int radix : how_.radices) {
      // A broadcast whose root has everybody as its child is flat.
      const bool is_flat = kind_ == collective::bcast && radix >= ranks_;
      if (radix == use_.tree_radix || is_flat || radix >= 2 * ranks_) continue;
      candidates.push_back(use_);
      candidates.back().tree_radix = radix;
    }
    const sizes all = kind_ == collective::barrier ? sizes{0} : possible(how_.of_trees);
    try_candidates(result, "tree_radix", candidates, all);
  }

  void tune_pieces(tune_result& result) {
    std::vector<algorithm_choice> candidates = {use_};
    for (const std::size_t piece : how_.pieces) {
      if (piece == use_.piece_bytes) continue;
      candidates.push_back(use_);
      candidates.back().piece_bytes = piece;
    }
    sizes all = how_.of_pieces;
    if (kind_ == collective::scatter) {  // whose size is that of all blocks
      for (std::size_t& bytes : all) bytes *= static_cast<std::size_t>(ranks_ - 1);
    }
    try_candidates(result, "piece_bytes", candidates, possible(all));
  }

  /// Candidate 0 is what the row has.
  void try_candidates(tune_result& result, const char* parameter, const std::vector<algorithm_choice>& candidates,
                      const sizes& all) {
    ++result.values;
    if (candidates.size() < 2 || all.empty()) return;
    const contest found = hold(candidates, all);
    std::size_t best = 0;
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      if (found.total_gain(i, 0) > (best == 0 ? 0 : found.total_gain(best, 0))) best = i;
    }
    if (best != 0) confirm(result, parameter, candidates[best], all);
  }

  /// Where what is copied twice becomes slower than what is not.
  void tune_copied(tune_result& result) {
    ++result.values;
    const sizes all = possible(how_.of_copies);
    if (all.empty()) return;
    algorithm_choice copies = use_, lends = use_;
    copies.copied_bytes = core::tuning::most_copied_bytes;
    lends.copied_bytes = smallest_copied_bytes;
    const contest found = hold({copies, lends}, all);

    std::size_t best = use_.copied_bytes;
    double most = gain_of_limit(found, all, best);
    const auto distance = [&](std::size_t limit) {
      return std::abs(std::log(static_cast<double>(limit) / static_cast<double>(use_.copied_bytes)));
    };
    sizes limits = {smallest_copied_bytes};
    limits.insert(limits.end(), all.begin(), all.end());
    for (const std::size_t limit : limits) {
      const double gain = gain_of_limit(found, all, limit);
      if (gain < most || (gain == most && distance(limit) >= distance(best))) continue;
      best = limit;
      most = gain;
    }
    if (best == use_.copied_bytes) return;
    sizes between;
    for (const std::size_t bytes : all) {
      if (bytes > std::min(best, use_.copied_bytes) && bytes <= std::max(best, use_.copied_bytes)) {
        between.push_back(bytes);
      }
    }
    algorithm_choice with_best = use_;
    with_best.copied_bytes = best;
    if (!between.empty()) confirm(result, "copied_bytes", with_best, between);
  }

  /// Of tables 0, which copies, and 1, which does not: what is gained by copying up to `limit`.
  static double gain_of_limit(const contest& found, const sizes& all, std::size_t limit) {
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i] <= limit) sum += found.gain(0, 1, i);
    }
    return sum;
  }

  /// New samples: who wins among many has been lucky, too.
  void confirm(tune_result& result, const char* parameter, const algorithm_choice& candidate, const sizes& all) {
    const contest again = hold({use_, candidate}, all);
    if (again.total_gain(1, 0) / static_cast<double>(all.size()) < std::log(noise)) return;
    tuned_value change{.kind = kind_,
                       .ranks = ranks_,
                       .shared_cores = shared_cores_,
                       .parameter = parameter,
                       .old_value = value_of(use_, parameter),
                       .new_value = value_of(candidate, parameter),
                       .measured = {}};
    for (std::size_t i = 0; i < all.size(); ++i) {
      change.measured.push_back({all[i], 1e6 * again.seconds(0, i), 1e6 * again.seconds(1, i), again.ratio(1, 0, i)});
    }
    result.changes.push_back(std::move(change));
    use_ = candidate;
  }

  static std::size_t value_of(const algorithm_choice& use, std::string_view parameter) {
    if (parameter == "tree_radix") return static_cast<std::size_t>(use.tree_radix);
    return parameter == "copied_bytes" ? use.copied_bytes : use.piece_bytes;
  }

  [[nodiscard]] sizes possible(sizes all) const {
    std::erase_if(all, [&](std::size_t bytes) {
      return words_of(kind_, ranks_, bytes) == 0 || buffer_bytes(kind_, ranks_, bytes) > most_memory;
    });
    return all;
  }

  [[nodiscard]] contest hold(const std::vector<algorithm_choice>& tables, const sizes& all) const {
    // One timer for all: the same number of repetitions in each table's samples.
    tune_timer timer(kind_, ranks_, shared_cores_, all, how_.batch_seconds);
    std::vector<std::vector<std::vector<double>>> samples(tables.size(), std::vector<std::vector<double>>(all.size()));
    for (int round = 0; round < how_.rounds; ++round) {
      for (std::size_t i = 0; i < tables.size(); ++i) {
        const std::size_t table = round % 2 == 0 ? i : tables.size() - 1 - i;
        const std::vector<double> seconds = timer.sample(tables_.path_of(tables[table]));
        for (std::size_t size = 0; size < all.size(); ++size) samples[table][size].push_back(seconds[size]);
      }
    }
    return contest(std::move(samples));
  }

  static constexpr std::size_t smallest_copied_bytes = 8;

  const effort& how_;
  table_folder& tables_;
  const collective kind_;
  const int ranks_;
  const bool shared_cores_;
  algorithm_choice use_;
};

}  // namespace

// ---- all -----------------------------------------------------------------------------------------------------------

std::vector<int> ranks_to_tune() {
  const int cores = core::topology::of_this_machine().default_ranks();
  std::vector<int> all;
  for (int ranks = 2; ranks < cores; ranks *= 2) all.push_back(ranks);
  if (cores > 1) all.push_back(cores);
  all.push_back(2 * cores);
  all.push_back(4 * cores);
  return all;
}

tune_result tune(const tune_options& options, const std::function<void(const std::string&)>& progress) {
  for (const char* name : {"PURE_TUNING", "PURE_CHECK", "PURE_REPRODUCIBLE_SUMS", "PURE_REPORT_BINDINGS"}) {
    unsetenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  }
  std::vector<int> all_ranks = options.ranks.empty() ? ranks_to_tune() : options.ranks;
  std::sort(all_ranks.begin(), all_ranks.end());
  all_ranks.erase(std::unique(all_ranks.begin(), all_ranks.end()), all_ranks.end());

  table_folder tables;
  tune_result result;
  const std::size_t parts = std::size(measured_kinds) * all_ranks.size();
  std::size_t part = 0;
  for (const collective kind : measured_kinds) {
    std::vector<core::tuning_row> rows;
    const std::size_t changes_before = result.changes.size();
    for (const int ranks : all_ranks) {
      const bool shared_cores = ranks_share_cores(ranks);
      progress(fmt::format("{} of {}: {}, {} ranks{}", ++part, parts, core::name_of(kind), ranks,
                           shared_cores ? " on shared cores" : ""));
      row_tuner tuner(options.quick ? fast : thorough, tables, kind, ranks, shared_cores);
      tuner.tune(result);
      rows.push_back({kind, ranks, shared_cores, tuner.best()});
    }
    if (result.changes.size() == changes_before) continue;
    result.rows.insert(result.rows.end(), rows.begin(), rows.end());
    if (kind != collective::scan) continue;
    for (core::tuning_row& row : rows) row.kind = collective::exscan;
    result.rows.insert(result.rows.end(), rows.begin(), rows.end());
  }
  return result;
}

std::string tune_text(const tune_result& result) {
  if (result.changes.empty()) {
    return fmt::format("No value of {} is better than the built-in one by more than {:.0f} %.\n", result.values,
                       100 * (noise - 1));
  }
  constexpr const char* line = "{:<15} {:>5} {:<7} {:<13} {:>9} {:>9}  {:>9} {:>10} {:>10} {:>9}\n";
  std::string text = fmt::format(line, "collective", "ranks", "cores", "value", "old", "new", "size", "old us",
                                 "new us", "new / old");
  for (const tuned_value& change : result.changes) {
    const auto shown = [&](std::size_t value) {
      if (change.parameter != "tree_radix") return core::bytes_text(value);
      return value == 0 ? std::string("flat") : std::to_string(value);
    };
    bool is_first = true;
    for (const tuned_value::at_size& at : change.measured) {
      const std::string size = at.bytes == 0 ? "-" : core::bytes_text(at.bytes);
      const std::string old_us = fmt::format("{:.2f}", at.old_us), new_us = fmt::format("{:.2f}", at.new_us);
      const std::string ratio = fmt::format("{:.2f}", at.ratio);
      text += is_first ? fmt::format(line, core::name_of(change.kind), change.ranks,
                                     change.shared_cores ? "shared" : "own", change.parameter, shown(change.old_value),
                                     shown(change.new_value), size, old_us, new_us, ratio)
                       : fmt::format(line, "", "", "", "", "", "", size, old_us, new_us, ratio);
      is_first = false;
    }
  }
  return text + fmt::format("\n{} of {} values change; for the others, nothing was faster by more than {:.0f} %.\n",
                            result.changes.size(), result.values, 100 * (noise - 1));
}

}  // namespace pure::tool
