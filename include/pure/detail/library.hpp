// The functions of libpure behind ranks and communicators of the typed interface. Not for programs.
//
// Here and in its neighbours: a function of the library, pure_cxx_NAME, has an interface of C, and returns what it
// throws as a failure (pure/detail/failure.hpp); NAME, inline and so in the program, throws that. What a function of
// the library fills is untouched where it fails.
#pragma once

#include <cstdint>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/export.hpp>

namespace pure::core {
class communicator;
}

namespace pure::detail {

using request_handle = std::uint64_t;  // 0: null

using rank_body = int (*)(void* context, core::communicator& world);
/// What each rank runs. Functions of pure.h, which return no failures, throw theirs by throw_failure.
struct rank_function {
  rank_body body;
  void* context;
  void (*throw_failure)(failure* made);
};

extern "C" {
// For ranks that the program starts itself (src/api/cpp/environment.cpp).
PURE_API failure* pure_cxx_begin_calling_rank(pure_call_site site);
PURE_API void pure_cxx_end_calling_rank(pure_call_site site, bool is_passed_by_exception) noexcept;
PURE_API failure* pure_cxx_world_of_calling_rank(pure_call_site site, core::communicator** world);

// For the program's own calls of MPI (src/api/cpp/own_mpi.cpp).
PURE_API failure* pure_cxx_lock_mpi(pure_call_site site);
PURE_API void pure_cxx_unlock_mpi() noexcept;

PURE_API int pure_cxx_rank_of(const core::communicator* on) noexcept;
PURE_API core::communicator* pure_cxx_world_of(core::communicator* on) noexcept;
PURE_API int pure_cxx_size_of(const core::communicator* on) noexcept;

PURE_API failure* pure_cxx_run_ranks(int ranks, const rank_function* program, int* status);
PURE_API failure* pure_cxx_run_settings_ranks(const rank_function* program, int* status);
PURE_API failure* pure_cxx_run_ranks_of_main(const rank_function* program, int* status);
}

inline void begin_calling_rank(pure_call_site site) { check(pure_cxx_begin_calling_rank(site)); }
inline void end_calling_rank(pure_call_site site, bool is_passed_by_exception) noexcept {
  pure_cxx_end_calling_rank(site, is_passed_by_exception);
}
inline core::communicator& world_of_calling_rank(pure_call_site site) {
  core::communicator* world = nullptr;
  check(pure_cxx_world_of_calling_rank(site, &world));
  return *world;
}

inline void lock_mpi(pure_call_site site) { check(pure_cxx_lock_mpi(site)); }
inline void unlock_mpi() noexcept { pure_cxx_unlock_mpi(); }

inline int rank_of(const core::communicator& on) noexcept { return pure_cxx_rank_of(&on); }
/// The communicator of all ranks, for the rank that has this one; lives as long as the rank.
inline core::communicator& world_of(core::communicator& on) noexcept { return *pure_cxx_world_of(&on); }
inline int size_of(const core::communicator& on) noexcept { return pure_cxx_size_of(&on); }

/// Runs body on `ranks` ranks. Throws what made it fail.
inline int run_ranks(int ranks, rank_body body, void* context) {
  int status = 0;
  const rank_function program{body, context, throw_failure};
  check(pure_cxx_run_ranks(ranks, &program, &status));
  return status;
}
/// The same on as many ranks as the settings say.
inline int run_settings_ranks(rank_body body, void* context) {
  int status = 0;
  const rank_function program{body, context, throw_failure};
  check(pure_cxx_run_settings_ranks(&program, &status));
  return status;
}
/// The same for a main: prints what made it fail and returns a non-zero status.
inline int run_ranks_of_main(int, char**, rank_body body, void* context) {
  int status = 0;
  const rank_function program{body, context, throw_failure};
  check(pure_cxx_run_ranks_of_main(&program, &status));
  return status;
}

}  // namespace pure::detail
