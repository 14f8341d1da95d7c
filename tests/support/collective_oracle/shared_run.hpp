// What the ranks of one run of a plan share, and the buffers of each.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "support/collective_oracle/images.hpp"

namespace collective_oracle {

/// One run of a plan, shared by its ranks; those of several processes share only `entered`, which is then elsewhere,
/// one zero for each operation.
struct shared_run {
  explicit shared_run(const plan& of, std::atomic<int>* entered_elsewhere = nullptr)
      : p(of), own_entered(of.operations.size()), entered(entered_elsewhere) {
    if (entered == nullptr) entered = own_entered.data();
    for (const operation& o : p.operations) {
      auto& starts = parts.emplace_back();
      for (int s = 0; s < o.starts; ++s) starts.push_back(serial_oracle(p, o).parts(s));
    }
  }

  void complain(const std::string& what) {
    const std::lock_guard lock(complaining);
    if (complaint.empty()) complaint = what;
  }

  const plan& p;
  std::vector<std::vector<std::vector<part>>> parts;  // of operation, start, rank of the communicator
  std::vector<std::atomic<int>> own_entered;
  std::atomic<int>* entered;  // how often an operation was called, by anyone
  std::mutex complaining;
  std::string complaint;
};

/// Bytes between guards.
class guarded {
 public:
  void place(std::size_t bytes, std::size_t shift_bytes) {
    bytes_ = bytes;
    begin_ = guard + shift_bytes;
    room_ = std::vector<line>((begin_ + bytes + guard + sizeof(line) - 1) / sizeof(line));
    std::fill_n(all(), room_.size() * sizeof(line), untouched);
  }
  void fill(const std::vector<std::byte>& with) { std::copy(with.begin(), with.end(), data()); }
  void overwrite() { std::fill_n(data(), bytes_, untouched); }

  std::byte* data() { return all() + begin_; }
  bool guards_are_intact() {
    const auto is_touched = [](std::byte b) { return b != untouched; };
    return std::none_of(all(), data(), is_touched) &&
           std::none_of(data() + bytes_, all() + room_.size() * sizeof(line), is_touched);
  }

 private:
  struct alignas(64) line {
    std::byte bytes[64];
  };
  static constexpr std::size_t guard = 64;
  std::byte* all() { return room_.data()->bytes; }

  std::vector<line> room_;
  std::size_t bytes_ = 0, begin_ = 0;
};

}  // namespace collective_oracle
