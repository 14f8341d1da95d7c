#include "purerun/loading.hpp"

#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "loader/object_file.hpp"
#include "own_mpi.hpp"
#include "purerun/options.hpp"
#include "purerun/program.hpp"

namespace purerun {
namespace {

using pure::core::loader_refusal;
using pure::core::printable_word;
using pure::core::program_closure;

// Of a copy of libpure, beside it; empty: there is none.
std::string launcher_beside(const std::string& library) {
  const std::filesystem::path folder = std::filesystem::path(library).parent_path();
  std::error_code ignored;
  for (const std::filesystem::path& each :
       {folder / own_mpi::launcher_of_pure_h, folder / "pure" / own_mpi::launcher_of_pure_h}) {
    if (std::filesystem::exists(each, ignored)) return each.string();
  }
  return {};
}

std::string launcher_for(const program_closure& closure, bool is_of_pure_h) {
  if (!is_of_pure_h) return own_mpi::launcher();
  for (const pure::core::program_object& each : closure.objects) {
    if (std::filesystem::path(each.path).filename().string().starts_with("libpure.so"))
      return launcher_beside(each.path);
  }
  return {};
}

}  // namespace

loading look_at_loading(const std::string& path, const std::vector<std::string>& environment, bool is_of_pure_h) {
  loading found;
  std::vector<const char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  try {
    found.closure = pure::core::closure_of(path, pointers.data());
    if (is_of_pure_h && !pure::core::object_file(path).defines("pure_main_runs_on_every_rank"))
      throw loader_refusal(path, "it starts its ranks itself (pure::run)", "");
    found.uses = process_wide_uses(*found.closure, environment);
    found.launcher = launcher_for(*found.closure, is_of_pure_h);
    if (found.launcher.empty()) {
      found.against = "this copy of Pure has no program that loads others";
      found.refusal = fmt::format("{} cannot be loaded for each rank, since {}.", printable_word(path), found.against);
      return found;
    }
    if (!found.uses.empty() && found.uses.front().decides) found.against = found.uses.front().by;
  } catch (const loader_refusal& refusal) {
    if (refusal.is_for_all()) throw program_error(not_found, refusal.what());  // as the dynamic linker ends it
    found.against = refusal.reason();
    found.refusal = refusal.what();
  } catch (const std::runtime_error& error) {
    found.against = error.what();
    found.refusal = error.what();
    if (found.against.ends_with('.')) found.against.pop_back();
  }
  return found;
}

}  // namespace purerun
