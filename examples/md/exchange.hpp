// Everything that neighbouring ranks send each other: atoms that change owner, and ghosts.
//
// CoMD's way, in six messages: along x first, then y, then z, each axis passing on what the axes before it brought, so
// that a rank talks to 6 neighbours and hears of 26. Along an axis that is not divided a rank is its own neighbour, and
// no message is sent.
#pragma once

#include <vector>

#include "atoms.hpp"
#include "grid.hpp"
#include "messages.hpp"

namespace md {

class exchange {
 public:
  /// All ranks pass the same `atoms_in_job`, from which the room for one message is reckoned.
  exchange(messages& job, const grid& g, double cutoff, double atoms_in_job);

  /// Hands every owned atom that has left the sub-box to the neighbour on that side, which is its owner unless the atom
  /// moved by more than a sub-box. There must be no ghosts.
  void migrate(atoms& a);

  /// Appends the ghosts: every atom within the cutoff of the sub-box.
  void make_ghosts(atoms& a);
  /// Overwrites `values` of the ghosts with their owners': one value for every atom, in the order of make_ghosts.
  void update_ghosts(std::vector<double>& values);

  /// Whether ever more atoms crowded near a face of this sub-box than a message has room for, so that ghosts are
  /// missing.
  [[nodiscard]] bool crowded() const { return crowded_; }

  /// The ghosts that came through a face: atoms [begin, end).
  struct range {
    std::size_t begin, end;
  };
  [[nodiscard]] range ghosts(unsigned axis, side s) const { return received_[axis][s]; }

  /// What this rank has sent so far, and the time it spent in message calls, waiting included.
  struct traffic {
    double messages = 0;
    double bytes = 0;
    double time_s = 0;
  };
  [[nodiscard]] const traffic& total() const { return traffic_; }
  void reset_total() { traffic_ = {}; }

 private:
  struct point {
    double x, y, z;
  };
  struct moving_atom {
    std::array<double, 3> position, velocity;
    std::int64_t id;
  };

  /// Sends `out` to one side and returns what comes from the other: `in`, or `out` itself along an undivided axis.
  template <class T>
  std::span<const T> swap(unsigned axis, side to, const std::vector<T>& out, std::vector<T>& in);
  void take_leaving(atoms& a, unsigned axis);
  void append_ghosts(atoms& a, unsigned axis, side to);

  messages& job_;
  const grid& grid_;
  double reach_;      // how far from a face an atom is a ghost of the neighbour
  std::size_t room_;  // atoms in one message, at most
  std::array<std::array<std::vector<std::uint32_t>, 2>, 3> sent_;  // which atoms are the neighbours' ghosts
  std::array<std::array<range, 2>, 3> received_{};                 // which atoms are ghosts from side s
  std::vector<point> points_out_, points_in_;
  std::vector<double> values_out_, values_in_;
  std::array<std::vector<moving_atom>, 2> moving_out_;
  std::vector<moving_atom> moving_in_;
  bool crowded_ = false;
  traffic traffic_;
};

}  // namespace md
