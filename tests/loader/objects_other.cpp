// The other file of objects.cpp.
#include "objects.hpp"

#include <cstdlib>
#include <new>

int shape::alive = 0;
int square::corners() const { return 4; }

std::string seen_by_other_file() {
  return std::to_string(inline_variable) + inline_text + std::to_string(variable_template<int>) +
         std::to_string(with_static<int>::member) + std::to_string(with_static<int>::inline_member) +
         std::to_string(static_of_inline_function()) + std::to_string(static_of_template<double>()) +
         singleton::get().text;
}
std::unique_ptr<shape> square_of_other_file() { return std::make_unique<square>(); }
void throw_failure(int number) { throw failure(std::to_string(number)); }
const std::type_info& type_of_other_file() { return typeid(with_static<singleton>); }

long allocated = 0;
void* operator new(std::size_t size) {
  allocated += static_cast<long>(size);
  if (void* const memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
