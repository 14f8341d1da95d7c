// PURE_CHECK: before a collective begins, all ranks compare what they have called.
//
// Every rank posts a description of its call, reads those of all, and finds the same disagreement: the first rank that
// does not agree with rank 0. Nothing of the collective itself has happened then.
#pragma once

#include <cstdint>
#include <string>

#include "base/call.hpp"
#include "coll/operation.hpp"

namespace pure::core {

class signature_exchange : public operation {
 public:
  signature_exchange(collective_member& on, const call& by, const collective_arguments& what) noexcept;

  bool poll();

  /// After poll(): what the ranks disagree about, or empty.
  [[nodiscard]] const std::string& conflict() const noexcept { return conflict_; }

 private:
  struct signature {  // fits into a drop; texts are static
    const char* operation;
    const char* file;
    std::uint64_t reduction;
    std::uint64_t bytes;  // where all ranks must pass the same
    std::int32_t line;
    std::int32_t root;
    std::uint32_t type;
    collective kind;
  };
  static_assert(sizeof(signature) <= drop::inline_bytes);

  static std::string disagreement_of(const signature& a, const signature& b);
  static std::string text_of(int rank, const signature& of);

  signature own_;
  bool has_posted_ = false;
  int next_ = 0;
  std::string conflict_;
};

}  // namespace pure::core
