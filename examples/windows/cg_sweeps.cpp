#include "cg_sweeps.hpp"

#include <algorithm>
#include <vector>

namespace windows {

namespace {

std::size_t own_points(const team& ranks, const mesh& points) {
  return static_cast<std::size_t>(share(points.nz, ranks.rank(), ranks.size()).size()) *
         static_cast<std::size_t>(points.plane());
}

}  // namespace

shared_vectors::shared_vectors(team& ranks, const mesh& points)
    : r(ranks, own_points(ranks, points), placement::contiguous, "r"),
      z(ranks, own_points(ranks, points), placement::contiguous, "z"),
      p(ranks, own_points(ranks, points), placement::contiguous, "p") {}

namespace {

// Each subdomain is swept by one rank, which leaves out what couples it to others.
class own_subdomains : public preconditioner {
 public:
  own_subdomains(team& ranks, const matrix& of, int subdomains)
      : of_(of),
        subdomains_(subdomains),
        mine_(share(subdomains, ranks.rank(), ranks.size())),
        are_the_ranks_own_(subdomains == ranks.size()) {}

  void apply(shared_vectors& on) override {
    if (!are_the_ranks_own_) on.r.fence();
    for (int s = mine_.begin; s < mine_.end; ++s) sweep(s, on.r.first(), on.z.first());
    if (!are_the_ranks_own_) on.z.fence();
  }

 private:
  void sweep(int subdomain, const double* r, double* z) const {
    const mesh& points = of_.points();
    const range planes = share(points.nz, subdomain, subdomains_);
    const range rows{planes.begin * points.plane(), planes.end * points.plane()};
    const auto relax_plane = [&](int k, auto relax_row) {
      if (k == planes.begin || k + 1 == planes.end) {
        relax_row([&](int row) { of_.relax_within(rows, row, r, z); });
      } else {
        relax_row([&](int row) { of_.relax(row, r, z); });
      }
    };
    std::fill(z + rows.begin, z + rows.end, 0.0);
    for (int k = planes.begin; k < planes.end; ++k) {
      relax_plane(k, [&](auto relax) {
        for (int row = k * points.plane(); row < (k + 1) * points.plane(); ++row) relax(row);
      });
    }
    for (int k = planes.end - 1; k >= planes.begin; --k) {
      relax_plane(k, [&](auto relax) {
        for (int row = (k + 1) * points.plane() - 1; row >= k * points.plane(); --row) relax(row);
      });
    }
  }

  const matrix& of_;
  int subdomains_;
  range mine_;
  bool are_the_ranks_own_;
};

// Rows sorted by level, made by rank 0 for all.
class level_sets : public preconditioner {
 public:
  level_sets(team& ranks, const matrix& of) : of_(of), ranks_(ranks) {
    std::vector<int> sorted, begins;
    if (ranks.rank() == 0) sort(sorted, begins);
    sorted_ = std::make_unique<window<int>>(ranks, sorted.size(), placement::contiguous, "levels");
    begins_ = std::make_unique<window<int>>(ranks, begins.size(), placement::contiguous, "level begins");
    std::copy(sorted.begin(), sorted.end(), sorted_->part(ranks.rank()).begin());
    std::copy(begins.begin(), begins.end(), begins_->part(ranks.rank()).begin());
    sorted_->fence();
    begins_->fence();
  }

  void apply(shared_vectors& on) override {
    const range planes = share(of_.points().nz, ranks_.rank(), ranks_.size());
    double* const z = on.z.first();
    std::fill(z + planes.begin * of_.points().plane(), z + planes.end * of_.points().plane(), 0.0);
    on.z.fence();
    const int levels = static_cast<int>(begins_->part(0).size()) - 1;
    for (int level = 0; level < levels; ++level) relax(level, on);
    for (int level = levels - 1; level >= 0; --level) relax(level, on);
  }

 private:
  void sort(std::vector<int>& sorted, std::vector<int>& begins) const {
    const int rows = of_.points().rows();
    std::vector<int> level(static_cast<std::size_t>(rows)), count;
    for (int row = 0; row < rows; ++row) {
      const int found = of_.level(row, level.data());
      level[static_cast<std::size_t>(row)] = found;
      if (static_cast<std::size_t>(found) >= count.size()) count.resize(static_cast<std::size_t>(found) + 1);
      ++count[static_cast<std::size_t>(found)];
    }
    begins.assign(1, 0);
    for (const int each : count) begins.push_back(begins.back() + each);
    std::vector<int> next(begins);
    sorted.resize(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row) {
      int& place = next[static_cast<std::size_t>(level[static_cast<std::size_t>(row)])];
      sorted[static_cast<std::size_t>(place++)] = row;
    }
  }

  void relax(int level, shared_vectors& on) {
    const int* const begins = begins_->first();
    const range mine = share(begins[level + 1] - begins[level], ranks_.rank(), ranks_.size());
    const int* const rows = sorted_->first() + begins[level];
    for (int i = mine.begin; i < mine.end; ++i) of_.relax(rows[i], on.r.first(), on.z.first());
    on.z.fence();
  }

  const matrix& of_;
  team& ranks_;
  std::unique_ptr<window<int>> sorted_, begins_;
};

// Strips along y. Ranks that are more than there are rows along y have none.
class doacross : public preconditioner {
 public:
  doacross(team& ranks, const matrix& of)
      : of_(of),
        me_(ranks.rank()),
        strips_(std::min(ranks.size(), of.points().ny)),
        mine_(me_ < strips_ ? share(of.points().ny, me_, strips_) : range{}) {}

  void apply(shared_vectors& on) override {
    const mesh& points = of_.points();
    double* const z = on.z.first();
    for (int k = 0; k < points.nz; ++k) std::fill(z + points.row(mine_.begin, k), z + points.row(mine_.end, k), 0.0);
    on.z.fence();
    if (mine_.size() > 0) {
      sweep(on, true);
      sweep(on, false);
    }
    on.z.fence();
  }

 private:
  // A sweep in either direction. Who is before this rank in it is behind it in the other one. Each notification is
  // taken in the sweep in which it is given, so that no sweep needs to wait for the end of the one before.
  void sweep(shared_vectors& on, bool forwards) {
    const mesh& points = of_.points();
    const int before = forwards ? me_ - 1 : me_ + 1, behind = forwards ? me_ + 1 : me_ - 1;
    const bool has_before = before >= 0 && before < strips_, has_behind = behind >= 0 && behind < strips_;
    const int strip_done = forwards ? 0 : 2, first_row_done = strip_done + 1;
    for (int plane = 0; plane < points.nz; ++plane) {
      const int k = forwards ? plane : points.nz - 1 - plane;
      for (int line = 0; line < mine_.size(); ++line) {
        const int j = forwards ? mine_.begin + line : mine_.end - 1 - line;
        const bool is_first = line == 0, is_last = line + 1 == mine_.size();
        if (is_first && has_before) on.z.wait_notified(strip_done);
        if (is_last && has_behind && plane > 0) on.z.wait_notified(first_row_done);
        relax_line(points.row(j, k), on, forwards);
        if (is_first && has_before && plane + 1 < points.nz) on.z.notify(before, first_row_done);
        if (is_last && has_behind) on.z.notify(behind, strip_done);
      }
    }
  }

  void relax_line(int first, shared_vectors& on, bool forwards) const {
    const double* const r = on.r.first();
    double* const z = on.z.first();
    const int end = first + of_.points().nx;
    if (forwards) {
      for (int row = first; row < end; ++row) of_.relax(row, r, z);
    } else {
      for (int row = end - 1; row >= first; --row) of_.relax(row, r, z);
    }
  }

  const matrix& of_;
  int me_;
  int strips_;
  range mine_;
};

}  // namespace

std::unique_ptr<preconditioner> make_preconditioner(const std::string& method, team& ranks, const matrix& of,
                                                    int subdomains) {
  if (method == "own") return std::make_unique<own_subdomains>(ranks, of, subdomains);
  if (method == "levels") return std::make_unique<level_sets>(ranks, of);
  return std::make_unique<doacross>(ranks, of);
}

}  // namespace windows
