#include "purerun/explain.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "help_text.hpp"
#include "libc/replacement_parts.hpp"
#include "libc/replacements.hpp"
#include "loader/object_file.hpp"
#include "machine/memory_pages.hpp"
#include "purerun/loading.hpp"

namespace purerun {
namespace {

using pure::core::counted;
using pure::core::object_file;
using pure::core::printable_word;
using pure::core::program_object;

std::string lines(const std::string& text, std::size_t indent = 0) {
  return pure::core::wrapped(text, indent, help_text::columns);
}

// "640 bytes", "12 KB"
std::string size_text(std::uint64_t bytes) {
  if (bytes < 10'000) return counted(bytes, "byte");
  return bytes < 10'000'000 ? fmt::format("{} KB", (bytes + 1023) / 1024)
                            : fmt::format("{} MB", (bytes + (1U << 20) - 1) >> 20);
}

std::string shown_name(const program_object& object, const explained_program& program, bool is_first) {
  if (is_first) return program.name;
  return printable_word(object.path.substr(object.path.rfind('/') + 1));
}

// What a rank is, in one sentence.
std::string first_line(const rank_kind& kind, const explained_program& program) {
  constexpr std::string_view warning = "warning: ";
  if (kind.note.starts_with(warning)) return kind.note.substr(warning.size());
  if (!kind.note.empty()) return kind.note;
  if (kind.is_process) return program.name + ": ranks are processes.";
  if (!kind.launcher.empty()) return program.name + ": ranks are threads with globals of their own.";
  if (program.its.is_of_pure_h) return program.name + ": ranks are threads, which share its globals, as pure.h has it.";
  if (is_run_here(program.its.family)) return program.name + ": ranks are threads, which share its globals.";
  return program.name +
         ": it is started once. It may start another program, or is a script: what that one's ranks are is not known.";
}

// The functions of libc that it calls, and of which each rank has a state of its own.
std::string own_functions(const std::vector<program_object>& objects) {
  using namespace pure::core;
  std::set<std::string_view> replaced;
  for (const auto table :
       {argument_replacements(), random_replacements(), text_replacements(), time_replacements(), locale_replacements(),
        database_replacements(), math_replacements(), signal_parts(), processor_time_parts()}) {
    for (const replacement& each : table) replaced.insert(each.name);
  }
  std::set<std::string> called;
  for (const program_object& object : objects) {
    if (!is_brought_along(object)) continue;
    const object_file file(object.path);
    for (const Elf64_Sym& symbol : file.symbols()) {
      if (symbol.st_shndx == SHN_UNDEF && replaced.contains(file.name_of(symbol))) called.emplace(file.name_of(symbol));
    }
  }
  std::string text;
  for (const std::string& each : called) text += (text.empty() ? "" : ", ") + each;
  return text;
}

// What each rank has for itself, and what all share.
std::string text_of_objects(const pure::core::program_closure& closure, const explained_program& program) {
  std::string text = "\nEach rank has for itself, of\n";
  std::string shared;
  std::uint64_t of_each = 0;
  for (const program_object& object : closure.objects) {
    const bool is_first = &object == &closure.objects.front();
    const std::string name = shown_name(object, program, is_first);
    if (!object.is_private) {
      shared += (shared.empty() ? "" : ", ") + name;
      continue;
    }
    const object_file file(object.path);
    const Elf64_Phdr* const tls = file.segment(PT_TLS);
    const std::string thread_local_text = tls != nullptr ? fmt::format(", thread_local {}", size_text(tls->p_memsz))
                                                         : "";
    of_each += file.writable_bytes() + (tls != nullptr ? tls->p_memsz : 0);
    text += help_text::entry(name, 30,
                             fmt::format("writable {}{}", size_text(file.writable_bytes()), thread_local_text));
  }
  if (const std::string own = own_functions(closure.objects); !own.empty())
    text += help_text::entry("libc", 30, "what these keep: " + own);
  if (!shared.empty()) text += "\n" + lines("All ranks share " + shared + ".");
  for (const std::string& each : closure.preloads) {
    text += lines(fmt::format("{} is loaded before all others.", printable_word(each)));
  }
  const auto ranks = static_cast<std::uint64_t>(program.ranks);
  text += "\n" + lines(fmt::format("That is up to {} of memory for each rank ({}), {} for {}. Code is there once.",
                                   size_text(of_each),
                                   counted((of_each + pure::core::page_bytes() - 1) / pure::core::page_bytes(), "page"),
                                   size_text(of_each * ranks), counted(ranks, "rank")));
  return text;
}

std::string text_of_uses(const std::vector<process_wide_use>& uses) {
  std::string text;
  for (const process_wide_use& each : uses) text += lines(fmt::format("- {} ({})", each.what, each.by), 2);
  return text.empty() ? text : "\nAs threads the ranks have in common, and the program uses it:\n" + text;
}

}  // namespace

std::string explanation_of(const explained_program& program) {
  const rank_kind kind = choose_rank_kind(program.wish, program.its, program.path, program.name, *program.environment);
  std::string text = lines(first_line(kind, program) + (kind.note.empty() ? text_of_door(program.its) : ""));
  const bool is_ordinary = !is_run_here(program.its.family) && !program.its.is_of_pure_h && !kind.runs_by_itself;
  if (is_ordinary) return text;
  const loading found = look_at_loading(program.path, *program.environment, program.its.is_of_pure_h);
  if (!found.refusal.empty()) text += "\n" + found.refusal + (found.refusal.ends_with('\n') ? "" : "\n");
  if (!found.closure) return text;
  if (kind.launcher.empty()) text += "\n" + lines("As threads with globals of their own:");
  return text + text_of_objects(*found.closure, program) + text_of_uses(found.uses);
}

}  // namespace purerun
