// Thread-local objects of C++, which are constructed and destroyed in each thread of a rank. -Dthread_local= makes
// common ones of them.
#include "thread_objects.hpp"

#include <future>
#include <thread>

#include "cases.h"

namespace {

thread_local counted of_program("program");
template <class Function>
auto in_thread(const Function& function) {
  return std::async(std::launch::async, function).get();
}
SET(of_program) {
  EXPECT(of_program.text == "program");
  of_program.text = std::to_string(me);
  EXPECT(in_thread([] { return of_program.text; }) == "program");
  return NONE;
}
GET(of_program) {
  EXPECT(of_program.text == std::to_string(me));
  return NONE;
}
SET(of_library) {
  EXPECT(of_library.text == "library");
  of_library.text = std::to_string(me);
  EXPECT(in_thread([] { return of_library.text; }) == "library");
  return NONE;
}
GET(of_library) {
  EXPECT(of_library.text == std::to_string(me));
  return NONE;
}
SET(of_library_function) {
  EXPECT(static_of_library_function() == "function" && inline_of_thread == "inlineL");
  static_of_library_function() = std::to_string(me);
  EXPECT(in_thread([] { return static_of_library_function() + inline_of_thread; }) == "functioninlineL");
  return NONE;
}
GET(of_library_function) {
  EXPECT(static_of_library_function() == std::to_string(me) && inline_of_thread == "inlineLLL");
  return NONE;
}
SET(of_template) {
  EXPECT(of_template<int> == 81);
  of_template<int> = me;
  EXPECT(in_thread([] { return of_template<int> ++; }) == 81);
  return NONE;
}
GET(of_template) {
  EXPECT(of_template<int> == me);
  return NONE;
}
// A thread destroys its own, and no others.
SET(destruction) {
  counted::constructed = counted::destroyed = 0;
  for (int i = 0; i < 2 + me % 3; ++i) std::thread([] { of_program.text += of_library.text; }).join();
  EXPECT(counted::constructed == 2 * (2 + me % 3));
  return NONE;
}
GET(destruction) {
  EXPECT(counted::constructed == counted::destroyed && counted::destroyed == 2 * (2 + me % 3));
  return NONE;
}
struct lazy {
  lazy() : rank(rank_here()) {}
  int rank;
};
int rank_of_lazy() {
  static thread_local lazy object;
  return object.rank;
}
SET(rank_when_constructed) {
  EXPECT(rank_of_lazy() == me);
  return NONE;
}
GET(rank_when_constructed) {
  EXPECT(rank_of_lazy() == me);
  return NONE;
}

const named_case cases[] = {
    CASE(of_program, THREAD),  CASE(of_library, THREAD),   CASE(of_library_function, THREAD),
    CASE(of_template, THREAD), CASE(destruction, PRIVATE), CASE(rank_when_constructed, THREAD),
};

}  // namespace

int main(int argc, char** argv) { return RUN_CASES_WITH(argc, argv, cases, SERIALIZED); }
