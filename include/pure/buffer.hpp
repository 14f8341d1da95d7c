// What can be sent and received, and where its bytes are.
//
//   a value of a trivially copyable type       its bytes
//   a contiguous range of such values          its elements: std::span, std::vector, std::array, std::string, ...
//
// A type is not silently serialized: anything else is a compile error that says what to do. What is to be serialized is
// named: pure::serialized(object), <pure/serialized.hpp>.
#pragma once

#include <pure/detail/needs_cxx20.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <ranges>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <pure/detail/failure.hpp>
#include <pure/detail/transfer.hpp>

namespace pure {

/// Bytes stand for the value, in this process and in another. Pointers are excluded: an address is no value elsewhere.
template <class T>
concept plain_value = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::is_member_pointer_v<T> &&
                      !std::is_same_v<T, std::nullptr_t>;

/// Contiguous elements that are plain values.
template <class Range>
concept plain_range = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    plain_value<std::ranges::range_value_t<Range>>;

template <class T>
concept message_data = plain_range<T> ||(plain_value<T> && !std::ranges::range<T>) ||
                       (plain_value<T> && plain_range<const T>);

/// pure::serialized(object): <pure/serialized.hpp>.
template <class T>
class serialized_object;

namespace detail {

template <class>
inline constexpr bool is_serialized = false;
template <class T>
inline constexpr bool is_serialized<serialized_object<T>> = true;

template <class>
inline constexpr bool is_character_array = false;
template <std::size_t N>
inline constexpr bool is_character_array<char[N]> = true;
template <std::size_t N>
inline constexpr bool is_character_array<const char[N]> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

/// The compile errors, in the order in which they are most helpful.
template <class T>
constexpr void require_message_data() {
  using value = std::remove_cvref_t<T>;
  static_assert(
      !is_serialized<value>,
      "Pure: pure::serialized(object) goes with send, isend, recv_into, irecv_into, a message's recv_into and "
      "bcast only.");
  static_assert(!std::is_pointer_v<value>,
                "Pure: a pointer cannot be sent: an address means nothing to another rank's memory. Send the elements: "
                "std::span(pointer, count).");
  static_assert(!std::is_same_v<value, std::vector<bool>>,
                "Pure: std::vector<bool> keeps its elements as bits, not as an array. Use std::vector<char>.");
  static_assert(
      !is_character_array<std::remove_reference_t<T>>,
      "Pure: a character array is ambiguous (does the final zero belong to it?). Send std::string_view(text).");
  static_assert(
      message_data<value>,
      "Pure: this type is not trivially copyable, so its bytes are not its value. Send its parts one by one, "
      "or a contiguous range (std::span, std::vector, std::string) of a trivially copyable type. Or the whole "
      "of it as pure::serialized(object), with <pure/serialized.hpp>.");
}

struct const_bytes {
  const void* data;
  std::size_t size;
};
struct mutable_bytes {
  void* data;
  std::size_t size;
};

// In the place of either, where speed is no matter.
inline placed_message placed(const const_bytes& bytes) noexcept {
  return {const_cast<void*>(bytes.data), bytes.size, nullptr};
}
inline placed_message placed(const mutable_bytes& bytes) noexcept { return {bytes.data, bytes.size, nullptr}; }
inline placed_message placed(const placed_message& message) noexcept { return message; }

template <class T>
const_bytes bytes_to_send(const T& data) noexcept {
  require_message_data<T>();
  if constexpr (plain_range<const T>) {
    return {std::ranges::data(data), std::ranges::size(data) * sizeof(std::ranges::range_value_t<const T>)};
  } else {
    return {std::addressof(data), sizeof(T)};
  }
}

template <class T>
mutable_bytes bytes_to_fill(T& data) noexcept {
  require_message_data<T>();
  if constexpr (plain_range<T>) {
    static_assert(!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<T>>>,
                  "Pure: cannot receive into constant elements.");
    return {std::ranges::data(data), std::ranges::size(data) * sizeof(std::ranges::range_value_t<T>)};
  } else {
    static_assert(!std::is_const_v<T>, "Pure: cannot receive into a constant.");
    return {std::addressof(data), sizeof(T)};
  }
}

/// A view (a span) that outlives the expression which names it.
template <class T>
inline constexpr bool is_borrowed_view = std::ranges::borrowed_range<T>&& std::ranges::view<std::remove_cvref_t<T>>;

// ---- objects that own contiguous elements: received by resizing, vectors also by moving ----

template <class Container>
void* make_room_in(void* container, std::size_t bytes) {
  using element = typename Container::value_type;
  if (bytes % sizeof(element) != 0) return nullptr;
  return in_program([=]() -> void* {
    auto& into = *static_cast<Container*>(container);
    into.resize(bytes / sizeof(element));
    return into.data();
  });
}

template <class Container>
receive_sink sink_for(Container& container) noexcept {
  receive_sink sink{&container, make_room_in<Container>, nullptr, nullptr};
  if constexpr (is_vector<Container>) {
    sink.takes = [](const void* type) noexcept {
      return type != nullptr && *static_cast<const std::type_info*>(type) == typeid(Container);
    };
    sink.adopt = [](void* to, void* object) noexcept {
      *static_cast<Container*>(to) = std::move(*static_cast<Container*>(object));
    };
  }
  return sink;
}

template <class Vector>
inline const moved_operations operations_of{
    .type = &typeid(Vector),
    .move =
        [](void* to, void* from) noexcept {
          auto& source = *static_cast<Vector*>(from);
          ::new (to) Vector(std::move(source));
          source.~Vector();
        },
    .destroy = [](void* at) noexcept { static_cast<Vector*>(at)->~Vector(); },
    .data = [](const void* at) noexcept -> const void* { return static_cast<const Vector*>(at)->data(); },
    .bytes = [](const void* at) noexcept -> std::size_t {
      return static_cast<const Vector*>(at)->size() * sizeof(typename Vector::value_type);
    }};

/// A container that grows to the message: what recv<T> can return besides a value.
template <class T>
concept growing_container = plain_range<T> && requires(T& t) {
  t.resize(std::size_t{1});
  typename T::value_type;
};

}  // namespace detail
}  // namespace pure
