// The library of across.cpp.
#include "across.hpp"

#include <iostream>
#include <sstream>

std::unique_ptr<animal> make_dog() { return std::make_unique<dog>(); }
bool is_dog(const animal& one) { return dynamic_cast<const dog*>(&one) != nullptr && typeid(one) == typeid(dog); }
void refuse(int number) { throw refusal("refused", number); }
std::exception_ptr keep_refusal(int number) { return std::make_exception_ptr(refusal("kept", number)); }
int call_and_catch(void (*function)(int), int number) {
  try {
    function(number);
  } catch (const refusal& caught) {
    return caught.number;
  } catch (...) {
  }
  return -1;
}
std::any number_as_any(int number) { return number; }
int* address_of_static() { return &static_of_inline_function(); }
std::string* address_of_inline_variable() { return &inline_variable; }
int* address_of_member() { return &with_static<int>::member; }
void set_precision(int digits) { std::cout.precision(digits); }
std::string number_with_stream(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}
