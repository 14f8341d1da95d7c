// A rank's images: its own copies of the program's private objects, at addresses of their own.
//
// Of an object the dynamic linker loads a file that has little more than headers, so that debuggers, unwinding and
// dladdr know where it lies; all else is mapped from the original file, and what has to be relocated is written as the
// model says.
//
// One thread of the rank at a time loads and unloads: first the one that begins the rank, then whoever holds the lock
// of open_libraries. That thread reads without a lock; all others, signal handlers excepted, under `changing_`, which
// is taken after that one. The dynamic linker is called outside of it.
#pragma once

#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "libc/libc_variables.hpp"
#include "loader/machine.hpp"
#include "loader/program_model.hpp"

namespace pure::core {

/// The version of a symbol for somebody who asks for none: dlsym gives the one that is not hidden; a call that was
/// linked when there were no versions leads to the first.
enum class without_version { newest, oldest };

/// Functions that were nowhere when an object was loaded that calls them: found when they are called.
struct calls_of_image : late_calls {
  int object = no_object;
};

class rank_images {
 public:
  /// Loads nothing. `variables`: the rank's. Both outlive it.
  rank_images(program_model& model, int rank, libc_variables& variables) noexcept;
  rank_images(const rank_images&) = delete;
  rank_images& operator=(const rank_images&) = delete;

  [[nodiscard]] program_model& model() const noexcept { return model_; }

  /// What finds functions that an image calls, and that were nowhere when it was made. Before images are made.
  using late_binder = std::uint64_t (*)(late_calls*, std::uint64_t relocation);
  void bind_late_by(late_binder binder) noexcept { late_binder_ = binder; }

  // --- by the one thread ---

  /// Makes the images of the group's new objects and binds them; runs no constructors. Throws pure::Error, and then has
  /// made none, and has given these objects back to the model.
  void load(const model_group& group);
  /// Takes an image away, which nothing uses any more, and gives its object back.
  void unload(int object);
  /// The objects of which there are images, in the order in which these came.
  [[nodiscard]] const std::vector<const model_object*>& in_order() const noexcept { return in_order_; }
  /// Numbers of objects are below it.
  [[nodiscard]] int end_of_numbers() const noexcept { return static_cast<int>(images_.size()); }
  /// Whether there is an image, which is never taken away: another one uses its unique symbols, or
  /// its file says so.
  [[nodiscard]] bool is_kept(int number) const noexcept;
  /// Where the image of an object lies; 0: there is none.
  [[nodiscard]] std::uint64_t base_of(int object) const noexcept;
  /// The object, of which there is an image.
  [[nodiscard]] const model_object& object(int number) const {
    return *images_[static_cast<std::size_t>(number)].object;
  }
  /// Of a symbol that the object defines: a function, a variable, or the calling thread's variable. `version`: empty
  /// for none. Null: there is none.
  [[nodiscard]] void* address_in(int object, std::string_view name, std::string_view version,
                                 without_version otherwise) const;

  // --- by any thread ---

  /// The number of the object whose image has the address; no_object: none.
  [[nodiscard]] int object_at(std::uint64_t address) const noexcept;
  /// Where each image begins, by the object's number; 0: there is none.
  [[nodiscard]] std::vector<std::uint64_t> beginnings() const;
  /// The path of the file of the object that has the address, which stays; null: there is none.
  [[nodiscard]] const std::string* file_at(std::uint64_t address) const noexcept;
  /// What the rank has in place of libc's function or variable of that name; null: libc's.
  [[nodiscard]] void* in_place_of_libc(std::string_view name) const noexcept;
  [[nodiscard]] const libc_variables& variables() const noexcept { return variables_; }
  /// The dynamic linker's handle of an image; null: there is none.
  [[nodiscard]] void* handle_of(int object) const noexcept;
  /// The thread-local variables of the calling thread, which belongs to the rank from now on, get their first values.
  void begin_thread() const;

 private:
  struct image {
    const model_object* object = nullptr;
    std::uint64_t base = 0;  // what its addresses are counted from; 0: there is none
    std::uint64_t begin = 0, end = 0;
    void* handle = nullptr;        // the dynamic linker's
    char* name_of_copy = nullptr;  // as the dynamic linker had it
    bool is_kept = false;          // its unique symbols are used
    std::shared_ptr<calls_of_image> late{};
  };
  [[nodiscard]] image make(const model_object& object) const;
  [[nodiscard]] std::uint64_t address_of(const bound_address& bound) const noexcept;
  void put(int object, const image& next);
  void take_away(int object);
  void bind(const model_object& object);
  void choose_functions(const model_object& object) const;
  void begin_thread_in(const model_object& object) const;

  program_model& model_;
  const int rank_;
  libc_variables& variables_;
  late_binder late_binder_ = nullptr;
  mutable std::shared_mutex changing_;
  std::vector<image> images_;  // by the object's number
  std::vector<const model_object*> in_order_;
};

}  // namespace pure::core
