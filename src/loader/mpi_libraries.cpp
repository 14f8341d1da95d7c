#include "loader/mpi_libraries.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <exception>

#include "hang/elf_globals.hpp"
#include "loader/object_file.hpp"

namespace pure::core {

// libmpi.so.12, libmpich.so.12, libmpifort.so.12 are MPICH's, Intel's and Cray's; libmpi.so.40, libmpi_mpifh.so.40 and,
// of older versions, libmpi.so.20 Open MPI's.
mpi_family mpi_family_of(std::string_view library) noexcept {
  if (library.starts_with("libmpi_abi.so")) return mpi_family::pure;
  if (library.starts_with("libopen-")) return mpi_family::openmpi;
  const auto number = library.rfind(".so.");
  const std::string_view version = number == std::string_view::npos ? "" : library.substr(number + 4);
  if (library.starts_with("libmpich") || version.starts_with("12")) return mpi_family::mpich;
  if (version.starts_with("40")) return mpi_family::openmpi;
  if (version.starts_with("20")) return mpi_family::old_openmpi;
  return mpi_family::other;
}

std::string_view name_of(mpi_family family) noexcept {
  switch (family) {
    case mpi_family::mpich: return "MPICH, or its ABI";
    case mpi_family::openmpi: return "Open MPI";
    case mpi_family::old_openmpi: return "Open MPI, before its version 4";
    default: return "another MPI";
  }
}

bool is_of_another_mpi(std::string_view library) noexcept {
  library = library.substr(library.rfind('/') + 1);
  if (!elf_globals::is_of_mpi(library) || library.starts_with("libopen-")) return false;
  const mpi_family family = mpi_family_of(library);
  return family == mpi_family::mpich || family == mpi_family::openmpi || family == mpi_family::old_openmpi;
}

bool is_own_door(const std::string& path) noexcept {
  try {
    return object_file(path).defines(door_mark);
  } catch (const std::exception&) {
    return false;  // it cannot be read
  }
}

mpi_family own_interface_of(const std::string& path) noexcept {
  const std::string_view library = std::string_view(path).substr(path.rfind('/') + 1);
  if (!elf_globals::is_of_mpi(library)) return mpi_family::none;
  const mpi_family family = mpi_family_of(library);
  return family == mpi_family::pure || is_own_door(path) ? family : mpi_family::none;
}

foreign_library foreign_library_in(const program_closure& closure) {
  const auto& all = closure.objects;
  for (std::size_t number = 0; number < all.size(); ++number) {
    std::string library = all[number].name;
    if (number == 0) {  // asked for by a name for linking (libmpi.so), which does not say whose it is
      const object_file file(all[number].path);
      if (const auto sonames = file.texts(DT_SONAME); !sonames.empty()) library = sonames.front();
    }
    if (!is_of_another_mpi(library) || is_own_door(all[number].path)) continue;
    const auto by = std::find_if(all.begin(), all.end(), [&](const program_object& each) {
      return std::find(each.needs.begin(), each.needs.end(), number) != each.needs.end();
    });
    return {.library = library, .needed_by = by == all.end() || by == all.begin() ? "" : by->name};
  }
  return {};
}

loaded_mpi_libraries mpis_of_process() {
  loaded_mpi_libraries found;
  const auto look_at = [](dl_phdr_info* object, std::size_t, void* where) {
    loaded_mpi_libraries& those = *static_cast<loaded_mpi_libraries*>(where);
    const std::string_view path = object->dlpi_name;
    const std::string_view library = path.substr(path.rfind('/') + 1);
    if (!elf_globals::is_of_mpi(library)) return 0;
    if (mpi_family_of(library) == mpi_family::pure) {
      those.own = path;
    } else if (those.another.empty() && is_another_mpi_at(std::string(path))) {
      those.another = path;
    }
    return 0;
  };
  dl_iterate_phdr(look_at, &found);
  return found;
}

}  // namespace pure::core
