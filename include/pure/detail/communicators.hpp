// The functions of libpure behind pure::group, and behind what pure::comm does with communicators. Not for programs.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/library.hpp>
#include <pure/export.hpp>

struct MPI_ABI_Comm;

namespace pure::detail {

/// The numbers of ranks in the job, which a group is.
struct number_list {
  const int* first;
  std::size_t count;
};

/// Where the library writes text: in malloc's memory, for whoever has called.
struct given_text {
  char* first = nullptr;
  std::size_t length = 0;
};

extern "C" {
// `made` has room for as many numbers as all arguments have together; `count` of them are filled in.
PURE_API failure* pure_cxx_group_union(number_list a, number_list b, int* made, std::size_t* count);
PURE_API failure* pure_cxx_group_intersection(number_list a, number_list b, int* made, std::size_t* count);
PURE_API failure* pure_cxx_group_difference(number_list a, number_list b, int* made, std::size_t* count);
PURE_API failure* pure_cxx_group_incl(pure_call_site site, number_list of, number_list ranks, int* made,
                                      std::size_t* count);
PURE_API failure* pure_cxx_group_excl(pure_call_site site, number_list of, number_list ranks, int* made,
                                      std::size_t* count);
PURE_API failure* pure_cxx_group_rank(pure_call_site site, number_list of, int* rank);
PURE_API failure* pure_cxx_group_translate(pure_call_site site, number_list from, int rank, number_list to,
                                           int* translated);
PURE_API failure* pure_cxx_group_compare(number_list a, number_list b, int* result);

PURE_API failure* pure_cxx_duplicate(core::communicator* on, pure_call_site site, core::communicator** made);
PURE_API failure* pure_cxx_split(core::communicator* on, pure_call_site site, const int* color, int key,
                                 core::communicator** made);
PURE_API failure* pure_cxx_split_type(core::communicator* on, pure_call_site site, int type, const char* name,
                                      std::size_t name_length, given_text* found, int key, core::communicator** made);
PURE_API failure* pure_cxx_create(core::communicator* on, pure_call_site site, number_list members,
                                  core::communicator** made);
PURE_API failure* pure_cxx_create_group(core::communicator* on, pure_call_site site, number_list members, int tag,
                                        core::communicator** made);
PURE_API failure* pure_cxx_free_communicator(core::communicator* on, pure_call_site site);
PURE_API failure* pure_cxx_compare_communicators(core::communicator* a, core::communicator* b, pure_call_site site,
                                                 int* result);
/// `members`: size_of(on) of them.
PURE_API failure* pure_cxx_members_of(core::communicator* on, pure_call_site site, int* members);
/// Valid until the communicator is named or freed.
PURE_API failure* pure_cxx_name_of(core::communicator* on, pure_call_site site, const char** name, std::size_t* length);
PURE_API failure* pure_cxx_rename(core::communicator* on, pure_call_site site, const char* name, std::size_t length);
/// The calling rank's, by an MPI_Comm of the standard ABI; and back.
PURE_API failure* pure_cxx_comm_from_mpi(pure_call_site site, MPI_ABI_Comm* mpi, core::communicator** found);
PURE_API failure* pure_cxx_comm_to_mpi(core::communicator* on, pure_call_site site, MPI_ABI_Comm** mpi);
}

// ---- groups; results of comparisons are pure_comparison of pure.h ---------------------------------------------------

using numbers = std::vector<int>;

inline number_list list_of(const numbers& all) noexcept { return {all.data(), all.size()}; }

/// The numbers that make(first, count) has filled in, of which there are at most so many.
template <class Make>
numbers made_numbers(std::size_t most, Make make) {
  numbers made(most);
  std::size_t count = 0;
  check(make(made.data(), &count));
  made.resize(count);
  return made;
}

inline numbers group_union(const numbers& a, const numbers& b) {
  return made_numbers(a.size() + b.size(), [&](int* made, std::size_t* count) {
    return pure_cxx_group_union(list_of(a), list_of(b), made, count);
  });
}
inline numbers group_intersection(const numbers& a, const numbers& b) {
  return made_numbers(a.size() + b.size(), [&](int* made, std::size_t* count) {
    return pure_cxx_group_intersection(list_of(a), list_of(b), made, count);
  });
}
inline numbers group_difference(const numbers& a, const numbers& b) {
  return made_numbers(a.size() + b.size(), [&](int* made, std::size_t* count) {
    return pure_cxx_group_difference(list_of(a), list_of(b), made, count);
  });
}
inline numbers group_incl(pure_call_site site, const numbers& of, const int* ranks, std::size_t listed) {
  return made_numbers(of.size() + listed, [&](int* made, std::size_t* count) {
    return pure_cxx_group_incl(site, list_of(of), {ranks, listed}, made, count);
  });
}
inline numbers group_excl(pure_call_site site, const numbers& of, const int* ranks, std::size_t listed) {
  return made_numbers(of.size() + listed, [&](int* made, std::size_t* count) {
    return pure_cxx_group_excl(site, list_of(of), {ranks, listed}, made, count);
  });
}
inline int group_rank(pure_call_site site, const numbers& of) {
  int rank = 0;
  check(pure_cxx_group_rank(site, list_of(of), &rank));
  return rank;
}
inline int group_translate(pure_call_site site, const numbers& from, int rank, const numbers& to) {
  int translated = 0;
  check(pure_cxx_group_translate(site, list_of(from), rank, list_of(to), &translated));
  return translated;
}
inline int group_compare(const numbers& a, const numbers& b) {
  int result = 0;
  check(pure_cxx_group_compare(list_of(a), list_of(b), &result));
  return result;
}

inline constexpr int undefined = -32766;  // in place of a rank or color

// ---- communicators --------------------------------------------------------------------------------------------------
//
// Null results: no communicator for this rank. A null color: none.

inline core::communicator& duplicate(core::communicator& on, pure_call_site site) {
  core::communicator* made = nullptr;
  check(pure_cxx_duplicate(&on, site, &made));
  return *made;
}
inline core::communicator* split(core::communicator& on, pure_call_site site, const int* color, int key) {
  core::communicator* made = nullptr;
  check(pure_cxx_split(&on, site, color, key, &made));
  return made;
}
/// `name`: of the hardware or process set of a guided type; `found`: null, or where the name of the hardware goes.
inline core::communicator* split_type(core::communicator& on, pure_call_site site, int type, std::string_view name,
                                      std::string* found, int key) {
  struct owned_text : given_text {
    ~owned_text() { std::free(first); }
  } text;
  core::communicator* made = nullptr;
  check(pure_cxx_split_type(&on, site, type, name.data(), name.size(), found == nullptr ? nullptr : &text, key, &made));
  if (found != nullptr && text.first != nullptr) found->assign(text.first, text.length);
  return made;
}
inline core::communicator* create(core::communicator& on, pure_call_site site, const numbers& members) {
  core::communicator* made = nullptr;
  check(pure_cxx_create(&on, site, list_of(members), &made));
  return made;
}
inline core::communicator& create_group(core::communicator& on, pure_call_site site, const numbers& members, int tag) {
  core::communicator* made = nullptr;
  check(pure_cxx_create_group(&on, site, list_of(members), tag, &made));
  return *made;
}
inline void free_communicator(core::communicator& on, pure_call_site site) {
  check(pure_cxx_free_communicator(&on, site));
}
inline int compare_communicators(core::communicator& a, core::communicator& b, pure_call_site site) {
  int result = 0;
  check(pure_cxx_compare_communicators(&a, &b, site, &result));
  return result;
}
inline numbers members_of(core::communicator& on, pure_call_site site, int size) {
  numbers members(static_cast<std::size_t>(size));
  check(pure_cxx_members_of(&on, site, members.data()));
  return members;
}
inline std::string name_of(core::communicator& on, pure_call_site site) {
  const char* name = nullptr;
  std::size_t length = 0;
  check(pure_cxx_name_of(&on, site, &name, &length));
  return {name, length};
}
inline void rename(core::communicator& on, pure_call_site site, std::string_view name) {
  check(pure_cxx_rename(&on, site, name.data(), name.size()));
}

inline core::communicator& comm_from_mpi(pure_call_site site, MPI_ABI_Comm* mpi) {
  core::communicator* found = nullptr;
  check(pure_cxx_comm_from_mpi(site, mpi, &found));
  return *found;
}
inline MPI_ABI_Comm* comm_to_mpi(core::communicator& on, pure_call_site site) {
  MPI_ABI_Comm* name = nullptr;
  check(pure_cxx_comm_to_mpi(&on, site, &name));
  return name;
}

}  // namespace pure::detail
