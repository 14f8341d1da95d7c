// Handles as ints, for other languages (MPI 5.0, 19.3.4): a predefined handle is its own number, and a request's is
// made of its place; any other gets one of its rank, for as long as its object lives (objects/handle_numbers.hpp). And
// what the binary interface says of itself (MPI 5.0, chapter 20).
#include <mutex>
#include <type_traits>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "objects/rank_objects.hpp"
#include "window/window_table.hpp"

namespace pure::core::mpi {

namespace {

/// Numbers of requests, of which a program has millions: so nothing is kept for them. Of the generation there are the
/// last bits, which tell that a number is old.
///
///     bit 30   29..28   27..20       19..0
///     1        kind     generation   index
struct request_number {
  static constexpr int mark = 1 << 30;
  static constexpr std::uint32_t index_bits = 20, generation_bits = 8;
  static constexpr std::uint32_t last_generation = (1U << generation_bits) - 1;
  static_assert(static_cast<int>(handle_kind::operation) < 4);

  /// 0: the request has none.
  static int of(handle request) noexcept {
    if (request.kind() > handle_kind::operation || request.index() >> index_bits != 0) return 0;
    return static_cast<int>(mark | (static_cast<std::uint32_t>(request.kind()) << (index_bits + generation_bits)) |
                            ((request.generation() & last_generation) << index_bits) | request.index());
  }
  /// Null: no live request has that number.
  static handle request(const rank_context& rank, int number) noexcept {
    const auto bits = static_cast<std::uint32_t>(number);
    const auto kind = static_cast<handle_kind>((bits >> (index_bits + generation_bits)) & 3);
    const handle found = requests::of(rank).name_at(kind, bits & ((1U << index_bits) - 1));
    return (found.generation() & last_generation) == ((bits >> index_bits) & last_generation) ? found : handle{};
  }
};

/// Whether the handle, which the program got in this rank, names something still.
bool is_alive(const rank_context& rank, std::uint64_t name) {
  rank_objects& made = rank_objects::of(rank);
  switch (handle{name}.kind()) {
    case handle_kind::receive:
    case handle_kind::send:
    case handle_kind::operation:
      return requests::of(rank).name_at(handle{name}.kind(), handle{name}.index()).value == name;
    case handle_kind::message: return requests::of(rank).matched().is_kept({name});
    case handle_kind::communicator: return communicator_table::of(rank).find(name) != nullptr;
    case handle_kind::group: return made.groups.find(name) != nullptr;
    case handle_kind::window: return window_table::of(rank).find(name) != nullptr;
    case handle_kind::datatype: return made.types.find(name) != nullptr;
    case handle_kind::reduction: return made.operators.find(name) != nullptr;
    case handle_kind::info: return is_info(rank, name);
    case handle_kind::error_handler: return door_state::of(rank).made_handlers.find(name) != nullptr;
    case handle_kind::aggregation: break;  // no object of MPI
  }
  return false;
}

/// Info objects belong to the process, as their numbers do: there may be no rank yet, or none any more
/// (MPI 5.0, 11.4.1). Any thread.
class info_numbers {
 public:
  /// Above the numbers of all ranks, and below those of requests.
  static constexpr int first = 1 << 28;

  static info_numbers& of_process() {
    static info_numbers all;
    return all;
  }
  int number_of(std::uint64_t name) {
    const std::lock_guard guard(lock_);
    return numbers_.number_of(name, [](std::uint64_t each) { return is_info_of_process(each); });
  }
  std::uint64_t handle_of(int number) {
    const std::lock_guard guard(lock_);
    return numbers_.handle_of(number);
  }

 private:
  std::mutex lock_;
  handle_numbers numbers_{first};
};

/// 0, which is no predefined handle, outside of ranks.
template <class Handle>
int number_of(Handle named) {
  const auto value = named.value;
  if (value < predefined_limit) return static_cast<int>(value);
  if constexpr (std::is_same_v<Handle, request_handle>) {
    if (const int number = request_number::of(handle{value}); number != 0) [[likely]]
      return number;
  }
  if (std::is_same_v<Handle, info_handle> && is_info_of_process(value))
    return info_numbers::of_process().number_of(value);
  const rank_context* const worker = rank_or_null();
  if (worker == nullptr) return 0;
  return door_state::of(*worker).numbers.number_of(value, [&](std::uint64_t each) { return is_alive(*worker, each); });
}

template <class Handle>
Handle handle_numbered(int number) {
  const auto value = static_cast<std::uintptr_t>(number);
  if (number >= 0 && value < predefined_limit) return name_of_object<Handle>(value);
  if (std::is_same_v<Handle, info_handle> && number >= info_numbers::first)
    return name_of_object<Handle>(info_numbers::of_process().handle_of(number));
  const rank_context* const worker = rank_or_null();
  if (worker == nullptr || number < 0) return {};
  if (std::is_same_v<Handle, request_handle> && (number & request_number::mark) != 0)
    return name_of_object<Handle>(request_number::request(*worker, number).value);
  return name_of_object<Handle>(door_state::of(*worker).numbers.handle_of(number));
}

}  // namespace

int bodies::Comm_toint(comm_handle comm) { return number_of(comm); }
int bodies::Errhandler_toint(errhandler_handle errhandler) { return number_of(errhandler); }
int bodies::File_toint(file_handle file) { return number_of(file); }
int bodies::Group_toint(group_handle group) { return number_of(group); }
int bodies::Info_toint(info_handle info) { return number_of(info); }
int bodies::Message_toint(message_handle message) { return number_of(message); }
int bodies::Op_toint(op_handle op) { return number_of(op); }
int bodies::Request_toint(request_handle request) { return number_of(request); }
int bodies::Session_toint(session_handle session) { return number_of(session); }
int bodies::Type_toint(type_handle datatype) { return number_of(datatype); }
int bodies::Win_toint(win_handle win) { return number_of(win); }

comm_handle bodies::Comm_fromint(int comm) { return handle_numbered<comm_handle>(comm); }
errhandler_handle bodies::Errhandler_fromint(int errhandler) { return handle_numbered<errhandler_handle>(errhandler); }
file_handle bodies::File_fromint(int file) { return handle_numbered<file_handle>(file); }
group_handle bodies::Group_fromint(int group) { return handle_numbered<group_handle>(group); }
info_handle bodies::Info_fromint(int info) { return handle_numbered<info_handle>(info); }
message_handle bodies::Message_fromint(int message) { return handle_numbered<message_handle>(message); }
op_handle bodies::Op_fromint(int op) { return handle_numbered<op_handle>(op); }
request_handle bodies::Request_fromint(int request) { return handle_numbered<request_handle>(request); }
session_handle bodies::Session_fromint(int session) { return handle_numbered<session_handle>(session); }
type_handle bodies::Type_fromint(int datatype) { return handle_numbered<type_handle>(datatype); }
win_handle bodies::Win_fromint(int win) { return handle_numbered<win_handle>(win); }

// ---- the binary interface ----

void bodies::Abi_get_info(const call& by, info_handle* info) {
  info_object all;
  all.set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  all.set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  all.set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  give_info(by, std::move(all), info);
}

}  // namespace pure::core::mpi
