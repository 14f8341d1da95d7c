// A private object of a program, as the model has it (loader/program_model.hpp): its file, the copy that the dynamic
// linker has loaded, and what is to be written into each rank's image of it.
//
// Made and filled in by program_model, under its lock. Once its group is given out it never changes, and stays as long
// as a rank has an image of it: ranks read it without a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <link.h>

#include "loader/loadable_object.hpp"
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

struct chosen_word {  // what a function of the image returns, and so much more
  std::uint64_t place = 0;
  bound_address by;
  std::uint64_t more = 0;
};

struct image_copy {  // a COPY relocation
  std::uint64_t place = 0, bytes = 0;
  bound_address from;
};

struct image_variable {  // of libc, by its first name
  std::uint64_t place = 0;
  std::string_view name;
};

/// An object in the order in which names are looked for in it: private by its number, or shared.
struct scope_object {
  int number = no_object;
  const link_map* shared = nullptr;
  friend bool operator==(const scope_object&, const scope_object&) = default;
};

struct model_object {
  /// Throws pure::Error. `its_name`: as who needs it calls it.
  model_object(int its_number, const std::string& path, std::string its_name);
  model_object(const model_object&) = delete;
  model_object& operator=(const model_object&) = delete;

  const int number;          // 0: the program; when it is gone, another one's
  std::uint64_t serial = 0;  // no other's, ever
  const loadable_object file;
  const std::string name;
  object_copy copy;
  std::unique_ptr<object_copy> for_debuggers;  // null: no debugger was there
  std::vector<scope_object> needs;             // what its DT_NEEDED entries mean, one by one
  link_map* map_of_copy = nullptr;             // of the dynamic linker's
  char* name_of_copy = nullptr;                // as the dynamic linker had it, when it has another one
  std::uint64_t base = 0;                      // of the dynamic linker's copy, which is there when `is_loaded`
  bool is_loaded = false;
  std::size_t thread_module = 0;  // of the dynamic linker; 0: none
  bool is_plug_in = false;        // or came with one
  bool has_own_first = false;     // its own names before the program's (RTLD_DEEPBIND)
  bool has_chosen = false;        // it defines functions that are chosen when they are bound (STT_GNU_IFUNC)
  bool has_unique = false;        // it defines unique symbols (STB_GNU_UNIQUE)
  std::vector<int> unique_in;     // in which others its unique symbols are: those are never taken away
  std::vector<int> uses;          // all others that its words lead to
  bool is_never_closed = false;   // it says so (DF_1_NODELETE)

  bool is_lazy = false;         // functions that are nowhere may be called, or not
  bool has_late_calls = false;  // such functions are there, whose words lead to the linkage table
  std::vector<image_word> words;
  std::vector<chosen_word> chosen;  // behind all words
  std::vector<image_copy> copies;
  std::vector<image_variable> variable_words;  // each points to the rank's variable
  std::vector<image_variable> variables;       // which lie in the image
  // Of a library's thread-local variables: offsets in the module's block, of first values that are the rank's.
  std::vector<std::uint64_t> thread_words;

  /// What the dynamic linker's list has for the images: debuggers, dladdr and reports of crashes find it there.
  [[nodiscard]] const std::string& listed_path() const noexcept {
    return for_debuggers ? for_debuggers->path() : file.path();
  }
  /// A symbol that it defines for others; null: none. As the dynamic linker does, for an object that asks for that
  /// version; empty: that knows of none, and gets the oldest.
  [[nodiscard]] const Elf64_Sym* find(std::string_view symbol, std::string_view version) const;
  /// For dlsym, which gets the version that is not hidden.
  [[nodiscard]] const Elf64_Sym* find_newest(std::string_view symbol) const;
  /// Whether the copy has the address, or ends there.
  [[nodiscard]] bool has(std::uint64_t address) const noexcept {
    return is_loaded && address >= base + file.begin() && address <= base + file.end();
  }

 private:
  std::unordered_multimap<std::string_view, std::uint32_t> exports_;
};

/// A program, or a plug-in.
struct model_group {
  std::vector<scope_object> scope;                // itself and all its libraries, breadth first
  std::vector<const model_object*> constructors;  // its private objects, in the order in which these run
};

}  // namespace pure::core
