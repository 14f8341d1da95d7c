// PURE_CHECK: before a collective begins, all ranks compare what they have called.
//
// Every rank posts a description of its call, reads those of all, and finds the same disagreement: the first rank that
// does not agree with rank 0. Nothing of the collective itself has happened then.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/call.hpp"
#include "coll/operation.hpp"

namespace pure::core {

/// One rank's call. Texts are static, but for those of other processes.
struct signature {
  const char* operation = nullptr;
  const void* where = nullptr;  // as in a site_of_call
  std::uint64_t reduction = 0;
  std::uint64_t bytes = 0;  // where all ranks must pass the same
  std::uint32_t line = 0;
  std::int32_t root = 0;
  std::uint32_t type = 0;
  detail::collective kind = detail::collective::barrier;
  bool is_refused = false;  // its arguments are wrong: the rank takes no part, and the rest says little
};

/// The calls of all ranks, as one rank learns them.
class compared_calls : public operation {
 public:
  virtual ~compared_calls() = default;

  virtual bool poll() = 0;

  /// When it is complete: what the ranks disagree about, or empty.
  [[nodiscard]] const std::string& conflict() const noexcept { return conflict_; }
  /// When it is complete: "rank 3: pure_gather at a.cpp:7".
  [[nodiscard]] std::string call_of(int rank) const;
  /// When it is complete: by rank.
  [[nodiscard]] const std::vector<signature>& all() const noexcept { return all_; }

 protected:
  using operation::operation;

  /// Of all ranks.
  void find_conflict();

  std::vector<signature> all_;

 private:
  std::string conflict_;
};

/// Of ranks of one process.
class signature_exchange final : public compared_calls {
 public:
  signature_exchange(collective_member& on, const call& by, const collective_arguments& what);
  /// Of a rank whose call is refused: tells the others so, and hears nothing.
  signature_exchange(collective_member& on, const call& by, const collective_arguments& what, bool is_refused)
      : signature_exchange(on, by, what) {
    own_.is_refused = is_refused;
  }

  bool poll() override;

 private:
  static_assert(sizeof(signature) <= posting::inline_bytes);

  signature own_;
  bool has_posted_ = false;
};

/// Nobody leaves it before all ranks have called it. (Of some others that is true, too.)
[[nodiscard]] bool waits_for_all(const collective_arguments& what) noexcept;
/// Notes that a collective orders what this rank has done before it with what others do after it
/// (message_checks::orders). Called when the collective begins; one that waits for all ranks, when their calls have
/// been compared: before, nobody can have left it and learned of anything.
void lets_know(collective_member& on) noexcept;

/// What `step` says about a disagreement; where the calls are known, with both.
[[nodiscard]] std::string explain(const operation& step, const compared_calls* calls);

}  // namespace pure::core
