// pure::serialized: messages that are objects of any type that cereal can serialize, where the program asks for it.
//
//   world.send(pure::serialized(mesh), 1);              rank 1: world.recv_into(pure::serialized(mesh), 0);
//
// The bytes are cereal's binary archive, written once into memory that changes hands: the receiver reads them where the
// sender has put them. Nothing of the sender's object is shared. Both ends say pure::serialized, and the same type:
// anything else is an error (type) that names both. Types are compared by their names, between processes as well.
//
//   send, isend             The object may change as soon as the call returns, for its bytes have been taken.
//   recv_into, irecv_into   Replace the object; irecv_into does so in the wait or test that completes the request, in
//                           the rank's own thread, and not before. After an error the object has an unknown value.
//   recv_serialized<T>      Returns it.
//   a message's recv_into   The same for what a matched probe has found.
//   bcast                   Gives every rank the root's object.
//
// Everything else is as for plain data: order, tags, wildcards, probes (whose size is the archive's). Errors: rank,
// tag, type. What the type's own functions throw goes to the caller, but std::length_error and std::bad_alloc in a
// receive are errors of type: so containers report a size that was none.
//
// cereal is a library of headers that the program includes (<cereal/types/vector.hpp>, ...), and that Pure itself does
// not need: https://uscilab.github.io/cereal.
#pragma once

#if !__has_include(<cereal/cereal.hpp>)
#error "pure/serialized.hpp needs cereal, a library of headers: on Debian, apt-get install libcereal-dev"
#else

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <istream>
#include <memory>
#include <new>
#include <ostream>
#include <span>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <cereal/archives/binary.hpp>
#include <cereal/cereal.hpp>

#include <pure/comm.hpp>
#include <pure/detail/archive.hpp>

namespace pure {

/// An object that a message carries as its serialized bytes. Only names it: made in the call that uses it.
template <class T>
class [[nodiscard]] serialized_object {
 public:
  explicit serialized_object(T& object) noexcept : object_(std::addressof(object)) {}
  // Not trivially copyable: what names an object can never be sent as if it were plain data.
  serialized_object(const serialized_object& other) noexcept : object_(other.object_) {}

 private:
  friend class comm;
  friend class message;
  template <class Comm>
  friend class collectives;
  T* object_;
};

template <class T>
serialized_object<T> serialized(T& object) noexcept {
  return serialized_object<T>(object);
}
/// A temporary, to be sent.
template <class T>
requires(!std::is_reference_v<T>) serialized_object<const T> serialized(T&& object)
noexcept { return serialized_object<const T>(object); }

namespace detail {

template <class T>
constexpr void require_saving() {
  static_assert(cereal::traits::is_output_serializable<T, cereal::BinaryOutputArchive>::value,
                "Pure: cereal cannot serialize this type. Give it a member `template <class Archive> void "
                "serialize(Archive& archive) { archive(part, part); }`, or include cereal's header for it, such as "
                "<cereal/types/vector.hpp>.");
}
template <class T>
constexpr void require_loading() {
  static_assert(!std::is_const_v<T>, "Pure: cannot receive into a constant, or into a temporary object.");
  static_assert(cereal::traits::is_input_serializable<std::remove_const_t<T>, cereal::BinaryInputArchive>::value,
                "Pure: cereal cannot read this type back. Give it a member `template <class Archive> void "
                "serialize(Archive& archive) { archive(part, part); }`, or include cereal's header for it, such as "
                "<cereal/types/vector.hpp>.");
}

/// Takes an archive; plain data too, which unpack() refuses.
inline receive_sink sink_of_archive(archive& into) noexcept {
  return {&into,
          [](void* container, std::size_t bytes) -> void* {
            return in_program([=]() -> void* {
              auto& plain = static_cast<archive*>(container)->bytes;
              plain.resize(bytes);
              return plain.data();
            });
          },
          is_archive,
          [](void* container, void* object) noexcept {
            *static_cast<archive*>(container) = std::move(*static_cast<archive*>(object));
          }};
}

/// Appends to the bytes of an archive.
class archive_writer final : public std::streambuf {
 public:
  explicit archive_writer(archive_bytes& to) noexcept : to_(to) {}

 protected:
  std::streamsize xsputn(const char* data, std::streamsize count) override {
    to_.append(data, static_cast<std::size_t>(count));
    return count;
  }
  int_type overflow(int_type one) override {
    const char byte = traits_type::to_char_type(one);
    if (!traits_type::eq_int_type(one, traits_type::eof())) to_.append(&byte, 1);
    return traits_type::not_eof(one);
  }

 private:
  archive_bytes& to_;
};

/// Reads them where they are.
class archive_reader final : public std::streambuf {
 public:
  explicit archive_reader(archive_bytes& from) noexcept {
    auto* const first = reinterpret_cast<char*>(from.data());
    setg(first, first, first + from.size());
  }
  [[nodiscard]] bool is_at_end() const noexcept { return gptr() == egptr(); }
};

template <class T>
archive pack(const T& object) {
  require_saving<T>();
  archive packed{.bytes = {}, .type = typeid(T).name()};
  archive_writer place(packed.bytes);
  std::ostream stream(&place);
  cereal::BinaryOutputArchive writing(stream);
  writing(object);
  return packed;
}

/// For the library, which moves the archive out and destroys what is left.
class archive_to_send {
 public:
  template <class T>
  explicit archive_to_send(const T& object) {
    ::new (static_cast<void*>(storage_)) archive(pack(object));
  }
  void* get() noexcept { return storage_; }

 private:
  alignas(archive) std::byte storage_[sizeof(archive)];
};

/// Which call receives an object, for its errors.
struct unpacking {
  core::communicator& on;
  call_site at;
  const char* operation;
};

template <class T>
void unpack(const unpacking& by, archive& packed, const status& outcome, T& object) {
  if (!packed.is_of(typeid(T).name())) {
    throw_not_this_object(by.on, by.at, by.operation, outcome, packed.type, typeid(T).name());
  }
  archive_reader place(packed.bytes);
  std::istream stream(&place);
  const auto broken = [&](const char* problem) {
    throw_broken_object(by.on, by.at, by.operation, outcome, typeid(T).name(), problem);
  };
  try {
    cereal::BinaryInputArchive reading(stream);
    reading(object);
  } catch (const cereal::Exception& error) {
    broken(error.what());
  } catch (const std::length_error& error) {  // of a container whose number of elements was read from the wrong place
    broken(error.what());
  } catch (const std::bad_alloc& error) {
    broken(error.what());
  }
  if (!place.is_at_end()) broken("some of its bytes have not been read");
}

/// What a broadcast says first. One type for all objects: it is after this that ranks learn that theirs differ.
struct announced_object {
  std::uint64_t bytes = 0;
  std::uint64_t name_bytes = 0;
};

/// What a request of irecv_into owns.
template <class T>
struct object_to_come {
  core::communicator* on;
  T* object;
  archive arrived;
  receive_sink sink;
};

}  // namespace detail

template <class T>
void comm::send(serialized_object<T> object, int dest, int tag, here at) const {
  detail::archive_to_send packed(*object.object_);
  detail::send_moved(*on_, at, detail::operations_of_archive, packed.get(), dest, tag);
}

template <class T>
request comm::isend(serialized_object<T> object, int dest, int tag, here at) const {
  detail::archive_to_send packed(*object.object_);
  return {*world_, detail::start_send_moved(*on_, at, detail::operations_of_archive, packed.get(), dest, tag)};
}

template <class T>
status comm::recv_into(serialized_object<T> object, int source, int tag, here at) const {
  detail::require_loading<T>();
  detail::archive arrived;
  const detail::receive_sink sink = detail::sink_of_archive(arrived);
  const status outcome = detail::receive(*on_, at, {nullptr, 0, &sink}, source, tag);
  if (outcome.source() != proc_null) detail::unpack({*on_, at, "recv_into"}, arrived, outcome, *object.object_);
  return outcome;
}

template <class T>
T comm::recv_serialized(int source, int tag, here at) const {
  static_assert(std::is_default_constructible_v<T>,
                "Pure: recv_serialized<T> needs a T to receive into: use recv_into(pure::serialized(object), ...).");
  T result{};
  recv_into(serialized(result), source, tag, at);
  return result;
}

template <class T>
request comm::irecv_into(serialized_object<T> object, int source, int tag, here at) const {
  detail::require_loading<T>();
  auto to_come = std::make_unique<detail::object_to_come<T> >();
  to_come->on = on_;
  to_come->object = object.object_;
  to_come->sink = detail::sink_of_archive(to_come->arrived);
  request started{*world_, detail::start_receive(*on_, at, {nullptr, 0, &to_come->sink}, source, tag)};
  started.at_end_ = [](void* kept, const status& outcome, call_site by) {
    auto& come = *static_cast<detail::object_to_come<T>*>(kept);
    if (outcome.source() == proc_null) return;
    detail::unpack({*come.on, by, "irecv_into"}, come.arrived, outcome, *come.object);
  };
  started.keep(std::move(to_come));
  return started;
}

template <class T>
status message::recv_into(serialized_object<T> object, call_site at) {
  detail::require_loading<T>();
  detail::archive arrived;
  const detail::receive_sink sink = detail::sink_of_archive(arrived);
  const pure::status outcome = detail::receive_message(*on_, at, handle_, {nullptr, 0, &sink});
  if (outcome.source() != proc_null) {
    detail::unpack({*on_, at, "message::recv_into"}, arrived, outcome, *object.object_);
  }
  return outcome;
}

/// Two broadcasts: of what comes, and of the bytes, which the name of the type follows.
template <class Comm>
template <class T>
void collectives<Comm>::bcast(serialized_object<T> object, int root, here at) const {
  const detail::collective_call call(self(), "bcast", at);
  detail::announced_object announced;
  detail::archive packed;
  if (call.rank() == root) {
    packed = detail::pack(std::as_const(*object.object_));
    announced = {packed.bytes.size(), std::strlen(packed.type)};
    packed.bytes.append(packed.type, static_cast<std::size_t>(announced.name_bytes));
  }
  call.run(bcast_arguments(announced, root));
  const auto bytes = static_cast<std::size_t>(announced.bytes);
  if (call.rank() != root) packed.bytes.resize(bytes + static_cast<std::size_t>(announced.name_bytes));
  const std::span<std::byte> all(packed.bytes.data(), packed.bytes.size());
  call.run(bcast_arguments(all, root));
  if (call.rank() == root) return;
  detail::require_loading<T>();
  const std::string name(reinterpret_cast<const char*>(packed.bytes.data() + bytes),
                         static_cast<std::size_t>(announced.name_bytes));
  packed.type = name.c_str();
  packed.bytes.resize(bytes);
  detail::unpack({call.on(), at, "bcast"}, packed, status(root, 0, bytes), *object.object_);
}

}  // namespace pure

#endif  // cereal
