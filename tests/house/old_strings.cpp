// A program whose std::string is the one before C++11: libpure, which has the other one, takes and gives no strings.
#define _GLIBCXX_USE_CXX11_ABI 0
#include <pure.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <pure/aggregation.hpp>
#include <pure/pure.hpp>
#include <pure/window.hpp>

static_assert(sizeof(std::string) == sizeof(void*));

namespace {

int failed = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  failed = 1;
}

void use_all(pure::comm world) {
  const int next = (world.rank() + 1) % world.size(), before = (world.rank() + world.size() - 1) % world.size();
  const auto sending = world.isend(std::string(1000, 'x'), next);
  expect(world.recv<std::string>(before) == std::string(1000, 'x'), "a string as a message");

  world.set_name("a name that is too long to be in the object itself");
  expect(world.name() == "a name that is too long to be in the object itself", "the name of a comm");
  std::string level;
  (void)world.split_type(pure::split_by::next_level(&level));
  (void)world.split_type(pure::split_by::hardware("hwloc://PU"));

  auto window = pure::window<int>::allocate(world, 1, {.name = "a window with a name that is long"});
  try {
    window.put(1, {0, 9});
    expect(false, "an error of the window");
  } catch (const pure::Error& error) {
    expect(std::string(error.what()).find("a window with a name that is long") != std::string::npos, error.what());
  }

  int handled = 0;
  pure::aggregation items(world, {.name = "items with a name that is too long"});
  const auto channel = items.on<int>([&](int) { ++handled; });
  channel.send(1, next);
  items.finish();
  expect(handled == 1, "an item");
  expect(world.all_reduce(1, std::plus<>()) == world.size(), "a sum");
}

}  // namespace

int main() {
  pure::run(2, use_all);
  try {
    pure::run(2, [] { throw std::runtime_error(std::string(100, 'y')); });
    expect(false, "an exception of a rank");
  } catch (const std::runtime_error& error) {
    expect(error.what() == std::string(100, 'y'), "its text");
  }
  return failed;
}
