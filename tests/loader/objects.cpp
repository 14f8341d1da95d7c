// Objects of a C++ program, its own and those that the C++ library has for it.
#include "objects.hpp"

#include <any>
#include <atomic>
#include <iomanip>
#include <iostream>
#include <locale>
#include <memory_resource>
#include <mutex>
#include <new>
#include <random>
#include <sstream>

#include "cases.h"

namespace {

VARIABLE(inline_variable, inline_variable, 41)
VARIABLE(variable_template, variable_template<int>, 42)
VARIABLE(static_member, with_static<int>::member, 44)
VARIABLE(inline_static_member, with_static<int>::inline_member, 43)
VARIABLE(static_of_inline_function, static_of_inline_function(), 45)
VARIABLE(static_of_template, static_of_template<double>(), 0.0)
VARIABLE(singleton, singleton::get().number, 46)
const auto lambda = []() -> int& {
  static int number = 47;
  return number;
};
VARIABLE(static_of_lambda, lambda(), 47)

// All of it again, as the other file sees it.
SET(other_file) {
  inline_text = "r" + std::to_string(me);
  singleton::get().text = "s" + std::to_string(me);
  return NONE;
}
GET(other_file) {
  const std::string number = std::to_string(WORTH(me));
  EXPECT(seen_by_other_file() == number + "r" + std::to_string(me) + number + number + number + number + number +
                                     ".000000s" + std::to_string(me));
  return NONE;
}

// Constructed when the program begins, in this order.
std::vector<std::string>& order() {
  static std::vector<std::string> words;
  return words;
}
struct noted {
  explicit noted(const char* word) : copied(word) { order().emplace_back(word); }
  std::string copied;
};
noted second("second");
noted third("third");
__attribute__((init_priority(200))) noted first("first");
__attribute__((constructor(150))) void at_the_very_first() { order().emplace_back("function"); }
SET(construction) {
  EXPECT(order() == (std::vector<std::string>{"function", "first", "second", "third"}) && third.copied == "third");
  order().push_back(std::to_string(me));
  return NONE;
}
GET(construction) {
  EXPECT(order().size() == 5 && order()[4] == std::to_string(me));
  return NONE;
}

std::vector<int> numbers{1, 2, 3};
std::map<std::string, int> named{{"one", 1}};
std::unique_ptr<int> owned = std::make_unique<int>(48);
std::function<int(int)> function = [](int number) { return number; };
SET(containers) {
  EXPECT(numbers.size() == 3 && named.size() == 1 && *owned == 48 && function(3) == 3);
  numbers.push_back(me);
  named["rank"] = me;
  *owned = me;
  function = [me](int number) { return number + me; };
  return NONE;
}
GET(containers) {
  EXPECT(numbers.size() == 4 && numbers[3] == me && named.size() == 2 && named["rank"] == me);
  EXPECT(*owned == me && function(3) == 3 + me);
  return NONE;
}
std::atomic<int> counted{49};
VARIABLE(atomic, counted, 49)
std::mt19937 generator(5);
SET(generator) {
  generator.discard(static_cast<unsigned>(me));
  return NONE;
}
GET(generator) {
  std::mt19937 other(5);
  other.discard(static_cast<unsigned>(me));
  EXPECT(generator() == other());
  return NONE;
}
std::once_flag flag;
int called_once;
SET(call_once) {
  for (int i = 0; i < 2; ++i) std::call_once(flag, [me] { called_once = me + 100; });
  return NONE;
}
GET(call_once) {
  EXPECT(called_once == me + 100);
  return NONE;
}
struct slow {
  slow() : rank(rank_here()) {}
  int rank;
};
slow& first_call_constructs() {
  static slow object;
  return object;
}
SET(first_call) {
  EXPECT(first_call_constructs().rank == me);
  return NONE;
}
GET(first_call) {
  EXPECT(first_call_constructs().rank == me);
  return NONE;
}

// What the C++ library keeps.
SET(stream) {
  EXPECT(std::cout.precision() == 6 && !(std::cout.flags() & std::ios::fixed));
  std::cout << std::setprecision(me + 2);
  if (me % 2) std::cout << std::fixed;
  return NONE;
}
GET(stream) {
  EXPECT(std::cout.precision() == me + 2 && bool(std::cout.flags() & std::ios::fixed) == (me % 2 == 1));
  return NONE;
}
std::ostringstream diverted;
SET(buffer_of_stream) {
  (void)me;
  std::clog.rdbuf(diverted.rdbuf());
  return NONE;
}
GET(buffer_of_stream) {
  std::clog << "rank " << me;
  EXPECT(diverted.str() == "rank " + std::to_string(rank_here()));
  EXPECT(me == rank_here());
  return NONE;
}
struct commas : std::numpunct<char> {
  explicit commas(int rank) : point(static_cast<char>('0' + rank % 64)) {}
  char do_decimal_point() const override { return point; }
  char point;
};
SET(locale) {
  std::locale::global(std::locale(std::locale::classic(), new commas(me)));
  return NONE;
}
GET(locale) {
  std::ostringstream text;
  text << 1.5;
  EXPECT(text.str()[1] == static_cast<char>('0' + me % 64));
  std::locale::global(std::locale::classic());
  return NONE;
}
const int first_index = std::ios_base::xalloc();
SET(xalloc) {
  for (int i = 0; i < me; ++i) std::ios_base::xalloc();
  return NONE;
}
GET(xalloc) {
  EXPECT(std::ios_base::xalloc() == first_index + 1 + me);
  return NONE;
}
std::pmr::monotonic_buffer_resource resource;
SET(memory_resource) {
  EXPECT(std::pmr::get_default_resource() == std::pmr::new_delete_resource());
  std::pmr::set_default_resource(&resource);
  numbers.push_back(me);
  return NONE;
}
GET(memory_resource) {
  EXPECT(std::pmr::get_default_resource() == &resource && numbers.back() == me);
  std::pmr::set_default_resource(nullptr);
  return NONE;
}
void handler() {}
void other_handler() {}
SET(handlers) {
  EXPECT(std::get_new_handler() == nullptr && std::get_terminate() != handler);
  std::set_new_handler(me % 2 ? handler : other_handler);
  std::set_terminate(me % 2 ? handler : other_handler);
  return NONE;
}
GET(handlers) {
  EXPECT(std::get_new_handler() == (me % 2 ? handler : other_handler));
  EXPECT(std::get_terminate() == (me % 2 ? handler : other_handler));
  std::set_new_handler(nullptr);
  return NONE;
}

// Types and exceptions.
std::exception_ptr kept;
struct looks_back {
  ~looks_back() { *seen = std::uncaught_exceptions(); }
  int* seen;
};
SET(exceptions) {
  int seen = -1;
  try {
    const looks_back back{&seen};
    throw_failure(me);
  } catch (const std::runtime_error& error) {
    EXPECT(error.what() == std::to_string(me) && seen == 1 && std::uncaught_exceptions() == 0);
    kept = std::current_exception();
  }
  return NONE;
}
GET(exceptions) {
  try {
    std::rethrow_exception(kept);
  } catch (const failure& error) {
    EXPECT(error.what() == std::to_string(me));
    return NONE;
  }
  return "an exception";
}
std::unique_ptr<shape> a_shape;
SET(types) {
  EXPECT(shape::alive == 0 && type_of_other_file() == typeid(with_static<singleton>));
  a_shape = square_of_other_file();
  EXPECT(shape::alive == 1 && a_shape->corners() == 4 && dynamic_cast<square*>(a_shape.get()) != nullptr);
  shape::alive = me;
  return NONE;
}
GET(types) {
  const std::any value = me;
  EXPECT(shape::alive == std::any_cast<int>(value));
  a_shape.reset();
  EXPECT(shape::alive == me - 1);
  return NONE;
}

// An operator new of the program, which the C++ library has to call, too.
long kept_number;
long allocated_by_stream(int times) {
  const long before = allocated;
  std::ostringstream text;  // its buffer is made by the library
  for (int i = 0; i < times; ++i) text << "0123456789";
  return allocated - before;
}
SET(operator_new) {
  EXPECT(allocated_by_stream(100 * (me + 1)) >= 1000L * (me + 1));
  kept_number = me;
  return NONE;
}
GET(operator_new) {
  EXPECT(allocated_by_stream(100) >= 1000 && kept_number == me);
  return NONE;
}

const named_case cases[] = {
    CASE(operator_new, PRIVATE),
    CASE(inline_variable, PRIVATE),
    CASE(variable_template, PRIVATE),
    CASE(static_member, PRIVATE),
    CASE(inline_static_member, PRIVATE),
    CASE(static_of_inline_function, PRIVATE),
    CASE(static_of_template, PRIVATE),
    CASE(singleton, PRIVATE),
    CASE(static_of_lambda, PRIVATE),
    CASE(other_file, PRIVATE),
    CASE(construction, PRIVATE),
    CASE(containers, PRIVATE),
    CASE(atomic, PRIVATE),
    CASE(generator, PRIVATE),
    CASE(call_once, PRIVATE),
    CASE(first_call, PRIVATE),
    CASE(stream, PRIVATE),
    CASE(buffer_of_stream, PRIVATE),
    CASE(locale, PRIVATE),
    CASE(xalloc, PRIVATE),
    CASE(memory_resource, PRIVATE),
    CASE(handlers, PRIVATE),
    CASE(exceptions, PRIVATE),
    CASE(types, PRIVATE),
};

}  // namespace

int main(int argc, char** argv) { return RUN_CASES(argc, argv, cases); }
