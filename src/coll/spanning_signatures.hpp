// PURE_CHECK, on a communicator with ranks in several processes: before a collective begins, all ranks compare what
// they have called.
//
// The ranks of each process tell each other first (signature_exchange); then the first of them sends what all of them
// have called, with the texts, to every rank of the other processes. Every rank finds the same disagreement, and
// nothing of the collective itself has happened then. Own thread of the rank only.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/packed_bytes.hpp"
#include "coll/signature.hpp"
#include "coll/spread.hpp"
#include "match/match_engine.hpp"

namespace pure::core {

class spanning_signatures final : public compared_calls {
 public:
  spanning_signatures(collective_member& on, const call& by, const collective_arguments& what);
  ~spanning_signatures() override;

  bool poll() override;

 private:
  /// What the ranks of another part have called, in their order.
  struct arriving {
    arriving(std::uint32_t context, int from_number, int tag) noexcept;

    std::string bytes;
    receive_sink sink;
    receive_op op;
  };

  bool exchange_inside();
  void start_sends();
  bool test_messages();
  void put_together();
  void read(std::size_t part, std::string_view from);

  const spread& over_;
  match_engine& engine_;
  const std::uint32_t context_;
  const int tag_;
  signature_exchange inside_;
  bool has_started_ = false;
  bool is_known_inside_ = false;
  byte_packer own_part_;            // what is sent; it stays where it is
  std::deque<send_op> sends_;       // likewise
  std::vector<int> sends_to_;       // ranks
  std::deque<arriving> receives_;   // by part, without this one's
  std::vector<int> receives_from_;  // parts
  kept_texts texts_;                // of other processes
  std::size_t received_ = 0;
  std::size_t sent_ = 0;
};

/// The comparison that fits the communicator, of one process or of several. Takes its sequence number now.
[[nodiscard]] std::unique_ptr<compared_calls> compare_calls(collective_member& on, const call& by,
                                                            const collective_arguments& what);

}  // namespace pure::core
