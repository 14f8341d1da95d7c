// A plan: communicators and collectives that every rank of a job carries out, in one order, and its text.
#pragma once

#include <pure.h>

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "support/collective_oracle/elements.hpp"

namespace collective_oracle {

enum class kind {
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  reduce_scatter,
  reduce_scatter_block,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  exchange  // no collective: each rank sends to the next one, and receives from the one before
};
inline constexpr int kinds = 18;

enum class form { blocking, nonblocking, persistent };

inline bool is_reduction(kind k) { return k >= kind::reduce && k <= kind::reduce_scatter_block; }
inline bool has_root(kind k) {
  return k == kind::bcast || k == kind::reduce || (k >= kind::gather && k <= kind::scatterv);
}

/// World is number 0.
struct communicator {
  std::vector<int> members;  // ranks of the job, in the communicator's order
  int parent = 0;

  [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
  [[nodiscard]] int rank_of(int job_rank) const {
    for (int r = 0; r < size(); ++r) {
      if (members[static_cast<std::size_t>(r)] == job_rank) return r;
    }
    return -1;
  }
};

/// One call that makes communicators out of one.
struct making {
  enum class call { dup, split, create_from_group, create_among_members } by = call::dup;
  int parent = 0;
  std::vector<int> made;    // communicators: one, or one for each color
  std::vector<int> colors;  // of each rank of the parent: an index in `made`, or -1
  std::vector<int> keys;
};

struct operation {
  kind what = kind::barrier;
  form how = form::blocking;
  int on = 0;  // the communicator
  int root = 0;
  pure_datatype type = PURE_BYTE;
  operator_code op = PURE_SUM;
  std::int64_t count = 0;            // of the vector, or of one block
  std::vector<std::int64_t> counts;  // of rank r's block; alltoall: from i to j at [i * size + j]
  std::vector<pure_datatype> types;  // alltoallw: from i to j at [i * size + j]
  bool in_place = false;
  int starts = 1;  // persistent: how often
  std::uint64_t seed = 0;
};

struct step {
  enum class action { make, release, run, start, init, restart } does = action::run;
  int index = 0;  // of the making, communicator or operation
  int start = 0;  // restart: which
};

struct plan {
  std::uint64_t seed = 0;
  int ranks = 1;
  std::vector<communicator> communicators;
  std::vector<making> makings;
  std::vector<operation> operations;
  std::vector<step> steps;

  [[nodiscard]] const communicator& of(const operation& o) const {
    return communicators[static_cast<std::size_t>(o.on)];
  }
};

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

// ---- text ----

inline std::string joined(const auto& numbers) {
  std::string text;
  for (const auto& each : numbers) text += fmt::format("{}{}", text.empty() ? "" : " ", static_cast<long long>(each));
  return text;
}

inline std::string to_text(const operation& o) {
  static constexpr const char* names[kinds] = {"barrier",   "bcast",      "reduce",         "allreduce",
                                               "scan",      "exscan",     "reduce_scatter", "reduce_scatter_block",
                                               "gather",    "gatherv",    "scatter",        "scatterv",
                                               "allgather", "allgatherv", "alltoall",       "alltoallv",
                                               "alltoallw", "exchange"};
  static constexpr const char* forms[] = {"", "i", "persistent "};
  std::string text = fmt::format("{}{} on c{}", forms[static_cast<int>(o.how)], names[static_cast<int>(o.what)], o.on);
  if (o.what == kind::barrier) return text;
  text += fmt::format(": type {}, {}", static_cast<int>(o.type),
                      o.counts.empty() ? fmt::format("count {}", o.count) : "counts " + joined(o.counts));
  if (!o.types.empty()) text += ", types " + joined(o.types);
  if (is_reduction(o.what)) text += fmt::format(", op {}", o.op);
  if (has_root(o.what)) text += fmt::format(", root {}", o.root);
  if (o.in_place) text += ", in place";
  return text;
}

inline std::string to_text(const plan& p, const step& s) {
  using enum step::action;
  switch (s.does) {
    case make: {
      static constexpr const char* calls[] = {"dup", "split", "create", "create_group"};
      const making& m = p.makings[at(s.index)];
      std::string text = fmt::format("{} of c{}:", calls[static_cast<int>(m.by)], m.parent);
      for (const int each : m.made)
        text += fmt::format(" c{} = {{{}}}", each, joined(p.communicators[at(each)].members));
      return text;
    }
    case release: return fmt::format("free c{}", s.index);
    case init: return fmt::format("#{} init", s.index);
    case restart: return fmt::format("#{} start {}", s.index, s.start);
    default: return fmt::format("#{} {}", s.index, to_text(p.operations[at(s.index)]));
  }
}

inline std::string to_text(const plan& p) {
  std::string text = fmt::format("seed {}, {} ranks\n", p.seed, p.ranks);
  for (const step& s : p.steps) {
    text += "  " + to_text(p, s);
    if (s.does == step::action::init) text += ": " + to_text(p.operations[at(s.index)]);
    text += '\n';
  }
  return text;
}

}  // namespace collective_oracle
