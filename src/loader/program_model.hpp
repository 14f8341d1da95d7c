// The objects of a program that each rank has for itself, and how they are bound to each other: found out once, for all
// ranks.
//
// The dynamic linker loads one copy of all of them, the model, in which no rank runs. From what it has put there, each
// place of a rank's images gets what belongs into it (loader/model_binder.hpp). Thread-local variables of libraries
// need no model and image: a thread belongs to one rank, so all images of a library use the model's module.
//
// Plug-ins are added while ranks run, by any thread: one at a time, under the model's lock, within which only the
// dynamic linker's own is taken. What was there stays as it is, and a plug-in that is refused leaves nothing behind.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "loader/closure.hpp"
#include "loader/model_object.hpp"
#include "loader/replaced_functions.hpp"

namespace pure::core {

/// By the dynamic linker; closed at the end of its life.
struct close_copy {
  void operator()(void* handle) const noexcept;
};
using opened_copy = std::unique_ptr<void, close_copy>;

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

  /// What the dynamic linker's list has for images of whatever rank (model_object::listed_path); the pointers tell.
  [[nodiscard]] std::vector<const char*> names_of_images();
  /// A library that a rank opens, which stays as long as the process; added if it is not there. `closure`: of the
  /// library. `global`: where names are looked for before it, that is in the program and in what was opened with
  /// RTLD_GLOBAL. Throws pure::Error.
  const model_group& plug_in(const program_closure& closure, const std::vector<scope_object>& global,
                             bool has_own_first = false);

 private:
  [[nodiscard]] int size() const noexcept { return static_cast<int>(objects_.size()); }
  [[nodiscard]] int number_of(const std::string& path) const;
  void add(const program_closure& closure, const std::vector<scope_object>& global, model_group& group,
           bool has_own_first = false);
  void add_objects(const program_closure& closure, int first);
  void write_copy(model_object& object, const program_closure& closure, const std::string& also_needed);
  void load_copies(int first, opened_copy& opened) const;
  void note_copies(int first);
  void rename_copies(int first) const noexcept;
  void forget(int first) noexcept;
  /// Under which path the object is loaded that a DT_NEEDED entry means; empty: under the name that the entry has.
  [[nodiscard]] std::string path_of_need(const program_closure& closure, const model_object& object,
                                         std::size_t entry) const;
  [[nodiscard]] std::vector<scope_object> scope_of(const program_closure& closure) const;
  [[nodiscard]] std::vector<const model_object*> in_order_of_constructors(int root) const;
  [[nodiscard]] std::vector<const model_object*> others_used_from(int first) const;

  const replaced_functions& replaced_;
  std::mutex adding_;
  std::deque<model_object> objects_;              // by number; never moved: the dynamic linker and ranks refer to them
  std::unordered_map<std::string, int> by_path_;  // by what is left of a path without links
  std::map<std::string, std::unique_ptr<model_group>> plug_ins_;  // likewise
  model_group program_;
  const model_object& executable_;
  const std::uint64_t thread_block_bytes_;
};

}  // namespace pure::core
