// The library of thread_objects.cpp.
#include "thread_objects.hpp"

int counted::constructed = 0;
int counted::destroyed = 0;
thread_local counted of_library("library");
std::string& static_of_library_function() {
  static thread_local std::string text = "function";
  inline_of_thread += "L";
  return text;
}
