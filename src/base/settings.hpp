// The settings of a job. One table, setting_rows(), says everything about each: name, unit, range, meaning, who reads
// it. It drives reading the environment, `purerun`, `pure info` and docs/settings.md (a test compares the two).
//
// To add a setting: one member of `settings`, whose initializer is the only place that holds the default, and one row
// in settings_table.cpp. Settings are read once, when a job starts, and never change while it runs.
//
// Any thread may call these functions as long as none changes the environment meanwhile. They throw pure::Error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pure::core {

struct settings {
  int ranks = 0;                ///< 0: one for each core that the process may use
  std::string map_by = "core";  ///< machine/mapping.hpp knows what it may be
  int cpus_per_rank = 0;        ///< 0: as many as there are for each
  std::string other_jobs = "avoid";
  std::string helpers = "0";    ///< machine/helper_places.hpp knows what it may be
  bool report_bindings = false;
  int processes = 0;                ///< 0: as many as the launcher has started
  std::string placement = "block";  ///< machine/rank_placement.hpp knows what it may be
  std::string host_split = "cores";
  std::string network = "auto";
  std::string near_network = "auto";
  int near_processes = 0;                     ///< 0: all of a host
  std::string plugin_dir;                     ///< empty: beside the library
  std::size_t net_message_bytes = 17 * 1024;  ///< a message of 16 KiB, with what it needs beside it
  std::string net_without;                    ///< empty: with all; gateway/special_ways.hpp knows what it may be
  std::string async_progress = "auto";        ///< auto: when a window needs it
  std::string window_transport = "auto";
  std::size_t async_progress_bytes = 64 * 1024 * 1024;
  std::size_t eager_limit_bytes = 2 * 1024;
  std::size_t ring_bytes = 64 * 1024;  ///< a power of two, at least smallest_ring_bytes(eager_limit_bytes)
  std::size_t shared_copy_min_bytes = 64 * 1024;
  std::size_t copy_piece_bytes = 32 * 1024;
  std::size_t packed_copy_max_bytes = 512 * 1024;
  std::string take_lines = "auto";
  std::string cells = "auto";
  int spin_us = 50'000;
  int poll_pauses = 0;                    ///< 0: measured when the job starts
  int hang_timeout_s = 0;                 ///< 0: no warnings
  int hang_ends_s = 0;                    ///< 0: never
  std::size_t stack_bytes = 0;            ///< 0: as large as the main thread's (RLIMIT_STACK)
  std::string huge_pages = "off";         ///< machine/huge_pages.hpp
  std::size_t unexpected_warn = 100'000;  ///< in messages
  int max_task_chunks = 64;
  bool guided_stealing = false;
  std::string steal_from = "sticky";
  bool check = false;
  bool reproducible_sums = false;
  bool stats = false;
  std::string trace;  ///< empty: none
  std::size_t trace_events = 1'000'000;
  std::string tuning;     ///< empty: the built-in table
  std::string load;       ///< the path of a program that is loaded for each rank; empty: none. room loader
  std::string load_name;  ///< its argv[0]
  std::string ranks_as;   ///< of an MPI program: "threads"; empty: the process is one. start/main_hook.cpp
  int process = 0;        ///< of those that purerun has started itself
  std::string segment;    ///< empty: likewise; net_shm/job_segment.hpp reads it
  std::string launch_fd;  ///< empty: not started by purerun; runtime/launcher_link.hpp reads it
  std::string inside_of;  ///< the process of a job of several that has started this one; empty: none
};

/// The settings that the process's environment asks for: environment.hpp says when that counts for nothing. Throws
/// pure::Error (argument) that names the variable, its value and what is allowed. A PURE_* variable that is mistyped,
/// with whatever value, is such an error too; one that is no setting is not. An empty value of a setting counts as
/// unset.
settings read_settings();

/// The same for an environment given as "NAME=VALUE" strings that end with a null pointer.
settings read_settings(const char* const* environment);

/// The PURE_* variables that are no settings.
std::vector<std::string_view> unknown_settings(const char* const* environment);

/// Whether a name, which is none, is that of a setting with typing mistakes, rather than a word of somebody's own.
bool is_mistyped_setting(std::string_view name);

/// Throws what read_settings throws for such a name.
[[noreturn]] void refuse_unknown_setting(std::string_view name);

/// A warning of the PURE_* variables that are neither settings nor mistyped, for people; empty: there are none.
std::string text_of_foreign_settings(const char* const* environment);

/// What the numbers of a row count, and therefore how its values are written.
enum class setting_unit { number, bytes, microseconds, seconds, on_off, text };

struct setting_row {
  std::string_view name;  ///< of the environment variable
  std::variant<int settings::*, std::size_t settings::*, bool settings::*, std::string settings::*> field;
  setting_unit unit;
  std::uint64_t lowest = 0;  ///< with highest: the range of a number
  std::uint64_t highest = 0;
  bool power_of_two = false;
  std::string_view texts = {};                 ///< which texts are allowed
  std::array<std::string_view, 5> words = {};  ///< if not empty: only these are
  std::string_view otherwise = {};             ///< what the default stands for where it is not itself a value
  std::string_view meaning;
  std::string_view read_by;  ///< the part of Pure that acts on it
  bool internal = false;     ///< set by Pure's own tools, not by people
};

std::span<const setting_row> setting_rows() noexcept;

/// The row of that name, in any case, with or without "PURE_"; otherwise an error that suggests the nearest name.
const setting_row& setting_named(std::string_view name);

/// Gives one setting the value that a person wrote. Throws as read_settings does.
void set_from_text(settings& values, const setting_row& row, std::string_view text);

/// Throws if settings that are fine by themselves do not go together.
void check_together(const settings& values);

/// The value of one row as a person would write it: "64 KiB", "on", "core"; or the row's `otherwise`.
std::string setting_text(const settings& values, const setting_row& row);

/// What the row allows: "1 to 100000", "4 KiB to 1 GiB, a power of two".
std::string allowed_text(const setting_row& row);

/// Whether readers write to the lines that they have read (reader_should_take_lines()).
bool takes_lines(const settings& values) noexcept;

/// The smallest ring that works with this eager limit.
std::size_t smallest_ring_bytes(std::size_t eager_limit_bytes) noexcept;

/// docs/settings.md, whole.
std::string settings_document();

}  // namespace pure::core
