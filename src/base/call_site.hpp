// Where a call was made, as its door knows it: a file and a line, or the address that the call returns to.
//
// Two words, like the public pure_call_site, and copied member by member (D-call-sites, D-site-by-member). A door that
// the compiler tells nothing of its callers has addresses; what these are called is looked up when somebody is told, by
// whoever can read debug information: the runtime's onlookers set that resolver. All texts of call sites are made here.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include <pure/call_site.hpp>

namespace pure::core {

struct site_of_call {
  const void* where = "";  // the name of a file, or an address with the mark of one
  unsigned line = 0;       // of a file
  unsigned types = 0;      // of what the call sends and receives (base/call.hpp)

  constexpr site_of_call() noexcept = default;
  constexpr site_of_call(const void* file_or_marked, unsigned at_line) noexcept
      : where(file_or_marked), line(at_line) {}
  constexpr site_of_call(const pure_call_site& site) noexcept  // NOLINT: implicit on purpose
      : where(site.file), line(site.line), types(site.types) {}

  /// Of a call that returns to `address`.
  static site_of_call returning_to(const void* address) noexcept { return {changed(address), 0}; }
  [[nodiscard]] bool is_address() const noexcept { return (reinterpret_cast<std::uintptr_t>(where) & mark) != 0; }
  /// Of one that is_address().
  [[nodiscard]] const void* address() const noexcept { return changed(where); }

 private:
  // In the word itself, which may be read without the line that belongs to it. No address of a program has this bit.
  static constexpr std::uintptr_t mark = std::uintptr_t{1} << 63;
  static const void* changed(const void* word) noexcept {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(word) ^ mark);  // NOLINT: no pointer to use
  }
};

/// "solver.cpp:120", or an empty string where the site is unknown. Of an address, what its resolver says.
std::string to_text(const site_of_call& site);

/// The name and the line of an address: its text, which lives for ever, and line 0.
pure_call_site resolved(const void* address);
/// The site as file and line, for programs and for whoever keeps or sends the two apart. Line 0 says nothing.
inline pure_call_site spelled_out(const site_of_call& site) {
  if (site.is_address()) [[unlikely]]
    return resolved(site.address());
  return {static_cast<const char*>(site.where), site.line};
}

/// What the code is called that a call returns to: "halo.cpp:12 (exchange)". Empty: nobody knows.
using address_resolver = std::string (*)(const void* address);
/// Each address is resolved once. Returns the resolver before; null: there was none, addresses are numbers.
address_resolver set_address_resolver(address_resolver next) noexcept;

}  // namespace pure::core
