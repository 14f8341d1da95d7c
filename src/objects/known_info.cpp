#include "objects/known_info.hpp"

#include <fmt/core.h>

#include <bit>
#include <charconv>

#include "runtime/call_error.hpp"

namespace pure::core {

namespace {

// Windows.
constexpr const char* key_noncontig = "alloc_shared_noncontig";
constexpr const char* key_alignment = "mpi_minimum_memory_alignment";
constexpr const char* key_pages = "pure_huge_pages";
constexpr const char* key_atomics = "pure_atomics";
constexpr const char* key_promise = "accumulate_ops";
constexpr const char* key_name = "pure_name";
// Communicators.
constexpr const char* key_hardware = "mpi_hw_resource_type";
constexpr const char* key_process_set = "mpi_pset_name";

[[noreturn]] void throw_bad_value(const call& by, const std::string& key, const std::string& value,
                                  const char* wanted) {
  throw_wrong_call(by, errc::info, fmt::format("the value of \"{}\" is \"{}\", and not {}", key, value, wanted));
}

void read_window_key(const call& by, const std::string& key, const std::string& value, window_options& to) {
  if (key == key_noncontig) {
    if (value != "true" && value != "false") throw_bad_value(by, key, value, "true or false");
    to.is_contiguous = value == "false";
  } else if (key == key_alignment) {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), to.alignment);
    if (error != std::errc() || end != value.data() + value.size() || !std::has_single_bit(to.alignment))
      throw_bad_value(by, key, value, "a power of two");
  } else if (key == key_pages) {
    if (value != "off" && value != "transparent" && value != "reserved")
      throw_bad_value(by, key, value, "off, transparent or reserved");
    to.pages = page_kind_of(value);
  } else if (key == key_atomics) {
    if (value != "any_type" && value != "hardware") throw_bad_value(by, key, value, "any_type or hardware");
    to.atomics = value == "hardware" ? atomics_by::hardware : atomics_by::any_type;
  } else if (key == key_promise) {
    if (value != "same_op" && value != "same_op_no_op") throw_bad_value(by, key, value, "same_op or same_op_no_op");
    to.promise = value == "same_op" ? same_operations::same : same_operations::same_or_no_op;
  } else if (key == key_name) {
    to.name = value;
  }
}

}  // namespace

window_options window_options_of(const call& by, const info_object& from, bool is_contiguous) {
  window_options options;
  options.is_contiguous = is_contiguous;
  for (const auto& [key, value] : from) read_window_key(by, key, value, options);
  return options;
}

info_object info_of(const window& of) {
  const window_options& options = of.shared().options();
  constexpr const char* names_of_pages[] = {"off", "transparent", "reserved"};
  const bool is_refused = !of.shared().refused().empty();
  info_object all{{key_noncontig, options.is_contiguous ? "false" : "true"},
                  {key_alignment, std::to_string(options.alignment)},
                  {key_pages, names_of_pages[is_refused ? 0 : static_cast<int>(options.pages)]},
                  {key_atomics, options.atomics == atomics_by::hardware ? "hardware" : "any_type"},
                  {key_name, of.name()}};
  if (options.promise != same_operations::any)
    all.set(key_promise, options.promise == same_operations::same ? "same_op" : "same_op_no_op");
  return all;
}

void read_split_keys(const info_object& from, split_wish& to) {
  const bool is_guided = to.kind == split_kind::hw_guided || to.kind == split_kind::resource_guided;
  if (const std::string* const value = from.find(key_hardware); value != nullptr && is_guided) to.hardware = *value;
  if (to.kind != split_kind::resource_guided) return;
  if (const std::string* const value = from.find(key_process_set)) to.process_set = *value;
}

void note_split_result(info_object& to, split_kind kind, const std::string& found) {
  if (kind == split_kind::hw_unguided) to.set(key_hardware, found);
}

}  // namespace pure::core
