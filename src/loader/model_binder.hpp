// To what each place of a private object is bound that is relocated: read off the model, of which the dynamic linker
// has resolved all symbols, and corrected where a rank differs from a process.
//
// What the dynamic linker has written leads to another private object: then the same place in a rank's image gets the
// address in that rank's image; or to an object that all ranks share: then it gets the same word. Corrected are:
// functions and variables of libc that ranks have for themselves; names that a shared library defines, which here comes
// before the program, and not behind it; copies of variables (COPY relocations); the program's own thread-local
// variables.
//
// By the thread that adds objects to the model, under its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "loader/model_object.hpp"
#include "loader/replaced_functions.hpp"

namespace pure::core {

/// By their numbers; null: nothing has that number.
using object_table = std::vector<std::unique_ptr<model_object>>;

class model_binder {
 public:
  /// `objects`: of the model, all loaded by the dynamic linker. `in_order`: those among which unique symbols are looked
  /// for, in the order in which the rank gets them. All outlive it.
  model_binder(const object_table& objects, const replaced_functions& replaced,
               std::span<const model_object* const> in_order) noexcept
      : objects_(objects), replaced_(replaced), in_order_(in_order) {}

  /// Fills in what is to be written into the object's images. `scope`: where names are looked for. Throws pure::Error.
  void bind(model_object& object, std::span<const scope_object> scope) const;

 private:
  struct definition {
    const model_object* object = nullptr;  // null: there is none
    const Elf64_Sym* symbol = nullptr;
    std::size_t position = 0;  // in the scope
  };
  /// In the first private object of the scope that has the name. `version`: empty for any.
  [[nodiscard]] definition find(std::span<const scope_object> scope, std::string_view name,
                                std::string_view version) const;
  [[nodiscard]] bound_address bound_to(std::uint64_t address) const noexcept;
  /// Of a function that chooses another (STT_GNU_IFUNC): of what it chooses in the model.
  [[nodiscard]] bound_address bound_to(const definition& own) const;
  [[nodiscard]] bound_address bound_in_plug_in(model_object& object, std::size_t index, const bound_address& bound,
                                               std::span<const scope_object> scope) const;
  [[nodiscard]] bool bind_unique(model_object& object, std::size_t index, bound_address& bound) const;
  void bind_symbolic(model_object& object, const Elf64_Rela& entry, std::span<const scope_object> scope) const;
  [[nodiscard]] definition chosen(const model_object& object, std::size_t index,
                                  std::span<const scope_object> scope) const;
  [[nodiscard]] static bool bind_late(model_object& object, const Elf64_Rela& entry);
  void bind_copy(model_object& object, const Elf64_Rela& entry, std::span<const scope_object> scope) const;
  void bind_thread_local(model_object& object, const Elf64_Rela& entry, std::span<const scope_object> scope) const;

  const object_table& objects_;
  const replaced_functions& replaced_;
  const std::span<const model_object* const> in_order_;
};

/// Whether it is a relocation for a thread-local variable of the program, with which the dynamic linker could do
/// nothing: the program's block is none of its modules.
[[nodiscard]] bool names_thread_local_of_program(const model_object& program, const model_object& object,
                                                 const Elf64_Rela& entry);

[[noreturn]] void refuse_private(const model_object& object, const std::string& why);

}  // namespace pure::core
