// The variables in an ELF file that the program may write to, and that all threads, and so all ranks, share: globals,
// class members and variables in functions that are static. Not those of each thread, not constants, and not what the
// compiler and the runtimes of C and C++ put into every program.
//
// Reads a file that lies in memory, and trusts nothing in it: every offset is checked. Allocates nothing and calls
// nothing, so that a signal handler may use it (globals_hint.hpp); `pure globals` is the other user.
#pragma once

#include <elf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pure::core {

struct global_variable {
  enum class origin {
    own,          ///< defined in this file
    copy,         ///< the program's copy of a variable of a library (COPY relocation): the library uses it, too
    system_copy,  ///< the same of a library with symbol versions, as libc and libstdc++: stdout, std::cout
    mpi_copy,     ///< the same of an MPI, which has no versions: ompi_mpi_comm_world
  };
  std::string_view name;  ///< as in the file: mangled. A null character follows it
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string_view section;
  origin from = origin::own;
};

class elf_globals {
 public:
  enum class fault {
    none,
    no_elf,
    not_64_bit,
    big_endian,
    other_machine,  ///< neither x86-64 nor aarch64
    object_file,    ///< not linked
    core_file,
    damaged,    ///< cut off, or it contradicts itself
    no_symbols  ///< neither a symbol table nor one for the dynamic linker
  };

  /// `file` stays where it is for as long as this object is used.
  explicit elf_globals(std::span<const std::byte> file) noexcept;

  [[nodiscard]] fault what_is_wrong() const noexcept { return fault_; }
  /// Only what the file exports is known by name.
  [[nodiscard]] bool is_stripped() const noexcept { return is_stripped_; }
  /// The program needs no dynamic linker: the C library's own variables are among those found.
  [[nodiscard]] bool is_static() const noexcept { return is_static_; }
  /// A program that the dynamic linker starts.
  [[nodiscard]] bool has_interpreter() const noexcept { return has_interpreter_; }
  /// Where it starts, as the file has it.
  [[nodiscard]] std::uint64_t entry() const noexcept { return entry_; }

  /// The next variable from symbol number `at` on, which is moved past it; false: there is no more. Aliases, which have
  /// the same address, come one by one.
  bool next(std::size_t& at, global_variable& found) const noexcept;

  /// Whether it has a symbol whose name begins so, its own or one of a library.
  [[nodiscard]] bool has_symbol(std::string_view beginning) const noexcept;

  /// Whether a library of that name (DT_NEEDED) belongs to an MPI.
  static bool is_of_mpi(std::string_view library) noexcept;

  /// From the dynamic section: each text of that kind, DT_NEEDED, DT_RUNPATH, DT_RPATH or DT_SONAME, as next() does.
  bool next_dynamic(std::int64_t tag, std::size_t& at, std::string_view& text) const noexcept;

 private:
  struct relocated_copy {
    std::uint64_t address = 0;
    bool is_of_system = false;
  };
  static constexpr std::size_t most_copies = 128;

  template <class T>
  [[nodiscard]] std::span<const T> at(std::uint64_t offset, std::uint64_t count) const noexcept;
  [[nodiscard]] std::span<const char> strings_of(std::uint32_t section) const noexcept;
  fault read() noexcept;
  void find_copies(const Elf64_Shdr& relocations) noexcept;
  [[nodiscard]] bool is_writable(std::uint64_t address, std::uint64_t bytes) const noexcept;
  /// The compiler's start file has variables with names that people use as well.
  [[nodiscard]] bool is_of_start_file(std::size_t number) const noexcept;
  [[nodiscard]] global_variable::origin origin_of(const Elf64_Sym& symbol) const noexcept;

  std::span<const std::byte> file_;
  fault fault_ = fault::none;
  bool is_stripped_ = false;
  bool is_static_ = false;
  bool needs_mpi_ = false;
  bool has_interpreter_ = false;
  std::uint64_t entry_ = 0;
  std::uint16_t machine_ = EM_NONE;
  std::span<const Elf64_Phdr> segments_;
  std::span<const Elf64_Shdr> sections_;
  std::span<const char> section_names_;
  std::span<const Elf64_Sym> symbols_;
  std::span<const char> names_;
  std::span<const Elf64_Dyn> dynamic_;
  std::span<const char> dynamic_names_;
  std::array<relocated_copy, most_copies> copies_{};
  std::size_t copies_count_ = 0;
};

}  // namespace pure::core
