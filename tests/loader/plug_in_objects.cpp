// Plug-ins of C++ (libacross.so, as across.cpp has it as a library): their objects, types and exceptions.
#include "across.hpp"

#include <dlfcn.h>

#include <iostream>

#include "cases.h"

namespace {

void* plug_in;
template <class Function>
Function* found(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(plug_in, name));
}
#define OF_PLUG_IN(function, mangled) found(static_cast<decltype(&function)>(nullptr), mangled)

int alive;
struct counted {
  counted() { ++alive; }
  ~counted() { --alive; }
};
thread_local counted of_thread;

SET(opened) {
  EXPECT(plug_in == nullptr);
  plug_in = dlopen("libacross.so", RTLD_NOW);
  EXPECT(plug_in != nullptr);
  EXPECT(*OF_PLUG_IN(address_of_static, "_Z17address_of_staticv")() == 121);
  *OF_PLUG_IN(address_of_static, "_Z17address_of_staticv")() = me;
  return NONE;
}
GET(opened) {
  EXPECT(*OF_PLUG_IN(address_of_static, "_Z17address_of_staticv")() == me);
  return NONE;
}
SET(exceptions) {
  const auto refuses = OF_PLUG_IN(refuse, "_Z6refusei");
  try {
    refuses(me);
  } catch (const refusal& caught) {
    EXPECT(caught.number == me && std::string(caught.what()) == "refused");
    alive = me;
    return NONE;
  }
  return "an exception";
}
GET(exceptions) {
  const auto catches = OF_PLUG_IN(call_and_catch, "_Z14call_and_catchPFviEi");
  EXPECT(catches([](int number) { throw refusal("of the program", number); }, me) == rank_here() && alive == me);
  return NONE;
}
SET(types) {
  const std::unique_ptr<animal> pet = OF_PLUG_IN(make_dog, "_Z8make_dogv")();
  EXPECT(pet->name() == "dog" && dynamic_cast<dog*>(pet.get()) != nullptr && typeid(*pet) == typeid(dog));
  EXPECT(OF_PLUG_IN(is_dog, "_Z6is_dogRK6animal")(dog{}));
  *OF_PLUG_IN(address_of_member, "_Z17address_of_memberv")() = me;
  return NONE;
}
GET(types) {
  EXPECT(with_static<int>::member == me);  // one of the two, since the program exports its own
  return NONE;
}
SET(streams) {
  OF_PLUG_IN(set_precision, "_Z13set_precisioni")(me + 2);
  return NONE;
}
GET(streams) {
  EXPECT(std::cout.precision() == me + 2);
  return NONE;
}

const named_case cases[] = {CASE(opened, PRIVATE), CASE(exceptions, PRIVATE), CASE(types, PRIVATE),
                            CASE(streams, PRIVATE)};

}  // namespace

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
