#include "api/mpi/one_mpi.hpp"

#include <dlfcn.h>

#include <string>
#include <string_view>

#include <fmt/core.h>

#include <pure/export.hpp>

#include "api/mpi/door.hpp"
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

}  // namespace

void refuse_other_mpi(const call& by) {
  if (do_ranks_begin_in_main())
    return;  // purerun has looked, and a network's plug-in may have brought what is there now
  if (const loaded_mpi_libraries mpis = mpis_of_process(); !mpis.another.empty())
    throw_error(by, constants::err_other, about_two(mpis.own, mpis.another));
}

}  // namespace pure::core::mpi

/// When the door is loaded, of what the program calls by these names: where its MPI_Init is another MPI's, that one
/// would be started, and find Pure's handles. A door that came later, by dlopen, has no name that the program calls.
extern "C" PURE_API void pure_is_the_only_mpi(const void* init, const void* own);
void pure_is_the_only_mpi(const void* init, const void* own) {
  using namespace pure::core;
  const std::string another = mpi::library_of(init);
  const std::string door = mpi::library_of(own);
  if (!is_of_another_mpi(another) || mpi_family_of(door.substr(door.rfind('/') + 1)) != mpi_family::pure) return;
  end_process(mpi::about_two(door, another), 1);
}
