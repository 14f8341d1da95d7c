// What objects.cpp and objects_other.cpp both have: the linker makes one of two.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

inline int inline_variable = 41;
inline std::string inline_text = "inline";
template <class T>
inline T variable_template = T(42);
template <class T>
struct with_static {
  static T member;
  static inline T inline_member = T(43);
};
template <class T>
T with_static<T>::member = T(44);
inline int& static_of_inline_function() {
  static int number = 45;
  return number;
}
template <class T>
T& static_of_template() {
  static T object{};
  return object;
}
struct singleton {
  int number = 46;
  std::string text = "one";
  static singleton& get() {
    static singleton object;
    return object;
  }
};
struct shape {
  static int alive;
  shape() { ++alive; }
  shape(const shape&) = delete;
  virtual ~shape() { --alive; }
  [[nodiscard]] virtual int corners() const { return 0; }
};
struct square : shape {
  [[nodiscard]] int corners() const override;
};
struct failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string seen_by_other_file();
std::unique_ptr<shape> square_of_other_file();
void throw_failure(int number);
const std::type_info& type_of_other_file();
extern long allocated;  // by operator new, which that file defines
