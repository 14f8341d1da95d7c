// Packing, sending and unpacking of atoms, ghosts and ghost values; exchange.hpp says in which order.
#include "exchange.hpp"

#include <algorithm>

namespace md {
namespace {

constexpr side opposite(side s) { return s == minus ? plus : minus; }

// Atoms at the cutoff to the last bit must not be a ghost on one side of a face and none on the other.
constexpr double reach_margin = 1e-9;

// Twice what the slab next to the largest face holds when the atoms are evenly spread, and some for tiny boxes.
double expected_room(const grid& g, double reach, double atoms_in_job) {
  vec3 width{};
  for (unsigned axis = 0; axis < 3; ++axis) width[axis] = g.box[axis] / g.ranks[axis] + 2 * reach;
  const double face = std::max({width[0] * width[1], width[1] * width[2], width[2] * width[0]});
  return 1000 + 2 * atoms_in_job * reach * face / (g.box[0] * g.box[1] * g.box[2]);
}

}  // namespace

exchange::exchange(messages& job, const grid& g, double cutoff, double atoms_in_job)
    : job_(job), grid_(g), reach_(cutoff * (1 + reach_margin)) {
  const double most = static_cast<double>(messages::longest_bytes / sizeof(moving_atom));
  room_ = static_cast<std::size_t>(std::min(most, expected_room(g, reach_, atoms_in_job)));
}

template <class T>
std::span<const T> exchange::swap(unsigned axis, side to, const std::vector<T>& out, std::vector<T>& in) {
  if (!grid_.divided(axis)) return out;
  in.resize(room_);
  const auto data = std::as_bytes(std::span(out));
  const double start_s = messages::wtime_s();
  const std::size_t bytes = job_.sendrecv(data, grid_.neighbour(axis, to), std::as_writable_bytes(std::span(in)),
                                          grid_.neighbour(axis, opposite(to)), static_cast<int>(2 * axis + to));
  traffic_.time_s += messages::wtime_s() - start_s;
  traffic_.bytes += static_cast<double>(data.size());
  ++traffic_.messages;
  return std::span(in).first(bytes / sizeof(T));
}

// Moves the atoms that are beyond a face into moving_out_; the others keep their order. An atom that finds no room
// stays for another step: nothing breaks when an owned atom is outside the sub-box.
void exchange::take_leaving(atoms& a, unsigned axis) {
  moving_out_[minus].clear();
  moving_out_[plus].clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < a.owned; ++i) {
    const double x = a.position[axis][i];
    if (x < grid_.low[axis] || x >= grid_.high[axis]) {
      const side to = x < grid_.low[axis] ? minus : plus;
      if (moving_out_[to].size() < room_) {
        moving_atom& m = moving_out_[to].emplace_back();
        for (unsigned k = 0; k < 3; ++k) {
          m.position[k] = a.position[k][i];
          m.velocity[k] = a.velocity[k][i];
        }
        m.position[axis] += grid_.shift(axis, to);
        m.id = a.id[i];
        continue;
      }
    }
    if (kept != i) {
      for (unsigned k = 0; k < 3; ++k) {
        a.position[k][kept] = a.position[k][i];
        a.velocity[k][kept] = a.velocity[k][i];
      }
      a.id[kept] = a.id[i];
    }
    ++kept;
  }
  for (auto& p : a.position) p.resize(kept);
  for (auto& v : a.velocity) v.resize(kept);
  a.id.resize(kept);
}

void exchange::migrate(atoms& a) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (!grid_.divided(axis)) {
      for (double& x : a.position[axis]) {
        if (x < 0) {
          x += grid_.box[axis];
        } else if (x >= grid_.box[axis]) {
          x -= grid_.box[axis];
        }
      }
      continue;
    }
    take_leaving(a, axis);
    for (const side to : {minus, plus}) {
      for (const moving_atom& m : swap(axis, to, moving_out_[to], moving_in_)) {
        for (unsigned k = 0; k < 3; ++k) {
          a.position[k].push_back(m.position[k]);
          a.velocity[k].push_back(m.velocity[k]);
        }
        a.id.push_back(m.id);
      }
    }
    a.owned = a.id.size();
  }
}

void exchange::append_ghosts(atoms& a, unsigned axis, side to) {
  vec3 shift{};
  shift[axis] = grid_.shift(axis, to);
  points_out_.clear();
  for (const std::uint32_t i : sent_[axis][to]) {
    points_out_.push_back({a.position[0][i] + shift[0], a.position[1][i] + shift[1], a.position[2][i] + shift[2]});
  }
  const auto in = swap(axis, to, points_out_, points_in_);
  const std::size_t begin = a.total();
  const std::size_t end = begin + in.size();
  for (auto& p : a.position) p.resize(end);
  for (std::size_t i = 0; i < in.size(); ++i) {
    a.position[0][begin + i] = in[i].x;
    a.position[1][begin + i] = in[i].y;
    a.position[2][begin + i] = in[i].z;
  }
  received_[axis][opposite(to)] = {begin, end};
}

void exchange::make_ghosts(atoms& a) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    auto& near = sent_[axis];
    near[minus].clear();
    near[plus].clear();
    const double below = grid_.low[axis] + reach_;
    const double above = grid_.high[axis] - reach_;
    const std::vector<double>& x = a.position[axis];
    for (std::uint32_t i = 0; i < x.size(); ++i) {
      if (x[i] < below) near[minus].push_back(i);
      if (x[i] >= above) near[plus].push_back(i);
    }
    for (const side to : {minus, plus}) {
      if (grid_.divided(axis) && near[to].size() > room_) {
        near[to].resize(room_);
        crowded_ = true;
      }
      append_ghosts(a, axis, to);
    }
  }
}

void exchange::update_ghosts(std::vector<double>& values) {
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (const side to : {minus, plus}) {
      values_out_.clear();
      for (const std::uint32_t i : sent_[axis][to]) values_out_.push_back(values[i]);
      const auto in = swap(axis, to, values_out_, values_in_);
      std::ranges::copy(in, values.begin() + static_cast<std::ptrdiff_t>(received_[axis][opposite(to)].begin));
    }
  }
}

}  // namespace md
