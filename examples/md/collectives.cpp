// Sum, broadcast and barrier by messages along a binomial tree: rank r's parent is r without its lowest set bit.
//
// Pure's own collectives arrive in a later step; these are called once per printed line, not in the time loop.
#include <vector>

#include "messages.hpp"

namespace md {
namespace {

constexpr int sum_tag = 101;
constexpr int broadcast_tag = 102;

}  // namespace

void messages::sum(std::span<double> values) {
  std::vector<double> child(values.size());
  for (int bit = 1; bit < size_; bit *= 2) {
    if ((rank_ & bit) != 0) {
      send(std::as_bytes(values), rank_ - bit, sum_tag);
      break;
    }
    if (rank_ + bit < size_) {
      recv(std::as_writable_bytes(std::span(child)), rank_ + bit, sum_tag);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += child[i];
    }
  }
  broadcast(std::as_writable_bytes(values));
}

void messages::broadcast(std::span<std::byte> data) {
  int bit = 1;
  while (bit < size_ && (rank_ & bit) == 0) bit *= 2;
  if (rank_ != 0) recv(data, rank_ - bit, broadcast_tag);
  for (bit /= 2; bit > 0; bit /= 2) {
    if (rank_ + bit < size_) send(data, rank_ + bit, broadcast_tag);
  }
}

void messages::barrier() {
  double nothing = 0;
  sum(std::span(&nothing, 1));
}

}  // namespace md
