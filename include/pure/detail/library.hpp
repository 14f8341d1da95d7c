// The functions of libpure behind the typed interface. Not for programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <typeinfo>

#include <pure/call_site.hpp>
#include <pure/detail/transfer.hpp>
#include <pure/export.hpp>
#include <pure/status.hpp>

namespace pure::core {
class communicator;
class send_buffer;
}  // namespace pure::core

namespace pure::detail {

using request_handle = std::uint64_t;  // 0: null

PURE_API void send(core::communicator& on, pure_call_site site, const void* data, std::size_t bytes, int dest, int tag);
PURE_API void send_moved(core::communicator& on, pure_call_site site, const moved_operations& operations, void* object,
                         int dest, int tag);
PURE_API status receive(core::communicator& on, pure_call_site site, const receive_place& place, int source, int tag);
PURE_API status send_receive(core::communicator& on, pure_call_site site, const void* data, std::size_t bytes, int dest,
                             int send_tag, const receive_place& place, int source, int receive_tag);

PURE_API request_handle start_send(core::communicator& on, pure_call_site site, const void* data, std::size_t bytes,
                                   int dest, int tag);
PURE_API request_handle start_send_moved(core::communicator& on, pure_call_site site,
                                         const moved_operations& operations, void* object, int dest, int tag);
PURE_API request_handle start_receive(core::communicator& on, pure_call_site site, const receive_place& place,
                                      int source, int tag);

// The rest of point-to-point (src/api/cpp/modes.cpp).
PURE_API void send_in_mode(core::communicator& on, pure_call_site site, send_mode mode, const void* data,
                           std::size_t bytes, int dest, int tag);
PURE_API request_handle start_send_in_mode(core::communicator& on, pure_call_site site, send_mode mode,
                                           const void* data, std::size_t bytes, int dest, int tag);
PURE_API request_handle make_persistent_send(core::communicator& on, pure_call_site site, send_mode mode,
                                             const placed_message& what, int dest, int tag);
PURE_API request_handle make_persistent_receive(core::communicator& on, pure_call_site site,
                                                const placed_message& where, int source, int tag);
PURE_API request_handle start_send_receive(core::communicator& on, pure_call_site site, const placed_message& what,
                                           int dest, int send_tag, const placed_message& where, int source,
                                           int receive_tag);
PURE_API status send_receive_replace(core::communicator& on, pure_call_site site, const placed_message& there, int dest,
                                     int send_tag, int source, int receive_tag);
PURE_API request_handle start_send_receive_replace(core::communicator& on, pure_call_site site,
                                                   const placed_message& there, int dest, int send_tag, int source,
                                                   int receive_tag);

// Messages that are laid out (src/api/cpp/layouts.cpp).
PURE_API void send_laid_out(core::communicator& on, pure_call_site site, send_mode mode, const placed_message& what,
                            int dest, int tag);
PURE_API request_handle start_send_laid_out(core::communicator& on, pure_call_site site, send_mode mode,
                                            const placed_message& what, int dest, int tag);
PURE_API status receive_laid_out(core::communicator& on, pure_call_site site, const placed_message& where, int source,
                                 int tag);
PURE_API request_handle start_receive_laid_out(core::communicator& on, pure_call_site site, const placed_message& where,
                                               int source, int tag);
PURE_API status send_receive_laid_out(core::communicator& on, pure_call_site site, const placed_message& what, int dest,
                                      int send_tag, const placed_message& where, int source, int receive_tag);
PURE_API status receive_message_laid_out(core::communicator& on, pure_call_site site, request_handle& message,
                                         const placed_message& where);
PURE_API request_handle start_receive_message_laid_out(core::communicator& on, pure_call_site site,
                                                       request_handle& message, const placed_message& where);

PURE_API status probe(core::communicator& on, pure_call_site site, int source, int tag);
PURE_API bool probe_now(core::communicator& on, pure_call_site site, int source, int tag, status& found);
/// A message; 0 if `may_block` is false and there is none.
PURE_API request_handle matched_probe(core::communicator& on, pure_call_site site, int source, int tag, bool may_block,
                                      status& found);
PURE_API status receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                                const receive_place& place);
PURE_API request_handle start_receive_message(core::communicator& on, pure_call_site site, request_handle& message,
                                              const receive_place& place);
PURE_API void cancel(core::communicator& on, pure_call_site site, request_handle request);
PURE_API std::optional<status> look_at(core::communicator& on, pure_call_site site, request_handle request);
/// Of the rank, or of its messages on `on` only. 0 bytes: as much as there is memory.
PURE_API core::send_buffer& attach_send_buffer(core::communicator& on, pure_call_site site, std::size_t bytes,
                                               bool only_this_comm);
PURE_API void flush_send_buffer(core::communicator& on, pure_call_site site, core::send_buffer& which);
PURE_API request_handle start_flush_send_buffer(core::communicator& on, pure_call_site site, core::send_buffer& which);
PURE_API void detach_send_buffer(core::communicator& on, core::send_buffer& which) noexcept;

/// Ends a receive of a serialized `wanted` that got something else: `sent`, null for plain data. Or that cannot be made
/// of its bytes, because of `problem`.
[[noreturn]] PURE_API void throw_not_this_object(core::communicator& on, pure_call_site site, const char* operation,
                                                 const status& outcome, const char* sent, const std::type_info& wanted);
[[noreturn]] PURE_API void throw_broken_object(core::communicator& on, pure_call_site site, const char* operation,
                                               const status& outcome, const std::type_info& wanted,
                                               const char* problem);

/// Ends a recv<T> of a value whose message was shorter.
[[noreturn]] PURE_API void throw_short_message(core::communicator& on, pure_call_site site, const status& outcome,
                                               std::size_t wanted_bytes);

/// Starts a persistent request, or throws as if to. `on` may be null where the request is.
PURE_API void start_request(core::communicator* on, pure_call_site site, request_handle request);
PURE_API void check_startable(core::communicator* on, pure_call_site site, request_handle request);
/// False for null and for an inactive persistent request.
PURE_API bool is_active(core::communicator& on, pure_call_site site, request_handle request);
/// Completion. `requests` are handles of one rank, each null or live; completed ones become null, but persistent ones
/// inactive. test() makes progress if it is told to and finds the request not complete, and says so by false.
PURE_API status wait(core::communicator& on, pure_call_site site, request_handle& request);
PURE_API bool test(core::communicator& on, pure_call_site site, request_handle request, bool& makes_progress);
PURE_API int wait_any(core::communicator& on, pure_call_site site, const request_handle* requests, int count);
/// For a destructor: ends the operation without throwing; blocks for a send or a collective, withdraws a receive.
PURE_API void end_request(core::communicator& on, request_handle& request) noexcept;

// For ranks that the program starts itself (src/api/cpp/environment.cpp).
PURE_API void begin_calling_rank(pure_call_site site);
PURE_API void end_calling_rank(pure_call_site site, bool is_passed_by_exception) noexcept;
PURE_API core::communicator& world_of_calling_rank(pure_call_site site);

// For the program's own calls of MPI (src/api/cpp/own_mpi.cpp).
PURE_API void lock_mpi(pure_call_site site);
PURE_API void unlock_mpi() noexcept;

PURE_API int rank_of(const core::communicator& on) noexcept;
/// The communicator of all ranks, for the rank that has this one; lives as long as the rank.
PURE_API core::communicator& world_of(core::communicator& on) noexcept;
PURE_API int size_of(const core::communicator& on) noexcept;

using rank_body = int (*)(void* context, core::communicator& world);
/// Runs body on `ranks` ranks. Throws what made it fail.
PURE_API int run_ranks(int ranks, rank_body body, void* context);
/// The same on as many ranks as the settings say.
PURE_API int run_settings_ranks(rank_body body, void* context);
/// The same for a main: prints what made it fail and returns a non-zero status.
PURE_API int run_ranks_of_main(int argc, char** argv, rank_body body, void* context);

}  // namespace pure::detail
