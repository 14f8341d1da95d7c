// Requests completed by any of the completion functions.
#pragma once

#include <pure.h>

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <fmt/core.h>

namespace collective_oracle {

inline constexpr int ways_to_complete = 8;

/// Calls end(i) once for each request, when it is complete. how: below ways_to_complete.
template <class End>
void complete_all(std::vector<pure_request>& requests, int how, End end) {
  std::vector<bool> ended(requests.size());
  const int count = static_cast<int>(requests.size());
  std::vector<int> indices(requests.size());
  int left = count, found = 0, flag = 0;
  const auto end_one = [&](int i) {
    const auto which = static_cast<std::size_t>(i);
    if (i < 0 || i >= count || ended[which])
      throw std::logic_error(fmt::format("completion {} found request {}", how, i));
    ended[which] = true;
    --left;
    end(which);
  };
  const auto end_found = [&] {
    if (found < 1) end_one(-1);
    for (int i = 0; i < found; ++i) end_one(indices[static_cast<std::size_t>(i)]);
  };
  const auto end_rest = [&] {
    for (int i = 0; i < count; ++i) end_one(i);
  };
  switch (how) {
    case 0:
      for (pure_request& each : requests) pure_wait(&each);
      return end_rest();
    case 1: pure_waitall(count, requests.data()); return end_rest();
    case 2:
      while (left > 0) {
        pure_waitany(count, requests.data(), &found);
        end_one(found);
      }
      return;
    case 3:
      while (left > 0) {
        pure_waitsome(count, requests.data(), &found, indices.data());
        end_found();
      }
      return;
    case 4:
      for (pure_request& each : requests) {
        for (flag = 0; flag == 0;) pure_test(&each, &flag);
      }
      return end_rest();
    case 5:
      while (flag == 0) pure_testall(count, requests.data(), &flag);
      return end_rest();
    case 6:
      while (left > 0) {
        pure_testany(count, requests.data(), &found, &flag);
        if (flag != 0) end_one(found);
      }
      return;
    default:
      while (left > 0) {
        pure_testsome(count, requests.data(), &found, indices.data());
        if (found != 0) end_found();
      }
  }
}

}  // namespace collective_oracle
