// The libraries that a rank has opened (loader/plug_ins.hpp).
//
// Any thread of the rank; one at a time, also while constructors run, which may open others: so the lock is recursive,
// and the first one that is taken (loader/rank_program.hpp).
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libc/exit_handlers.hpp"
#include "loader/constructed_objects.hpp"
#include "loader/rank_images.hpp"

namespace pure::core {

/// What dlopen gives a rank for a private library, or for the program.
struct open_library {
  model_group group{};  // empty: it is closed, and gone
  std::string path{};
  int times_open = 0;
  bool is_global = false;
  bool is_kept = false;  // it is never closed
};

class open_libraries {
 public:
  /// Of the rank whose images these are. All outlive it. The program is open from the start.
  open_libraries(rank_images& images, constructed_objects& constructed, exit_handlers& handlers);

  /// As dlopen; `caller`: an address in who calls it. Throws std::exception with what dlerror is to say.
  void* open(const char* file, int mode, const void* caller);
  /// As dlsym and, with a version, dlvsym; null: there is none.
  void* find(void* handle, const char* name, const char* version, const void* caller);
  /// A function that was not there when the object was loaded, by its relocation, which leads there from now on. Throws
  /// std::exception: it still is nowhere.
  std::uint64_t bind_late(int object, std::uint64_t relocation);
  void close(open_library& library);
  /// Runs the destructors of all that has been constructed, at the end of the program, when constructors that another
  /// thread runs have returned: the latest first, one by one, for one of them may end the program as well, and then the
  /// others follow. As libc does, without the lock.
  void destroy_all();

  /// Libraries that have not been closed.
  void add_open_accounts(open_accounts& to);

  /// Of a handle that open() has given for a private library; null: it is the dynamic linker's own.
  open_library* known(void* handle) noexcept;

 private:
  void* find_in(std::span<const scope_object> scope, const char* name, const char* version,
                without_version otherwise = without_version::newest);
  [[nodiscard]] open_library& opened(int root);
  [[nodiscard]] int load(const program_closure& closure, const char* file, int mode);
  [[nodiscard]] std::vector<scope_object> global_scope() const;
  [[nodiscard]] std::span<const scope_object> scope_of(int object) const;
  [[nodiscard]] int known_as(std::string_view name) const;
  [[nodiscard]] int number_of(const program_object& object) const;
  [[nodiscard]] std::vector<int> unused_objects();
  void take_away(int object);

  rank_images& images_;
  constructed_objects& constructed_;
  exit_handlers& handlers_;
  std::recursive_mutex opening_;
  std::deque<open_library> all_;  // the program, then others; places of what is gone are used again
  // By dlsym(RTLD_DEFAULT): the one object has an address in the other, which stays as long as the first does.
  struct found_name {
    int by = 0, in = 0;
  };
  std::vector<found_name> found_;
  struct opened_name {  // by which dlopen was asked for it
    int number = no_object;
    std::string name;
  };
  std::vector<opened_name> names_;
  bool is_taking_away_ = false, has_closed_ = false;
};

}  // namespace pure::core
