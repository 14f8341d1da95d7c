#include "api/mpi/one_mpi.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

#include <fmt/core.h>

#include <pure/export.hpp>

#include "api/mpi/door.hpp"
#include "loader/loaded_program.hpp"
#include "loader/mpi_libraries.hpp"
#include "runtime/job.hpp"
#include "start/calling_rank.hpp"

namespace pure::core::mpi {

namespace {

std::string about_two(const std::string& own, const std::string& another) {
  return fmt::format(
      "this program has two MPIs: Pure's ({}), and {} ({}). It can be of one only: build all of it with purecc, purecxx and "
      "purefc (CMake: -DMPI_C_COMPILER=purecc -DMPI_CXX_COMPILER=purecxx -DMPI_Fortran_COMPILER=purefc), or leave out what "
      "brings the other one",
      own, name_of(mpi_family_of(std::string_view(another).substr(another.rfind('/') + 1))), another);
}

/// The library that has the function, by its path; empty: none has.
std::string library_of(const void* function) {
  Dl_info found{};
  return function != nullptr && dladdr(function, &found) != 0 ? found.dli_fname : "";
}

/// For two libraries that both lead here.
std::string about_two_interfaces(const std::string& first, const std::string& second) {
  return fmt::format(
      "a library that has been loaded needs {}, but the program calls MPI by {}, whose functions that library would get, "
      "with handles that mean nothing there. Build both for one MPI, or let ranks be threads with private globals: there "
      "each library has its own (purerun --ranks-as threads)",
      second, first);
}

}  // namespace

void refuse_other_mpi(const call& by) {
  if (do_ranks_begin_in_main())
    return;  // purerun has looked, and a network's plug-in may have brought what is there now
  if (const loaded_mpi_libraries mpis = mpis_of_process(); !mpis.another.empty())
    throw_error(by, constants::err_other, about_two(mpis.own, mpis.another));
}

}  // namespace pure::core::mpi

/// When a door is loaded, of what the program calls by these names: where its MPI_Init is another MPI's, that one would
/// be started, and find Pure's handles. A door that came later, by dlopen, has no name that the program calls; if what
/// the program calls is another one of Pure's, so would do the library that has brought it along. `of_this`: in it.
extern "C" PURE_API void pure_is_the_only_mpi(const void* init, const void* own, const void* of_this);
void pure_is_the_only_mpi(const void* init, const void* own, const void* of_this) {
  using namespace pure::core;
  const std::string another = mpi::library_of(init);
  const std::string door = mpi::library_of(own);
  const bool is_of_pure = mpi_family_of(door.substr(door.rfind('/') + 1)) == mpi_family::pure || is_own_door(door);
  if (is_of_pure && is_another_mpi_at(another)) end_process(mpi::about_two(door, another), 1);
  if (!loaded_program_path().empty()) return;  // each library finds its own first
  const std::string here = mpi::library_of(of_this);
  const mpi_family called = own_interface_of(another), own_family = own_interface_of(here);
  if (called != mpi_family::none && own_family != mpi_family::none && called != own_family)
    end_process(mpi::about_two_interfaces(another, here), 1);
}
