// What is thrown on one side of the interface between a program and libpure, on its way to the other. Not for programs.
//
// Each side may have a runtime of C++ of its own, and an exception never passes from one to the other: the functions of
// the library (pure_cxx_*) return a failure, which is thrown in the program; what functions of the program throw that
// the library calls, is kept in the program, and the library throws an exception of its own through its frames.
// C++17, for pure.h.
#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include <pure/call_site.hpp>
#include <pure/error.hpp>
#include <pure/export.hpp>

#ifdef __GLIBCXX__
#include <cxxabi.h>
#endif

namespace pure::core {

/// Thrown in ranks that wait when the job has failed elsewhere. Not a std::exception: programs that catch those do
/// not stop it.
struct job_ended {};

}  // namespace pure::core

namespace pure::detail {

enum class failure_kind : int {
  error,      // pure::Error
  no_memory,  // std::bad_alloc
  length,     // std::length_error
  standard,   // another std::exception
  unknown,
  job_ended
};

/// An exception of the program, which keeps it. The library moves it, and knows nothing more of it.
struct kept_exception {
  alignas(void*) unsigned char thrown[sizeof(void*)];  // a std::exception_ptr
  void (*move)(void* to, void* from) noexcept;         // constructs at `to`, destroys at `from`
  void (*destroy)(void* at) noexcept;
};

/// What has been thrown: by the library, or by the program.
struct failure {
  failure_kind kind;
  int code;                  // of an error: an errc
  const char* text;          // what()
  pure_call_site site;       // of an error
  kept_exception* original;  // null: the library has thrown it
};

extern "C" {
/// Of what a function of the library has returned.
PURE_API void pure_cxx_release(failure* made) noexcept;
/// Throws an exception of the library in place of the program's. Takes what `thrown` refers to. In functions of the
/// program that the library calls, outside of catch clauses.
[[noreturn]] PURE_API void pure_cxx_throw(const failure* thrown);
}

/// Releases it.
[[noreturn, gnu::cold, gnu::noinline]] inline void throw_failure(failure* made) {
  struct owner {
    failure* made;
    ~owner() { pure_cxx_release(made); }
  };
  const owner owned{made};
  if (made->original != nullptr) {
    std::rethrow_exception(*std::launder(reinterpret_cast<std::exception_ptr*>(made->original->thrown)));
  }
  switch (made->kind) {
    case failure_kind::error: throw Error(static_cast<errc>(made->code), made->text, made->site);
    case failure_kind::no_memory: throw std::bad_alloc();
    case failure_kind::length: throw std::length_error(made->text);
    case failure_kind::job_ended: throw core::job_ended();
    case failure_kind::standard:
    case failure_kind::unknown: break;
  }
  throw std::runtime_error(made->text);
}

/// Throws what a function of the library has returned, unless that is null.
inline void check(failure* made) {
  if (__builtin_expect(made != nullptr, 0)) throw_failure(made);
}

/// What is handled in the catch clause from which this is called; `original` has it then, and `thrown` refers to that.
[[gnu::cold, gnu::noinline]] inline void keep_thrown(failure& thrown, kept_exception& original) noexcept {
  thrown = {failure_kind::unknown, 0, "", {}, nullptr};
  const auto is = [&](failure_kind kind, const char* text) {
    thrown.kind = kind;
    thrown.text = text;
  };
  try {
    throw;
  } catch (const core::job_ended&) {
    thrown.kind = failure_kind::job_ended;
    return;
  } catch (const Error& error) {
    is(failure_kind::error, error.what());
    thrown.code = static_cast<int>(error.code());
    thrown.site = error.site();
  } catch (const std::bad_alloc& error) {
    is(failure_kind::no_memory, error.what());
  } catch (const std::length_error& error) {
    is(failure_kind::length, error.what());
  } catch (const std::exception& error) {
    is(failure_kind::standard, error.what());
  } catch (...) {
  }
  static_assert(sizeof(std::exception_ptr) == sizeof original.thrown);
  ::new (static_cast<void*>(original.thrown)) std::exception_ptr(std::current_exception());
  original.move = [](void* to, void* from) noexcept {
    auto& kept = *static_cast<std::exception_ptr*>(from);
    ::new (to) std::exception_ptr(std::move(kept));
    kept.~exception_ptr();
  };
  original.destroy = [](void* at) noexcept { static_cast<std::exception_ptr*>(at)->~exception_ptr(); };
  thrown.original = &original;
}

/// Runs a function of the program that the library has called.
template <class Function>
auto in_program(Function&& function) -> decltype(function()) {
  if constexpr (noexcept(function())) {
    return function();
  } else {
    failure thrown;
    kept_exception original;
    try {
      return function();
#ifdef __GLIBCXX__
    } catch (const abi::__forced_unwind&) {  // pthread_exit
      throw;
#endif
    } catch (...) {
      keep_thrown(thrown, original);
    }
    pure_cxx_throw(&thrown);
  }
}

}  // namespace pure::detail
