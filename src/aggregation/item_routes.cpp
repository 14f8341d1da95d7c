#include "aggregation/item_routes.hpp"

#include <algorithm>
#include <set>

namespace pure::core {

namespace {

item_hops chosen(std::span<const int> machines) {
  if (machines.size() <= item_routes::many) return item_hops::direct;
  const std::size_t of_all = std::set<int>(machines.begin(), machines.end()).size();
  return of_all > 1 && of_all < machines.size() ? item_hops::machine : item_hops::grid;
}

bool are_together(int one, int other, std::span<const int> machines) {
  return machines[static_cast<std::size_t>(one)] == machines[static_cast<std::size_t>(other)];
}

/// Of the machine of `process`.
int first_beside(int process, std::span<const int> machines) {
  const int machine = machines[static_cast<std::size_t>(process)];
  return static_cast<int>(std::find(machines.begin(), machines.end(), machine) - machines.begin());
}

int next_by_machine(int from, int to, std::span<const int> machines) {
  if (are_together(from, to, machines)) return to;
  const int own_first = first_beside(from, machines);
  return from == own_first ? first_beside(to, machines) : own_first;
}

int columns_of(std::size_t processes) {
  int columns = 1;
  while (static_cast<std::size_t>(columns * columns) < processes) ++columns;
  return columns;
}

/// The last row may be short: its processes go straight to the columns that it lacks.
int next_in_grid(int from, int to, std::size_t processes) {
  const int columns = columns_of(processes);
  if (from / columns == to / columns) return to;
  const int between = from / columns * columns + to % columns;
  return between == from || static_cast<std::size_t>(between) >= processes ? to : between;
}

}  // namespace

item_routes::item_routes(item_hops how, int process, std::span<const int> machines)
    : how_(how == item_hops::automatic ? chosen(machines) : how),
      process_(process),
      machines_(machines.begin(), machines.end()) {
  std::set<int> others;
  for (int to = 0; to < static_cast<int>(machines.size()); ++to) {
    int next = to;
    if (to != process && how_ == item_hops::machine) next = next_by_machine(process, to, machines);
    if (to != process && how_ == item_hops::grid) next = next_in_grid(process, to, machines.size());
    next_.push_back(next);
    if (to != process) others.insert(next);
  }
  next_processes_ = others.size();
}

bool item_routes::may_pass_on(int from, int next) const noexcept {
  switch (how_) {
    case item_hops::machine:
      return process_ == first_beside(process_, machines_) &&
             are_together(from, process_, machines_) != are_together(next, process_, machines_);
    case item_hops::grid: {
      const int columns = columns_of(machines_.size());
      return from / columns == process_ / columns && next % columns == process_ % columns;
    }
    default: return false;
  }
}

}  // namespace pure::core
