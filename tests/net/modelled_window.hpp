// A window with its model: what every part of it holds, which all ranks draw alike. For tests/net/windows.cpp.
#pragma once

#include <pure.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "net/pairs.hpp"

namespace net_windows {

using namespace net_pairs;

inline void expect(bool is_right, const std::string& text) {
  if (!is_right) fail(text);
}

inline void ok(int code, const char* what) {
  expect(code == PURE_SUCCESS, fmt::format("{}: {}", what, pure_last_error()));
}

class modelled_window {
 public:
  modelled_window(std::uint64_t seed, pure_comm comm) : comm_(comm), both_(mix(seed)), own_(mix(seed + 3)) {
    pure_comm_rank(comm, &me_);
    pure_comm_size(comm, &size_);
  }
  modelled_window(const modelled_window&) = delete;
  modelled_window& operator=(const modelled_window&) = delete;
  ~modelled_window() = default;

 protected:
  enum class kind { allocate, contiguous, create, dynamic };

  void make() {
    kind_ = static_cast<kind>(both_.below(4));
    is_hardware_ = both_.chance(30);
    pure_info info = PURE_INFO_NULL;
    ok(pure_info_create(&info), "info");
    ok(pure_info_set(info, "pure_atomics", is_hardware_ ? "hardware" : "any_type"), "info");
    if (both_.chance(30))
      ok(pure_info_set(info, "mpi_minimum_memory_alignment", both_.chance(50) ? "256" : "65536"), "info");
    const std::int64_t longest = both_.pick<std::int64_t>({30, 400, 3000, 20'000});
    for (int rank = 0; rank < size_; ++rank)
      words_.push_back(both_.chance(10) ? 0 : both_.below(static_cast<int>(longest)));
    unit_ = both_.chance(50) ? 8 : 1;
    const auto bytes = 8 * words_[static_cast<std::size_t>(me_)];
    void* base = nullptr;
    if (kind_ == kind::contiguous) {
      // Only where all ranks map the memory: if not, all are told so, and it is another window.
      pure_set_errhandler(PURE_ERRORS_RETURN);
      const int code = pure_win_allocate_shared(bytes, unit_, info, comm_, &base, &win_);
      pure_set_errhandler(PURE_ERRORS_ARE_FATAL);
      if (code != PURE_SUCCESS) {
        expect(code == PURE_ERR_RMA_SHARED, fmt::format("allocate_shared: {}", pure_last_error()));
        kind_ = kind::allocate;
      }
    }
    if (kind_ == kind::allocate) ok(pure_win_allocate(bytes, unit_, info, comm_, &base, &win_), "allocate");
    if (kind_ == kind::create || kind_ == kind::dynamic) {
      mine_.resize(static_cast<std::size_t>(words_[static_cast<std::size_t>(me_)]) + 1);
      base = mine_.data();
    }
    if (kind_ == kind::create) ok(pure_win_create(base, bytes, unit_, info, comm_, &win_), "create");
    addresses_.resize(static_cast<std::size_t>(size_));
    if (kind_ == kind::dynamic) {
      unit_ = 1;
      ok(pure_win_create_dynamic(info, comm_, &win_), "create_dynamic");
      ok(pure_win_attach(win_, base, bytes + 8, pure_call_site::current()), "attach");
      const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(base));
      pure_allgather(&address, 1, PURE_INT64_T, addresses_.data(), 1, PURE_INT64_T, comm_);
    }
    ok(pure_info_free(&info), "info");
    base_ = static_cast<std::int64_t*>(base);
    for (int rank = 0; rank < size_; ++rank)
      model_.emplace_back(static_cast<std::size_t>(words_[static_cast<std::size_t>(rank)]));
    look_at_parts();
  }

  void look_at_parts() {
    if (kind_ == kind::dynamic) return;
    for (int rank = 0; rank < size_; ++rank) {
      std::int64_t bytes = -1;
      int unit = 0;
      void* base = nullptr;
      ok(pure_win_shared_query(win_, rank, &bytes, &unit, &base), "shared_query");
      if (rank == me_) expect(base == base_, "the own part is somewhere else");
      expect(bytes == 0 || bytes == 8 * words_[static_cast<std::size_t>(rank)], "a part has another size");
      expect(unit == unit_, "a part has another unit");
      parts_.push_back(static_cast<std::int64_t*>(base));
      if (kind_ == kind::contiguous) {
        expect(base != nullptr, "a part is not there");
        if (rank > 0)
          expect(parts_[static_cast<std::size_t>(rank) - 1] + words_[static_cast<std::size_t>(rank) - 1] == base,
                 "the window is not contiguous");
      }
    }
  }

  [[nodiscard]] std::int64_t displacement(int rank, std::int64_t word) const {
    return addresses_[static_cast<std::size_t>(rank)] + word * 8 / (kind_ == kind::dynamic ? 1 : unit_);
  }

  void fill() {
    for (int rank = 0; rank < size_; ++rank) {
      std::int64_t value = 1000 * rank;
      for (std::int64_t& each : model_[static_cast<std::size_t>(rank)]) each = value += 3;
    }
    ok(pure_win_lock(PURE_LOCK_EXCLUSIVE, me_, 0, win_), "lock");
    const auto& own = model_[static_cast<std::size_t>(me_)];
    if (!own.empty()) std::memcpy(base_, own.data(), own.size() * 8);
    ok(pure_win_unlock(me_, win_), "unlock");
    pure_barrier(comm_);
  }

  /// The own part is what the model says; and so are the others where they are mapped. When nobody changes any.
  void compare() {
    pure_win_sync(win_);
    pure_barrier(comm_);
    pure_win_sync(win_);
    const auto& own = model_[static_cast<std::size_t>(me_)];
    for (std::size_t i = 0; i < own.size(); ++i)
      expect(base_[i] == own[i],
             fmt::format("epoch {}: word {} of {} is {} and not {}", epoch_, i, own.size(), base_[i], own[i]));
    for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
      if (parts_[rank] == nullptr || model_[rank].empty() || own_.chance(50)) continue;
      expect(std::memcmp(parts_[rank], model_[rank].data(), model_[rank].size() * 8) == 0,
             fmt::format("the part of rank {} is wrong", rank));
    }
    pure_barrier(comm_);
  }

  void free() {
    if (kind_ == kind::dynamic) ok(pure_win_detach(win_, mine_.data()), "detach");
    ok(pure_win_free(&win_), "free");
  }

  pure_comm comm_;
  dice both_, own_;
  int me_ = 0, size_ = 0, epoch_ = 0, unit_ = 8;
  kind kind_ = kind::allocate;
  bool is_hardware_ = false;
  pure_win win_ = PURE_WIN_NULL;
  std::int64_t* base_ = nullptr;
  words mine_;                                   // of windows over memory that is there
  std::vector<std::int64_t> words_, addresses_;  // by rank
  std::vector<words> model_;
  std::vector<std::int64_t*> parts_;
};

}  // namespace net_windows
