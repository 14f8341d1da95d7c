// pure::Error: what every failed call of the C++ interface throws.
//
// what() is the whole text: the operation, the ranks, tag and sizes concerned, the call site, and what to do.
// The C interface (pure.h) reports the same text through its error handler.
#pragma once

#include <stdexcept>
#include <string>

#include <pure/call_site.hpp>

namespace pure {

/// The kind of an error; the values are those of pure_error_code in pure.h.
enum class errc : int {
  success = 0,
  buffer,
  count,
  type,
  tag,
  comm,
  rank,
  request,
  truncate,
  argument,
  in_status,
  pending,
  state,
  other,
  root,
  op,
  group,
  mismatch,
  win,           ///< the window is null or freed, or of another rank
  rma_range,     ///< memory that is not in the window
  rma_sync,      ///< an epoch is missing, or in the way
  rma_attach,    ///< memory cannot be attached, or was not
  rma_shared,    ///< memory that not all ranks of the window can share
  rma_flavor,    ///< the window is of another kind
  displacement,  ///< the unit of displacements is wrong
  no_memory,     ///< there is not so much memory
  info,          ///< an info object, a key of one, or a value
  keyval,        ///< a key of attributes
  rma_conflict,  ///< PURE_CHECK: accesses to one place of a window that exclude each other
  topology,      ///< the communicator has no such topology, or too few ranks for it
  dims           ///< a dimension, or the number of them
};

class Error : public std::runtime_error {
 public:
  Error(errc code, const std::string& text, pure_call_site site = {})
      : std::runtime_error(text), code_(code), site_(site) {}

  [[nodiscard]] errc code() const noexcept { return code_; }
  /// Where the failing call was made; file is empty if it is not known.
  [[nodiscard]] pure_call_site site() const noexcept { return site_; }

 private:
  errc code_;
  pure_call_site site_;
};

}  // namespace pure
