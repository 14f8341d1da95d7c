// Must not compile, and say: Pure: an item has to fit into a packet (17334 bytes).
#include <pure/pure.hpp>

#include <array>

void f(pure::aggregation& items) {
  static_cast<void>(items.on<std::array<char, 17335>>([](const std::array<char, 17335>&) {}));
}
