// One rank's wrong argument in each call of pure.h by which all ranks make something, each argument in turn: all ranks
// must get that error, and then make the same thing rightly. For ranks of one process
// (pure_h_creations_errors_test.cpp) and of several (tests/net/creations.cpp).
#pragma once

#include <pure.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace test_support {

struct wrong_creation {
  std::string name;
  pure_error_code code;
  std::string text;  // in the error of every rank
  /// The call of one rank: `wrong` for the one that errs, whose number is `errs`. Ends what it has made.
  std::function<int(bool wrong, int errs)> call;
};

namespace creations {

inline constexpr pure_comm all = PURE_COMM_WORLD;
inline constexpr auto no_info = static_cast<pure_info>(0x12345);
inline constexpr auto no_type = 77;

inline pure_info info_of(const char* key, const char* value) {
  pure_info made = PURE_INFO_NULL;
  pure_info_create(&made);
  pure_info_set(made, key, value);
  return made;
}

/// The end of a creation that went well.
inline int freed(int code, pure_win* win) { return code != PURE_SUCCESS ? code : pure_win_free(win); }
inline int freed(int code, pure_comm* made) { return code != PURE_SUCCESS ? code : pure_comm_free(made); }
inline int freed(int code, pure_agg* agg) { return code != PURE_SUCCESS ? code : pure_agg_free(agg); }

using allocates = int (*)(std::int64_t, int, pure_info, pure_comm, void*, pure_win*, pure_call_site);

inline void add_windows_with_memory(std::vector<wrong_creation>& to, const std::string& name, allocates allocate) {
  const auto call = [allocate](std::int64_t size, int unit, pure_info info, bool has_base, bool has_win) {
    void* base = nullptr;
    pure_win win = PURE_WIN_NULL;
    return freed(allocate(size, unit, info, all, has_base ? &base : nullptr, has_win ? &win : nullptr,
                          pure_call_site::current()),
                 &win);
  };
  to.push_back({name + ": size", PURE_ERR_ARG, "the size -1 is negative",
                [=](bool wrong, int) { return call(wrong ? -1 : 64, 8, PURE_INFO_NULL, true, true); }});
  to.push_back({name + ": unit 0", PURE_ERR_DISP, "the unit of displacements is 0 bytes",
                [=](bool wrong, int) { return call(64, wrong ? 0 : 8, PURE_INFO_NULL, true, true); }});
  to.push_back({name + ": unit -8", PURE_ERR_DISP, "the unit of displacements is -8 bytes",
                [=](bool wrong, int) { return call(64, wrong ? -8 : 8, PURE_INFO_NULL, true, true); }});
  to.push_back({name + ": info", PURE_ERR_INFO, "is no info object",
                [=](bool wrong, int) { return call(64, 8, wrong ? no_info : PURE_INFO_NULL, true, true); }});
  to.push_back({name + ": value of info", PURE_ERR_INFO, "any_type or hardware", [=](bool wrong, int) {
                  const pure_info info = info_of("pure_atomics", wrong ? "all" : "hardware");
                  const int code = call(64, 8, info, true, true);
                  pure_info unused = info;
                  pure_info_free(&unused);
                  return code;
                }});
  to.push_back({name + ": base", PURE_ERR_ARG, "`base` is null",
                [=](bool wrong, int) { return call(64, 8, PURE_INFO_NULL, !wrong, true); }});
  to.push_back({name + ": win", PURE_ERR_ARG, "`win` is null",
                [=](bool wrong, int) { return call(64, 8, PURE_INFO_NULL, true, !wrong); }});
}

inline void add_windows_over_memory(std::vector<wrong_creation>& to) {
  const auto create = [](bool has_memory, std::int64_t size, int unit, pure_info info, bool has_win) {
    std::int64_t memory[8] = {};
    pure_win win = PURE_WIN_NULL;
    return freed(pure_win_create(has_memory ? memory : nullptr, size, unit, info, all, has_win ? &win : nullptr), &win);
  };
  to.push_back({"pure_win_create: memory", PURE_ERR_BUFFER, "the memory is null",
                [=](bool wrong, int) { return create(!wrong, 64, 8, PURE_INFO_NULL, true); }});
  to.push_back({"pure_win_create: size", PURE_ERR_ARG, "the size -9 is negative",
                [=](bool wrong, int) { return create(true, wrong ? -9 : 64, 8, PURE_INFO_NULL, true); }});
  to.push_back({"pure_win_create: unit", PURE_ERR_DISP, "is 0 bytes",
                [=](bool wrong, int) { return create(true, 64, wrong ? 0 : 8, PURE_INFO_NULL, true); }});
  to.push_back({"pure_win_create: info", PURE_ERR_INFO, "is no info object",
                [=](bool wrong, int) { return create(true, 64, 8, wrong ? no_info : PURE_INFO_NULL, true); }});
  to.push_back({"pure_win_create: win", PURE_ERR_ARG, "`win` is null",
                [=](bool wrong, int) { return create(true, 64, 8, PURE_INFO_NULL, !wrong); }});
  const auto dynamic = [](pure_info info, bool has_win) {
    pure_win win = PURE_WIN_NULL;
    return freed(pure_win_create_dynamic(info, all, has_win ? &win : nullptr), &win);
  };
  to.push_back({"pure_win_create_dynamic: info", PURE_ERR_INFO, "is no info object",
                [=](bool wrong, int) { return dynamic(wrong ? no_info : PURE_INFO_NULL, true); }});
  to.push_back({"pure_win_create_dynamic: win", PURE_ERR_ARG, "`win` is null",
                [=](bool wrong, int) { return dynamic(PURE_INFO_NULL, !wrong); }});
}

inline void add_splits(std::vector<wrong_creation>& to) {
  to.push_back({"pure_comm_dup: made", PURE_ERR_ARG, "`made` is null", [](bool wrong, int) {
                  pure_comm made = PURE_COMM_NULL;
                  return freed(pure_comm_dup(all, wrong ? nullptr : &made), &made);
                }});
  const auto split = [](int color, bool has_made) {
    pure_comm made = PURE_COMM_NULL;
    return freed(pure_comm_split(all, color, 0, has_made ? &made : nullptr), &made);
  };
  to.push_back({"pure_comm_split: color", PURE_ERR_ARG, "the color -7 is negative",
                [=](bool wrong, int) { return split(wrong ? -7 : 2, true); }});
  to.push_back(
      {"pure_comm_split: made", PURE_ERR_ARG, "`made` is null", [=](bool wrong, int) { return split(2, !wrong); }});
  const auto split_type = [](int type, bool has_made) {
    pure_comm made = PURE_COMM_NULL;
    return freed(pure_comm_split_type(all, type, 0, has_made ? &made : nullptr), &made);
  };
  to.push_back({"pure_comm_split_type: type", PURE_ERR_ARG, "77 is no split type",
                [=](bool wrong, int) { return split_type(wrong ? no_type : PURE_COMM_TYPE_PROCESS, true); }});
  to.push_back({"pure_comm_split_type: made", PURE_ERR_ARG, "`made` is null",
                [=](bool wrong, int) { return split_type(PURE_COMM_TYPE_MACHINE, !wrong); }});
  const auto guided = [](int type, pure_info info) {
    pure_comm made = PURE_COMM_NULL;
    return freed(pure_comm_split_type(all, type, 0, info, &made), &made);
  };
  to.push_back({"pure_comm_split_type: info", PURE_ERR_INFO, "is no info object",
                [=](bool wrong, int) { return guided(PURE_COMM_TYPE_PROCESS, wrong ? no_info : PURE_INFO_NULL); }});
  to.push_back({"pure_comm_split_type: two keys", PURE_ERR_ARG, "both a kind of hardware and a process set",
                [=](bool wrong, int) {
                  pure_info info = info_of("mpi_pset_name", "mpi://WORLD");
                  if (wrong) pure_info_set(info, "mpi_hw_resource_type", "hwloc://Core");
                  const int code = guided(PURE_COMM_TYPE_RESOURCE_GUIDED, info);
                  pure_info_free(&info);
                  return code;
                }});
}

inline void add_groups(std::vector<wrong_creation>& to) {
  const auto create = [](pure_comm from, pure_group group, bool has_made) {
    pure_comm made = PURE_COMM_NULL;
    return freed(pure_comm_create(from, group, has_made ? &made : nullptr), &made);
  };
  const auto with_all = [](auto act) {
    pure_group everyone = PURE_GROUP_NULL;
    pure_comm_group(all, &everyone);
    const int code = act(everyone);
    pure_group_free(&everyone);
    return code;
  };
  to.push_back({"pure_comm_create: group", PURE_ERR_GROUP, "null group", [=](bool wrong, int) {
                  return with_all([&](pure_group group) { return create(all, wrong ? PURE_GROUP_NULL : group, true); });
                }});
  to.push_back({"pure_comm_create: made", PURE_ERR_ARG, "`made` is null", [=](bool wrong, int) {
                  return with_all([&](pure_group group) { return create(all, group, !wrong); });
                }});
  // A communicator of all but one rank, and a group with that one, who makes no call and has the error that is
  // expected.
  to.push_back(
      {"pure_comm_create: a stranger", PURE_ERR_GROUP, "which the communicator has not", [=](bool wrong, int errs) {
         const bool is_stranger = pure_rank() == (errs + 1) % pure_size();
         pure_comm some = PURE_COMM_NULL;
         pure_comm_split(all, is_stranger ? 1 : 0, 0, &some);
         pure_group own = PURE_GROUP_NULL;
         pure_comm_group(some, &own);
         const int code = with_all([&](pure_group group) { return create(some, wrong ? group : own, true); });
         pure_group_free(&own);
         pure_comm_free(&some);
         return code;
       }});
  to.push_back({"pure_comm_create_group: made", PURE_ERR_ARG, "`made` is null", [=](bool wrong, int) {
                  return with_all([&](pure_group group) {
                    pure_comm made = PURE_COMM_NULL;
                    return freed(pure_comm_create_group(all, group, 5, wrong ? nullptr : &made), &made);
                  });
                }});
}

inline void add_aggregations(std::vector<wrong_creation>& to) {
  const auto add = [&](const char* what, const char* text, std::function<void(pure_agg_options&)> spoil) {
    to.push_back({std::string("pure_agg_create: ") + what, PURE_ERR_ARG, text, [=](bool wrong, int) {
                    pure_agg_options options;
                    if (wrong) spoil(options);
                    pure_agg agg = PURE_AGG_NULL;
                    return freed(pure_agg_create(all, &options, &agg), &agg);
                  }});
  };
  add("buffer_bytes", "buffer_bytes is -1, which is negative", [](pure_agg_options& of) { of.buffer_bytes = -1; });
  add("large buffers", "asks for buffers of 1000000 bytes", [](pure_agg_options& of) { of.buffer_bytes = 1'000'000; });
  add("memory_cap", "memory_cap is -4, which is negative", [](pure_agg_options& of) { of.memory_cap = -4; });
  add("small cap", "asks for a memory cap of 10 bytes", [](pure_agg_options& of) { of.memory_cap = 10; });
  add("latency", "negative latency", [](pure_agg_options& of) { of.latency_ns = -1; });
  add("scheme", "asks for scheme 9", [](pure_agg_options& of) { of.scheme = static_cast<pure_agg_scheme>(9); });
  add("hops", "asks for hops 8", [](pure_agg_options& of) { of.hops = static_cast<pure_agg_hops>(8); });
  to.push_back({"pure_agg_create: agg", PURE_ERR_ARG, "`agg` is null", [](bool wrong, int) {
                  pure_agg agg = PURE_AGG_NULL;
                  return freed(pure_agg_create(all, nullptr, wrong ? nullptr : &agg), &agg);
                }});
}

}  // namespace creations

inline std::vector<wrong_creation> wrong_creations() {
  std::vector<wrong_creation> list;
  creations::add_windows_with_memory(list, "pure_win_allocate", pure_win_allocate);
  creations::add_windows_with_memory(list, "pure_win_allocate_shared", pure_win_allocate_shared);
  creations::add_windows_over_memory(list);
  creations::add_splits(list);
  creations::add_groups(list);
  creations::add_aggregations(list);
  return list;
}

/// All of them, with that rank as the one that errs; collective over world, of 3 ranks at least. Says of each that is
/// not as it should be what is wrong: report(text).
template <class Report>
void try_wrong_creations(int errs, Report&& report) {
  const int me = pure_rank();
  for (const wrong_creation& each : wrong_creations()) {
    const std::string what = each.name + ", rank " + std::to_string(errs) + " errs, on rank " + std::to_string(me);
    const bool is_out = each.name.ends_with("a stranger") && me == (errs + 1) % pure_size();
    const int code = each.call(me == errs, errs);
    const std::string text = pure_last_error();
    const int expected = is_out ? PURE_SUCCESS : each.code;
    if (code != expected) report(what + ": " + std::to_string(code) + ", not " + std::to_string(expected));
    if (!is_out) {
      if (text.find(each.text) == std::string::npos) report(what + ": no '" + each.text + "' in: " + text);
      if (text.find("wrong_creations.hpp:") == std::string::npos) report(what + ": no place in: " + text);
      if (text.find(each.name.substr(0, each.name.find(':'))) != 0) report(what + ": no call in: " + text);
    }
    if (pure_barrier(PURE_COMM_WORLD) != PURE_SUCCESS) report(what + ": no barrier: " + pure_last_error());
    if (each.call(false, errs) != PURE_SUCCESS) report(what + ", then rightly: " + pure_last_error());
  }
}

}  // namespace test_support
