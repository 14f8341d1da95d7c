// What across.cpp and its libraries have in common.
#pragma once

#include <any>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>

struct animal {
  virtual ~animal() = default;
  [[nodiscard]] virtual std::string name() const { return "animal"; }
};
struct dog : animal {
  [[nodiscard]] std::string name() const override { return "dog"; }
};
struct refusal : std::runtime_error {
  refusal(const std::string& text, int its_number) : std::runtime_error(text), number(its_number) {}
  int number;
};
inline int& static_of_inline_function() {
  static int number = 121;
  return number;
}
inline std::string inline_variable = "inline";
template <class T>
struct with_static {
  static T member;
};
template <class T>
T with_static<T>::member = T(122);

std::unique_ptr<animal> make_dog();
bool is_dog(const animal& one);
void refuse(int number);
std::exception_ptr keep_refusal(int number);
int call_and_catch(void (*function)(int), int number);
std::any number_as_any(int number);
int* address_of_static();
std::string* address_of_inline_variable();
int* address_of_member();
void set_precision(int digits);
std::string number_with_stream(double number);
