// Compiles: what the other files of this folder should have written. So they fail for the reason that they name.
#include <pure/pure.hpp>

#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

int f(pure::comm world, const double* values, std::size_t count, const std::list<int>& list) {
  world.send(std::span(values, count), 1);
  world.send(std::string_view("hello"), 1);
  world.send(std::vector<char>{1, 0, 1}, 1);
  world.send(std::vector<int>(list.begin(), list.end()), 1);
  const std::vector<double> kept{1, 2, 3};
  world.send(kept, 1);
  world.isend(kept, 1).wait();
  (void)world.recv<std::vector<double>>(1);
  int value = *std::make_unique<int>(0);
  world.recv_into(value, 1);
  world.recv_into(std::span(&value, 1), 1);

  int calls = 0;
  value = world.all_reduce(1, [&calls](int a, int b) { return a + b + calls; });
  std::vector<double> sums = world.all_reduce(std::span(values, count), std::plus{});
  world.bcast(sums);
  world.bcast_resized(sums);
  (void)world.all_gather(static_cast<char>(world.rank() > 0));
  const std::vector<double> in(sums);
  world.all_reduce_into(in, sums, std::plus{});
  world.iall_reduce_into(std::span(in), sums, std::plus{}).wait();
  (void)world.reproducible_sum(in);
  return pure::run(2, [](pure::comm) {}) + pure::run(2, [] { return 1; });
}
