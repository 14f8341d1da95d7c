// Must not compile, and say: recv<T> needs a T to receive into: use recv_into.
#include <pure/pure.hpp>

struct meter {
  explicit meter(double of) : value(of) {}
  double value;
};

auto f(pure::comm world) { return world.recv<meter>(1); }
