// Must not compile, and say: Or the whole of it as pure::serialized(object), with <pure/serialized.hpp>.
#include <pure/pure.hpp>

#include <string>

struct person {
  std::string name;
  int age;
};

void f(pure::comm world) { world.send(person{"Ada", 36}, 1); }
