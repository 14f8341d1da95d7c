// C++ across the objects of a program: exceptions, types, and what the linker makes one of.
#include "across.hpp"

#include <iostream>
#include <locale>

#include "cases.h"

namespace {

struct guard {
  ~guard() { *seen = std::uncaught_exceptions(); }
  int* seen;
};
std::exception_ptr kept;
SET(exceptions) {
  int seen = -1, number = -1;
  try {
    const guard watching{&seen};
    refuse(me);
  } catch (const std::exception& caught) {
    const auto* const its = dynamic_cast<const refusal*>(&caught);
    EXPECT(its != nullptr && std::string(its->what()) == "refused");
    number = its->number;
  }
  EXPECT(seen == 1 && number == me);
  EXPECT(call_and_catch([](int value) { throw refusal("thrown here", value); }, me) == me);
  EXPECT(call_and_catch([](int value) { throw value; }, me) == -1);
  kept = keep_refusal(me);
  return NONE;
}
GET(exceptions) {
  try {
    std::rethrow_exception(kept);
  } catch (const refusal& caught) {
    EXPECT(caught.number == me && std::string(caught.what()) == "kept");
    return NONE;
  }
  return "an exception";
}
std::unique_ptr<animal> pet;
std::any number;
SET(types) {
  EXPECT(pet == nullptr && !number.has_value());
  pet = make_dog();
  number = number_as_any(me);
  return NONE;
}
GET(types) {
  EXPECT(pet->name() == "dog" && dynamic_cast<dog*>(pet.get()) != nullptr && typeid(*pet) == typeid(dog));
  EXPECT(is_dog(dog{}) && !is_dog(animal{}) && std::any_cast<int>(number) == me);
  return NONE;
}
SET(one_of_two) {
  EXPECT(static_of_inline_function() == 121 && inline_variable == "inline" && with_static<int>::member == 122);
  EXPECT(address_of_static() == &static_of_inline_function());
  EXPECT(address_of_inline_variable() == &inline_variable && address_of_member() == &with_static<int>::member);
  *address_of_static() = *address_of_member() = me;
  *address_of_inline_variable() = std::to_string(me);
  return NONE;
}
GET(one_of_two) {
  EXPECT(static_of_inline_function() == me && inline_variable == std::to_string(me) && with_static<int>::member == me);
  return NONE;
}
SET(streams) {
  set_precision(me + 2);
  return NONE;
}
GET(streams) {
  EXPECT(std::cout.precision() == me + 2);
  return NONE;
}
struct own_point : std::numpunct<char> {
  explicit own_point(int rank) : point(static_cast<char>('0' + rank % 64)) {}
  char do_decimal_point() const override { return point; }
  char point;
};
SET(locale) {
  std::locale::global(std::locale(std::locale::classic(), new own_point(me)));
  return NONE;
}
GET(locale) {
  const std::string text = number_with_stream(2.5);
  EXPECT(text[0] == '2' && text[1] == static_cast<char>('0' + me % 64));
  std::locale::global(std::locale::classic());
  return NONE;
}

const named_case cases[] = {
    CASE(exceptions, PRIVATE), CASE(types, PRIVATE),  CASE(one_of_two, PRIVATE),
    CASE(streams, PRIVATE),    CASE(locale, PRIVATE),
};

}  // namespace

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
