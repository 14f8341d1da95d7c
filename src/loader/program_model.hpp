// The objects of a program that each rank has for itself, and how they are bound to each other: found out once for all
// ranks that bind them alike.
//
// The dynamic linker loads one copy of all of them, the model, in which no rank runs. From what it has put there, each
// place of a rank's images gets what belongs into it (loader/model_binder.hpp). Thread-local variables of libraries
// need no model and image: a thread belongs to one rank, so all images of a library use the model's module.
//
// Plug-ins are added while ranks run, by any thread: one at a time, under the model's lock, within which only the
// dynamic linker's own is taken. A plug-in that is refused leaves nothing behind. To what a plug-in is bound depends on
// what its rank has: on the file as it is then, on what the rank has opened before, and how. Ranks for which all of
// that is the same share the plug-in's objects here; where something differs there are others. They go with the last
// image of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/open_accounts.hpp"
#include "loader/closure.hpp"
#include "loader/model_binder.hpp"
#include "loader/model_object.hpp"
#include "loader/replaced_functions.hpp"

namespace pure::core {

/// By the dynamic linker; closed at the end of its life.
struct close_copy {
  void operator()(void* handle) const noexcept;
};
using opened_copy = std::unique_ptr<void, close_copy>;

/// A rank that opens a library, and all of it on which that depends.
struct opening_rank {
  const void* rank = nullptr;                                // no other has that address
  std::vector<const model_object*> loaded{};                 // its objects, in the order in which they came
  std::vector<scope_object> global{};                        // where names are looked for before the library
  bool has_own_first = false;                                // or behind it (RTLD_DEEPBIND)
  bool is_lazy = false;                                      // functions may be missing (RTLD_LAZY)
  std::function<int(const program_object&)> number_of = {};  // of one that it has, whatever the name; else no_object
};

class program_model {
 public:
  /// `replaced` outlives it. Throws pure::Error: the dynamic linker refuses it, or has to do what cannot be done for
  /// ranks.
  program_model(const program_closure& program, const replaced_functions& replaced);
  program_model(const program_model&) = delete;
  program_model& operator=(const program_model&) = delete;

  [[nodiscard]] const model_group& program() const noexcept { return program_; }
  /// The program itself.
  [[nodiscard]] const model_object& executable() const noexcept { return executable_; }
  [[nodiscard]] const replaced_functions& replaced() const noexcept { return replaced_; }
  /// Where the program's thread-local variables begin, in bytes before the thread pointer.
  [[nodiscard]] std::uint64_t thread_block_bytes() const noexcept { return thread_block_bytes_; }

  /// What the dynamic linker's list has for images of whatever rank (model_object::listed_path).
  [[nodiscard]] std::vector<std::string> names_of_images();
  /// A library that a rank opens and does not have, with what it needs; `closure`: of the library. The rank gives back
  /// each of the objects that it did not have before by leave(). Throws pure::Error, and then there is nothing to give
  /// back.
  model_group plug_in(const program_closure& closure, const opening_rank& by);
  /// A library that a rank has already, by its number.
  model_group group_of(int root);
  /// The rank has no image of the object any more.
  void leave(const model_object& object, const void* rank) noexcept;

  /// Objects of plug-ins.
  void add_open_accounts(open_accounts& to);

 private:
  // The objects that came with a plug-in, for ranks that bind it alike.
  struct binding {
    std::vector<std::uint64_t> key;  // all on which it depends (key_of)
    model_group group;
    std::vector<int> objects;
    opened_copy opened;
    std::size_t images = 0;      // of the objects, of all ranks
    std::set<const void*> left;  // by ranks that have had thread-local variables of it: the next ones are to be new
  };

  void add(const program_closure& closure, std::vector<int>& places, const opening_rank& by, binding& into);
  void add_objects(const program_closure& closure, std::vector<int>& places, binding& into);
  int add_object(const program_object& its, bool is_plug_in);
  void write_copy(model_object& object, const program_closure& closure, const std::string& also_needed);
  void load_copies(const program_closure& closure, binding& into) const;
  void note_copies(const program_closure& closure, const std::vector<int>& places, const binding& into);
  void rename_copies(const binding& into) const noexcept;
  void forget(binding& refused) noexcept;
  /// Under which path the object is loaded that a DT_NEEDED entry means; empty: under the name that the entry has.
  [[nodiscard]] std::string path_of_need(const program_closure& closure, const model_object& object,
                                         std::size_t entry) const;
  [[nodiscard]] model_object& at(int number) const { return *objects_[static_cast<std::size_t>(number)]; }
  [[nodiscard]] std::vector<scope_object> scope_from(int root) const;
  [[nodiscard]] std::vector<const model_object*> in_order_of_constructors(int root) const;

  const replaced_functions& replaced_;
  std::mutex adding_;
  object_table objects_;  // the program's first; a number may be used again
  std::uint64_t last_serial_ = 0;
  std::vector<std::unique_ptr<binding>> bindings_;  // of the program, then of plug-ins
  const model_group& program_;
  const model_object& executable_;
  const std::uint64_t thread_block_bytes_;
};

}  // namespace pure::core
