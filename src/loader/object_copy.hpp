// Copies of a program's objects that the dynamic linker loads: files in memory, without a name, that differ from the
// original in what the dynamic linker is told about them.
//
// Two kinds. Of the model's copy (loader/program_model.hpp) the dynamic linker resolves all symbols, so it is whole; it
// has its own names for the private libraries that it needs. Of a rank's copy (loader/rank_images.hpp) it only learns
// where the object lies: so there is only what it reads for that, and all else comes from the original file afterwards.
// Constructors, destructors, protection after relocation are left out of both: the loader sees to them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "loader/loadable_object.hpp"

namespace pure::core {

class object_copy {
 public:
  /// An empty file that is as long as the original.
  explicit object_copy(const loadable_object& original);
  object_copy(object_copy&& from) noexcept;
  object_copy& operator=(object_copy&&) = delete;
  ~object_copy();

  /// While it is open. The dynamic linker keeps the name: no other copy may have it later, so this one stays open.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// A longer name of the same file, which no other copy has, nor had.
  [[nodiscard]] const std::string& unique_path() const noexcept { return unique_path_; }
  void write(std::uint64_t offset, const void* from, std::uint64_t bytes);
  /// Copies that part of the original.
  void write_original(std::uint64_t offset, std::uint64_t bytes);

 private:
  const loadable_object* original_;
  int descriptor_;
  std::string path_, unique_path_;
};

/// For the model. `is_program`: not a library, and its thread-local variables lie where the launcher's pad is.
/// `renamed(name)`: under which path a library that it needs is loaded; empty: under that name. `also_needed`: a path,
/// or empty. `is_left_to_us(relocation)`: the dynamic linker would not know what to do. Throws pure::Error.
void write_model(object_copy& copy, const loadable_object& original, bool is_program,
                 const std::function<std::string(std::string_view)>& renamed, const std::string& also_needed,
                 const std::function<bool(const Elf64_Rela&)>& is_left_to_us);

/// For a rank.
void write_image(object_copy& copy, const loadable_object& original);

}  // namespace pure::core
