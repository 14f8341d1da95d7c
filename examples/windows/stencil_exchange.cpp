#include "stencil_exchange.hpp"

#include <array>

namespace windows {

halo_exchange::halo_exchange(team& ranks, rank_grid shape, int n)
    : ranks_(ranks), mine_(box_of(ranks.rank(), shape, n)) {
  for (const side s : {left, right, up, down}) {
    if (has(s)) neighbours_[s] = box_of(mine_.neighbour[s], shape, n);
    if (s == left || s == right) packed_[s].resize(mine_.length(s));
  }
}

void halo_exchange::around(int number, line beyond[sides]) {
  const layer here = own(number);
  for (const side s : {left, right, up, down}) beyond[s] = {here.halo[s], 1};
}

std::span<const double> halo_exchange::packed_edge(int number, side s) {
  const line edge = edge_of(own(number).cells, mine_, s);
  if (s == up || s == down) return {edge.at, mine_.nx};
  copy(edge, packed_[s]);
  return packed_[s];
}

namespace {

class by_messages : public halo_exchange {
 public:
  by_messages(team& ranks, rank_grid shape, int n) : halo_exchange(ranks, shape, n), memory_(part_size(mine())) {
    fill(memory_, mine());
  }

  void exchange(int number) override {
    const layer here = own(number);
    std::array<team::edge, sides> edges;
    std::size_t count = 0;
    for (const side s : {left, right, up, down}) {
      if (has(s)) edges[count++] = {mine().neighbour[s], packed_edge(number, s), {here.halo[s], mine().length(s)}};
    }
    ranks().exchange({edges.data(), count});
  }

 protected:
  std::span<double> part() override { return memory_; }

 private:
  std::vector<double> memory_;
};

class by_window : public halo_exchange {
 public:
  by_window(team& ranks, rank_grid shape, int n, placement where)
      : halo_exchange(ranks, shape, n), window_(ranks, part_size(mine()), where, "grid") {
    fill(part(), mine());
    window_.fence();
  }

 protected:
  std::span<double> part() override { return window_.part(ranks().rank()); }
  /// The edge of the neighbour on that side, which touches this rank's box.
  line edge_there(int number, side s) {
    const box& there = neighbour(s);
    return edge_of(layer_of(window_.part(mine().neighbour[s]), there, number).cells, there, opposite(s));
  }
  window<double>& on() { return window_; }

 private:
  window<double> window_;
};

class by_fence : public by_window {
 public:
  using by_window::by_window;

  void exchange(int number) override {
    on().fence();
    const layer here = own(number);
    for (const side s : {left, right, up, down}) {
      if (has(s)) copy(edge_there(number, s), {here.halo[s], mine().length(s)});
    }
  }
};

class by_put : public by_window {
 public:
  using by_window::by_window;

  void exchange(int number) override {
    for (const side s : {left, right, up, down}) {
      if (has(s)) {
        on().put(packed_edge(number, s), mine().neighbour[s], halo_offset(neighbour(s), number, opposite(s)));
      }
    }
    on().fence();
  }
};

class by_notification : public by_window {
 public:
  using by_window::by_window;

  void exchange(int number) override {
    for (const side s : {left, right, up, down}) {
      if (has(s)) {
        on().put_notify(packed_edge(number, s), mine().neighbour[s], halo_offset(neighbour(s), number, opposite(s)),
                        opposite(s));
      }
    }
    for (const side s : {left, right, up, down}) {
      if (has(s)) on().wait_notified(s);
    }
  }
};

class by_direct_reads : public by_window {
 public:
  using by_window::by_window;

  void exchange(int) override {
    for (const side s : {left, right, up, down}) {
      if (has(s)) on().notify(mine().neighbour[s], opposite(s));
    }
    for (const side s : {left, right, up, down}) {
      if (has(s)) on().wait_notified(s);
    }
  }

  void around(int number, line beyond[sides]) override {
    halo_exchange::around(number, beyond);
    for (const side s : {left, right, up, down}) {
      if (has(s)) beyond[s] = edge_there(number, s);
    }
  }
};

}  // namespace

std::unique_ptr<halo_exchange> make_exchange(const std::string& mode, team& ranks, rank_grid shape, int n,
                                             placement where) {
  if (mode == "messages") return std::make_unique<by_messages>(ranks, shape, n);
  if (mode == "fence") return std::make_unique<by_fence>(ranks, shape, n, where);
  if (mode == "put") return std::make_unique<by_put>(ranks, shape, n, where);
  if (mode == "notified") return std::make_unique<by_notification>(ranks, shape, n, where);
  return std::make_unique<by_direct_reads>(ranks, shape, n, where);
}

}  // namespace windows
