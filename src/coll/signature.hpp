// PURE_CHECK: before a collective begins, all ranks compare what they have called.
//
// Every rank posts a description of its call, reads those of all, and finds the same disagreement: the first rank that
// does not agree with rank 0. Nothing of the collective itself has happened then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "coll/operation.hpp"

namespace pure::core {

class signature_exchange : public operation {
 public:
  signature_exchange(collective_member& on, const call& by, const collective_arguments& what);

  bool poll();

  /// When it is complete: what the ranks disagree about, or empty.
  [[nodiscard]] const std::string& conflict() const noexcept { return conflict_; }
  /// When it is complete: "rank 3: pure_gather at a.cpp:7".
  [[nodiscard]] std::string call_of(int rank) const { return text_of(rank, all_[static_cast<std::size_t>(rank)]); }

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

  const signature own_;
  bool has_posted_ = false;
  std::vector<signature> all_;  // of the ranks heard so far
  std::string conflict_;
};

/// What `step` says about a disagreement; where the calls are known, with both.
[[nodiscard]] std::string explain(const operation& step, const signature_exchange* calls);

}  // namespace pure::core
