// What std::uncaught_exceptions() says of exceptions that come from the library, or through it: it counts in the
// program's runtime of C++, and the library may have one of its own. Prints "right".
#define PURE_MAIN_RUNS_ONCE
#include <pure.h>

#include <atomic>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <pure/pure.hpp>

namespace {

std::atomic<int> wrong{0};

void expect(bool is_right, const char* what) {
  if (!is_right && wrong++ < 5) std::printf("%s\n", what);
}

/// In whose destructor an exception is on its way.
struct guard {
  ~guard() { expect(std::uncaught_exceptions() == 1, "an exception that unwinds does not count"); }
};

template <class Thrown, class Call>
void expect_thrown(const char* what, const Call& call) {
  bool is_thrown = false;
  try {
    const guard unwound;
    call();
  } catch (const Thrown&) {
    is_thrown = true;
  }
  expect(is_thrown, what);
  expect(std::uncaught_exceptions() == 0, "an exception that was caught counts");
}

struct own_error : std::runtime_error {
  using runtime_error::runtime_error;
};

int send_to_nobody() {
  const int value = 1;
  return pure_send_msg(&value, 1, PURE_INT, 99, 0, PURE_COMM_WORLD);
}

}  // namespace

int main() {
  expect_thrown<pure::Error>("pure::run of no ranks", [] { pure::run(0, [] {}); });
  pure::run(2, [](pure::comm world) {
    expect_thrown<pure::Error>("an error of pure/pure.hpp", [&] { world.send(1, 99); });
    expect_thrown<pure::Error>("an error of pure.h", [] { send_to_nobody(); });
    expect_thrown<own_error>("an exception of a loop",
                             [] { pure::parallel_for(8, [](int) { throw own_error("in a loop"); }); });
    expect_thrown<pure::Error>("an error of pure/pure.hpp in a loop",
                               [&] { pure::parallel_for(8, [&](int) { world.send(1, 0); }); });
    world.barrier();
  });
  expect_thrown<own_error>("a rank's exception", [] { pure::run(2, [] { throw own_error("in a rank"); }); });
  expect_thrown<pure::Error>("a rank's error of pure.h", [] { pure::run(2, [] { send_to_nobody(); }); });
  // The other rank waits, in either interface, and is unwound.
  for (const bool in_pure_h : {false, true}) {
    expect_thrown<own_error>("an exception while another rank waits", [in_pure_h] {
      pure::run(2, [in_pure_h](pure::comm world) {
        if (world.rank() == 0) throw own_error("in a rank");
        const guard unwound;
        int value = 0;
        if (!in_pure_h) (void)world.recv<int>(0);
        pure_recv_msg(&value, 1, PURE_INT, 0, 0, PURE_COMM_WORLD, nullptr);
      });
    });
  }
  std::puts(wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
