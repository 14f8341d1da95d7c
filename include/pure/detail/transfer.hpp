// What the typed interface tells the library about sends, places and objects. Not for programs.
#pragma once

#include <cstddef>

namespace pure::core {
class layout;
struct shared_layout;  // a std::shared_ptr of the library's
}  // namespace pure::core

namespace pure::detail {

/// How a send completes (MPI 4.1, 3.4). A ready send is a standard one: a receive is there, so it does not wait.
enum class send_mode : int { standard, buffered, synchronous, ready };

/// How to carry an object of one type whose ownership travels: a moved vector, or the bytes of a serialized object. One
/// constant object per type.
struct moved_operations {
  const void* type;                             // for receive_sink::takes, which knows it; null: of an archive
  void (*move)(void* to, void* from) noexcept;  // constructs at `to`, destroys at `from`
  void (*destroy)(void* at) noexcept;
  const void* (*data)(const void* at) noexcept;
  std::size_t (*bytes)(const void* at) noexcept;
  /// The name, as typeid has it, of the type of the object that was serialized: nobody but a receive that asks for such
  /// an object can read those bytes. Null: they are elements, which any receive may copy.
  const char* (*serialized_type)(const void* at) noexcept = nullptr;
};

/// A container whose size is settled when the message is there, or memory that is no single block. Called by the
/// receiving rank.
struct receive_sink {
  void* container;
  /// Makes room for `bytes` bytes and returns where they go; null if that is no whole number of elements. May throw
  /// (in_program).
  void* (*make_room)(void* container, std::size_t bytes);
  /// True for the type of moved objects that replace the container as they are; null: there is none. `adopt` moves from
  /// the object.
  bool (*takes)(const void* type) noexcept;
  void (*adopt)(void* container, void* object) noexcept;
  /// If set, the container is the base address of such a layout, there is room for `capacity` bytes, and nothing is
  /// called.
  const core::layout* form = nullptr;
  std::size_t capacity = 0;
};

/// Bytes that a message takes, or brings: laid out from `base` on as `form` says; null: in a row. (To be sent, they are
/// not written.) The library keeps the form for as long as it needs it.
struct placed_message {
  void* base = nullptr;
  std::size_t bytes = 0;
  const core::shared_layout* form = nullptr;
};

/// Where a message goes: `capacity` bytes at `buffer`, or a sink.
struct receive_place {
  void* buffer = nullptr;
  std::size_t capacity = 0;
  const receive_sink* sink = nullptr;
};

}  // namespace pure::detail
