// Must not compile, and say: Pure: items are trivially copyable objects, and no pointers.
#include <pure/pure.hpp>

void f(pure::aggregation& items) {
  static_cast<void>(items.on<int*>([](int*) {}));
}
