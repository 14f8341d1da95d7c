// What one collective needs beside the arguments of the core: arrays of 64-bit numbers, rows of what does not lie in a
// row, and how the program's function combines elements. Own thread of the rank only, but for combine().
//
// The core's collectives take blocks of bytes. Data of a derived datatype with gaps is packed before each run, and
// unpacked after it; so the ranks of one call may use different datatypes of one signature (MPI 5.0, 6.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "coll/collective_staging.hpp"
#include "match/stored_message.hpp"
#include "objects/program_combination.hpp"

namespace pure::core {

/// Elements that lie in a row.
struct element_row {
  // Copied member by member: the whole would be read in one piece where its parts were just written (D-site-by-member).
  constexpr element_row() noexcept = default;
  constexpr element_row(std::size_t bytes_of_one, std::uint32_t identity_of_one) noexcept
      : bytes(bytes_of_one), identity(identity_of_one) {}
  constexpr element_row(const element_row& other) noexcept : bytes(other.bytes), identity(other.identity) {}
  constexpr element_row& operator=(const element_row& other) noexcept {
    bytes = other.bytes;
    identity = other.identity;
    return *this;
  }

  std::size_t bytes = 1;       // of one
  std::uint32_t identity = 0;  // to PURE_CHECK; 0: not comparable
};

/// Nearly all calls need nothing of it: then it makes nothing.
class collective_stage final : public collective_staging {
 public:
  /// `lasts`: the collective goes on when the call has returned, and the program may do what it likes with its arrays.
  explicit collective_stage(bool lasts) noexcept : lasts_(lasts) {}
  /// All that the arguments point to stays where it is.
  collective_stage(collective_stage&& other) noexcept
      : collective_staging(), lasts_(other.lasts_), held_(std::move(other.held_)) {}

  [[nodiscard]] bool lasts() const noexcept { return lasts_; }
  void before() noexcept override {
    if (is_used()) [[unlikely]]
      copy_in();
  }
  void after() noexcept override {
    if (is_used()) [[unlikely]]
      copy_out();
  }
  /// Whether anything of it is used, and has to last.
  [[nodiscard]] bool is_used() const noexcept { return held_ != nullptr; }

  /// `bytes` bytes, aligned for any type. Throws std::bad_alloc, as the others.
  std::byte* make_row(std::size_t bytes);
  /// The data at `where` is copied to `row` before each run, or from it afterwards, or both.
  void add(const placed_message& where, std::byte* row, bool goes_in, bool comes_out) {
    held().pieces.push_back({where, row, nullptr, goes_in, comes_out});
  }
  /// The same, but the row is laid out, too.
  void add_laid_out(const placed_message& where, std::byte* base, layout_pointer form_of_row, bool goes_in,
                    bool comes_out) {
    held().pieces.push_back({where, base, std::move(form_of_row), goes_in, comes_out});
  }
  const std::int64_t* keep(std::vector<std::int64_t> numbers) {
    return held().numbers.emplace_back(std::move(numbers)).data();
  }
  const element_row* keep(std::vector<element_row> rows) { return held().rows.emplace_back(std::move(rows)).data(); }
  const program_combination* keep(const program_combination& how) {
    held().combination = std::make_unique<const program_combination>(how);
    return held().combination.get();
  }

 private:
  struct piece {
    placed_message where;
    std::byte* row;
    layout_pointer form_of_row;
    bool goes_in, comes_out;
  };

  struct things {
    std::vector<piece> pieces;
    std::vector<std::unique_ptr<std::byte[]>> memory;
    std::vector<std::vector<std::int64_t>> numbers;
    std::vector<std::vector<element_row>> rows;
    std::unique_ptr<const program_combination> combination;
  };

  things& held() {
    if (held_ == nullptr) held_.reset(new things);
    return *held_;
  }
  void copy_in() noexcept;
  void copy_out() noexcept;

  const bool lasts_;
  /// Out of line: nearly no call has anything to delete.
  struct deleter {
    void operator()(things* all) const noexcept;
  };
  std::unique_ptr<things, deleter> held_;
};

}  // namespace pure::core
