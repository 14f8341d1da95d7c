// Completing several requests, of one kind or the other: what the functions wait_all to test_some of pure::request and
// pure::persistent_request have in common. Not for programs.
#pragma once

#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <vector>

#include <pure/detail/library.hpp>
#include <pure/detail/requests.hpp>
#include <pure/error.hpp>

namespace pure::detail {

/// Request::is_pending() tells what any and some pass over.
struct completion {
  template <class Request>
  static std::vector<status> wait_all(std::span<Request> all, call_site at) {
    std::vector<status> outcomes;
    outcomes.reserve(all.size());
    std::exception_ptr failure;
    for (Request& each : all) {
      try {
        outcomes.push_back(each.wait(at));
      } catch (const Error&) {
        if (failure == nullptr) failure = std::current_exception();
      }
    }
    if (failure != nullptr) std::rethrow_exception(failure);
    return outcomes;
  }

  template <class Request>
  static std::optional<std::size_t> wait_any(std::span<Request> all, call_site at) {
    std::vector<request_handle> handles;
    handles.reserve(all.size());
    core::communicator* on = nullptr;
    for (const Request& each : all) {
      const bool is_pending = each.is_pending(at);
      handles.push_back(is_pending ? each.handle_ : 0);
      if (is_pending) on = each.on_;
    }
    if (on == nullptr) return std::nullopt;
    const int found = detail::wait_any(*on, at, handles.data(), static_cast<int>(handles.size()));
    all[static_cast<std::size_t>(found)].wait(at);
    return static_cast<std::size_t>(found);
  }

  template <class Request>
  static std::vector<std::size_t> wait_some(std::span<Request> all, call_site at) {
    std::vector<std::size_t> complete;
    const auto first = wait_any(all, at);
    if (!first) return complete;
    complete = test_some(all, at);
    complete.insert(complete.begin(), *first);
    return complete;
  }

  template <class Request>
  static std::optional<std::size_t> test_any(std::span<Request> all, call_site at) {
    bool makes_progress = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].is_pending(at) && all[i].test_among(makes_progress, at)) return i;
    }
    return std::nullopt;
  }

  template <class Request>
  static std::vector<std::size_t> test_some(std::span<Request> all, call_site at) {
    std::vector<std::size_t> complete;
    bool makes_progress = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].is_pending(at) && all[i].test_among(makes_progress, at)) complete.push_back(i);
    }
    return complete;
  }
};

}  // namespace pure::detail
