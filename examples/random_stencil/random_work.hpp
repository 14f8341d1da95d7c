// The work of the stencil: what an element costs, and where the domain costs more.
#pragma once

#include <cstddef>

/// Takes an unknown amount of time and does not modify its argument's array: the paper's random_work. Deterministic:
/// what it returns and how long it takes depend on the value alone. Half of all values cost one unit, a quarter two, an
/// eighth four, and so on up to 4096, so that one element can take as long as a thousand others. Any thread.
double random_work(double value);

/// What elements cost.
struct work_costs {
  long unit = 1;         // of the cheapest element, in steps of about a nanosecond
  double imbalance = 1;  // every element of the heavy part costs that many times as much
  long parts = 1;        // equal parts of the domain; the first one is heavy
  long moving = 0;       // after so many iterations the part before it is heavy instead; 0: never
};

/// All ranks pass the same before they start to work.
void set_work(const work_costs& costs);

/// The value at the beginning of an element of a domain of `size` elements. The part in which it lies can be read off
/// the value, and so random_work knows what it costs: the parts are at different heights, so far apart that averages
/// mix them only next to where they meet.
double start_value(std::size_t index, std::size_t size, const work_costs& costs);
