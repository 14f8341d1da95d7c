// What thread_objects.cpp and its library have in common.
#pragma once

#include <string>

struct counted {
  static int constructed, destroyed;
  explicit counted(const char* first) : text(first) { ++constructed; }
  counted(const counted&) = delete;
  ~counted() { ++destroyed; }
  std::string text;
};
extern thread_local counted of_library;
std::string& static_of_library_function();
inline thread_local std::string inline_of_thread = "inline";
template <class T>
thread_local T of_template = T(81);
