// What a rank's program has asked for at its end: functions of atexit and its relatives, destructors of static objects
// (__cxa_atexit) and of the thread-local objects of the rank's own thread.
//
// Any thread may add; the one that ends the rank runs them, the latest first, and what they add in turn. As libc's,
// they are run once, also if one of them calls exit.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace pure::core {

class exit_handlers {
 public:
  using with_argument = void (*)(void*);
  using with_status = void (*)(int, void*);

  void add(with_argument function, void* argument, void* object);
  void add_with_status(with_status function, void* argument);
  void add_quick(with_argument function, void* object);
  /// Of a thread-local object of the rank's own thread; `shared_object`: an address in the library that has it.
  void add_of_thread(with_argument function, void* object, void* shared_object);
  /// The same, of another thread: libc runs it, when that thread ends.
  void begin_of_other_thread(void* shared_object);
  void end_of_other_thread(void* shared_object);
  /// Whether thread-local objects of a library are still to be destroyed, which has those addresses.
  [[nodiscard]] bool has_of_threads(std::uint64_t begin, std::uint64_t end);

  /// Thread-local objects of the rank's own thread.
  void run_of_thread();
  /// The same, if it is the rank's own thread that ends the rank, then all others.
  void run(int status, bool is_own_thread = true);
  void run_quick();
  /// Functions of atexit and destructors that an object of the program has added; null: of all.
  void run_of(void* object);

 private:
  struct handler {
    with_argument function = nullptr;
    with_status function_with_status = nullptr;
    void* argument = nullptr;
    void* object = nullptr;
  };
  static void add_to(exit_handlers& all, std::vector<handler>& list, const handler& next);
  bool take(std::vector<handler>& list, handler& last);

  std::mutex changing_;
  std::vector<handler> of_thread_, at_exit_, quick_;
  std::vector<void*> of_other_threads_;  // by the libraries that have them
};

}  // namespace pure::core
