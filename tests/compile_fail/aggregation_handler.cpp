// Must not compile, and say: item_handler
#include <pure/pure.hpp>

#include <string>

void f(pure::aggregation& items) {
  static_cast<void>(items.on<int>([](const std::string&) {}));
}
