// pure::run: starts ranks inside any program, as threads, and waits for them.
//
// The function is called once per rank, with the rank's comm of all ranks, or with nothing. It may be a function by its
// name, a pointer to one, or any object that can be called so. It is one object: what it captures by reference is
// shared by all ranks; what a rank owns is local to the call. May be called any number of times, by any thread that is
// not a rank.
//
// If a rank throws, ranks that wait leave their waits, and run reports the first failure when all ranks have ended: two
// forms throw it, the one for main prints it. A rank that computes is waited for, 2 s at most; then the process ends
// with the cause. docs/run.md has an example of each.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <pure/comm.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/library.hpp>

namespace pure {

namespace detail {

template <class Function>
int call_on_rank(void* context, core::communicator& world) {
  auto& function = *static_cast<Function*>(context);
  const auto call = [&]() -> decltype(auto) {
    if constexpr (std::is_invocable_v<Function&, comm>) {
      return function(comm(world));
    } else {
      static_assert(std::is_invocable_v<Function&>, "Pure: the function of pure::run takes a pure::comm, or nothing.");
      return function();
    }
  };
  // As in_program(), but in this file: hang reports know the function by its call from here (hang/stack_text.cpp).
  failure thrown;
  kept_exception original;
  try {
    if constexpr (std::is_convertible_v<decltype(call()), int>) {
      return call();
    } else {
      static_assert(std::is_void_v<decltype(call())>, "Pure: the function of pure::run returns int, or nothing.");
      call();
      return 0;
    }
#ifdef __GLIBCXX__
  } catch (const abi::__forced_unwind&) {
    throw;
#endif
  } catch (...) {
    keep_thrown(thrown, original);
  }
  pure_cxx_throw(&thrown);
}

// start(call, context) with what every rank calls. A function has no address that fits a void*: it goes by a pointer to
// it.
template <class Function, class Start>
int start_with(Function& function, const Start& start) {
  if constexpr (std::is_function_v<Function>) {
    Function* const pointer = &function;
    return start_with(pointer, start);
  } else {
    return start(call_on_rank<Function>, const_cast<void*>(static_cast<const void*>(std::addressof(function))));
  }
}

}  // namespace detail

/// Runs `function` on `ranks` ranks. Returns the first non-zero value, by rank, that it returned (1 in place of one
/// that as an exit status would be 0, as 256), or 0. Throws what the first rank that failed threw; pure::Error if that
/// many ranks cannot be started.
template <class Function>
int run(int ranks, Function&& function) {
  return detail::start_with(
      function, [&](detail::rank_body call, void* context) { return detail::run_ranks(ranks, call, context); });
}

/// The same with the number of ranks that purerun -n or PURE_RANKS gives, or one per core that the process may use.
template <class Function>
requires(!std::is_convertible_v<Function, int>) int run(Function&& function) {
  return detail::start_with(
      function, [&](detail::rank_body call, void* context) { return detail::run_settings_ranks(call, context); });
}

/// For main: `return pure::run(argc, argv, f);`, on as many ranks as that. Prints what made it fail, once, and returns
/// a non-zero status; throws nothing. argc and argv are not looked at.
template <class Function>
int run(int argc, char** argv, Function&& function) {
  return detail::start_with(function, [&](detail::rank_body call, void* context) {
    return detail::run_ranks_of_main(argc, argv, call, context);
  });
}

}  // namespace pure
