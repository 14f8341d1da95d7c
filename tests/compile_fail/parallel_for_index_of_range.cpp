// Must not compile, and say: the body of pure::parallel_for over a range takes an element
#include <pure/pure.hpp>

#include <string>
#include <vector>

void f(std::vector<std::string>& texts) {
  pure::parallel_for(texts, [&](std::size_t i) { texts[i] += "."; });
}
