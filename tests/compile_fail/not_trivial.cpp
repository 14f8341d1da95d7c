// Must not compile, and say: this type is not trivially copyable, so its bytes are not its value. Send its parts one by one
#include <pure/pure.hpp>

#include <string>

struct person {
  std::string name;
  int age;
};

void f(pure::comm world) { world.send(person{"Ada", 36}, 1); }
