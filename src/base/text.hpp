// Small pieces of text work: reading numbers, sizes and cpu lists that people write, writing them back, and finding
// the word that somebody meant.
//
// Pure functions without state; any thread may call them. A text that is not what is asked for gives std::nullopt:
// the caller knows what to say about it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pure::core {

/// Without white space at either end.
std::string_view trimmed(std::string_view text) noexcept;

/// The parts between separators, untrimmed; one more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);

std::string in_upper_case(std::string_view text);

/// Decimal digits, all of the text, that fit 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text) noexcept;

/// A number with or without a unit: 512, 64K, 64 KiB, 2MB, 1g. All units are powers of 1024, in either spelling.
std::optional<std::uint64_t> parse_bytes(std::string_view text) noexcept;

/// The same back, in the largest unit that needs no fraction: "64 KiB", "100 B".
std::string bytes_text(std::uint64_t bytes);

/// For reading: "1.2 MiB".
std::string rounded_bytes(std::uint64_t bytes);

/// "on" or "off", "1" or "0", "true" or "false", "yes" or "no", in any case.
std::optional<bool> parse_on_off(std::string_view text);

/// A list of cpus as the kernel writes it, "0-3,8,10-11": ascending and each once, however it was written. Empty lists,
/// backward ranges and numbers from 2^20 are refused.
std::optional<std::vector<int>> parse_cpu_list(std::string_view text);

/// The same back; "none" for an empty list. `cpus` is ascending.
std::string cpu_list_text(std::span<const int> cpus);

/// How many control messages must be added, removed, replaced or swapped with their neighbour to make one of the other
/// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that is nearest to a mistyped word, in any case; empty if none is near enough to be meant.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// The text in lines of at most `width` characters, each after `indent` spaces and with its end of line. Breaks at
/// spaces only; a longer word has a line of its own.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// The type that typeid names so, as a program writes it, as far as the compiler's runtime knows.
std::string type_name(const char* name);

/// "1 rank", "2 ranks", "2 processes".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace pure::core
