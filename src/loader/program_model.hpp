// The objects of a program that each rank has for itself, and how they are bound to each other: found out once, for all
// ranks.
//
// The dynamic linker loads one copy of all of them, the model, in which no rank runs. What it has put into each place
// that it relocates says to what that is bound: to another private object, then the same place in a rank's image gets
// the address in that rank's image; or to an object that all ranks share, then the same word. Corrected is where a rank
// differs from a process: functions and variables of libc that ranks have for themselves; names that a shared library
// defines, which here comes before the program, and not behind it; copies of variables (COPY relocations); the
// program's own thread-local variables.
//
// Thread-local variables of libraries need no model and image: a thread belongs to one rank, so all images of a library
// use the model's module.
//
// Plug-ins are added while ranks run, under the lock of loader/plug_ins.hpp. What is there stays as it is.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <link.h>

#include "loader/closure.hpp"
#include "loader/elf_object.hpp"
#include "loader/libc_variables.hpp"
#include "loader/object_copy.hpp"

namespace pure::core {

constexpr int no_object = -1;

/// An address: in an object, by its number, or of the process.
struct bound_address {
  int object = no_object;
  std::uint64_t value = 0;
};

struct image_word {  // to be written into each image
  std::uint64_t place = 0;
  bound_address to;
};

struct image_copy {  // a COPY relocation
  std::uint64_t place = 0, bytes = 0;
  bound_address from;
};

struct image_variable {  // of libc, by its first name
  std::uint64_t place = 0;
  std::string_view name;
};

struct thread_word {         // of a library's thread-local variables, whose initial value is an address
  std::uint64_t offset = 0;  // in the module's block
  bound_address to;
};

/// A private object.
struct model_object {
  model_object(const std::string& path, std::string known_as) : file(path), name(std::move(known_as)), copy(file) {}

  elf_object file;
  std::string name;
  object_copy copy;
  std::vector<int> needs;         // what its DT_NEEDED entries mean, one by one; no_object: a shared one
  const link_map* map = nullptr;  // null: it is not used
  bool is_plug_in = false;
  bool is_kept = false;        // another object has its unique symbols: it is never taken away
  std::vector<int> unique_in;  // in which others its unique symbols are
  std::uint64_t base = 0;
  std::size_t thread_module = 0;                                     // of the dynamic linker; 0: none
  std::unordered_multimap<std::string_view, std::uint32_t> exports;  // symbols that it defines
  std::vector<image_word> words;
  std::vector<image_copy> copies;
  std::vector<image_variable> variable_words;  // each points to the rank's variable
  std::vector<image_variable> variables;       // which lie in the image
  std::vector<thread_word> thread_words;

  /// A symbol that it defines; null: none. `version`: empty for any.
  [[nodiscard]] const Elf64_Sym* find(std::string_view symbol, std::string_view version) const;
  [[nodiscard]] bool has(std::uint64_t address) const noexcept {
    return address >= base && address <= base + file.end();
  }
};

/// An object in the order in which names are looked for in it: private by its number, or shared.
struct scope_object {
  int number = no_object;
  const link_map* shared = nullptr;
};

/// A program, or a plug-in, with those of its libraries that were not there before.
struct model_group {
  std::vector<scope_object> scope;  // itself and all its libraries, breadth first
  std::vector<int> initialized;     // the new private objects, in the order of their constructors
  std::vector<int> also_loaded;     // others, of which they use something
};

class program_model {
 public:
  /// Throws pure::Error: the dynamic linker refuses it, or has to do what cannot be done for ranks.
  explicit program_model(const program_closure& program);
  program_model(const program_model&) = delete;
  program_model& operator=(const program_model&) = delete;

  /// A library that a rank opens: its closure. `global`: where names are looked for before it, that is in the program
  /// and in what was opened with RTLD_GLOBAL. Throws pure::Error.
  std::unique_ptr<model_group> add(const program_closure& plug_in, const std::vector<scope_object>& global);

  [[nodiscard]] const model_group& program() const noexcept { return program_; }
  [[nodiscard]] const model_object& object(int number) const noexcept {
    return objects_[static_cast<std::size_t>(number)];
  }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(objects_.size()); }
  /// The number of the private object of that path; or no_object.
  [[nodiscard]] int number_of(const std::string& path) const;

  /// The private definition of a name in the first object of a scope that has one, shared ones included. `version`:
  /// empty for any. {no_object, 0}: there is none.
  struct definition {
    int object = no_object;
    const Elf64_Sym* symbol = nullptr;
    std::size_t position = 0;  // in the scope
  };
  [[nodiscard]] definition find_private(std::span<const scope_object> scope, std::string_view name,
                                        std::string_view version) const;

  /// Where the program's thread-local variables begin, in bytes before the thread pointer, and how they look like.
  [[nodiscard]] std::uint64_t thread_block_bytes() const noexcept;

 private:
  void open_objects(const program_closure& closure, const std::string& also_needed, model_group& group);
  /// Under which path the object is loaded that a DT_NEEDED entry means; empty: under the name that the entry has.
  [[nodiscard]] std::string path_of_need(const program_closure& closure, const model_object& object,
                                         std::size_t entry) const;
  static void find_exports(model_object& object);
  [[nodiscard]] bool names_thread_local_of_program(const model_object& object, const Elf64_Rela& relocation) const;
  void bind(int number, std::span<const scope_object> scope);
  void bind_symbolic(model_object& object, const Elf64_Rela& relocation, std::span<const scope_object> scope);
  bound_address bound_in_plug_in(model_object& object, std::size_t index, const bound_address& bound,
                                 std::span<const scope_object> scope);
  void bind_copy(model_object& object, const Elf64_Rela& relocation, std::span<const scope_object> scope);
  void bind_thread_local(model_object& object, const Elf64_Rela& relocation, std::span<const scope_object> scope);
  [[nodiscard]] bound_address bound_to(std::uint64_t address) const noexcept;
  [[nodiscard]] std::vector<int> in_order_of_constructors(int first) const;

  std::deque<model_object> objects_;  // never moved: the dynamic linker and ranks refer to them
  std::unordered_map<std::string, int> by_path_;
  model_group program_;
};

}  // namespace pure::core
