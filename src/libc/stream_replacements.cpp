// stdin, stdout and stderr are each rank's own (libc/stream_state.hpp), their descriptors, 0 to 2, the process's:
// what one rank does to these, it does to all. A rank that closes one leaves it open for the others; one that redirects
// one is warned of. Its streams a rank may close, and open anew: they leave the descriptors alone.
//
// Any thread.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "libc/commands.hpp"
#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"
#include "libc/shared_things.hpp"

// libc's list of all streams; its headers have them no more.
extern "C" {
void _IO_list_lock(void);
void _IO_list_unlock(void);
void* _IO_iter_begin(void);
void* _IO_iter_end(void);
void* _IO_iter_next(void*);
FILE* _IO_iter_file(void*);
}

namespace pure::core {

namespace {

const char* name_of_stream(const FILE* stream) noexcept {
  if (stream == stdin) return "stdin";
  if (stream == stdout) return "stdout";
  return stream == stderr ? "stderr" : nullptr;
}

bool is_standard(int descriptor) noexcept { return descriptor >= 0 && descriptor <= 2; }

void note_redirected(const char* name) noexcept {
  if (!has_other_ranks()) return;
  char text[32] = "redirects ";
  note_for_all(shared_thing::stream, std::strcat(text, name));
}

void note_redirected(int descriptor) noexcept {
  static constexpr const char* names[] = {"stdin", "stdout", "stderr"};
  if (descriptor == STDIN_FILENO) stream_state::share_input();
  if (is_standard(descriptor)) note_redirected(names[descriptor]);
}

/// The descriptor stays open, and what the rank opens next is not in its place.
void note_closed(int descriptor) noexcept {
  static constexpr const char* done[] = {"closes descriptor 0", "closes descriptor 1", "closes descriptor 2"};
  note_for_all(shared_thing::stream, done[descriptor]);
}

/// What the rank has written has gone out; there will be no more of it.
int rank_fclose(FILE* stream) {
  if (hidden_state_here().streams.forget(stream)) return std::fclose(stream);
  if (int status = 0; end_command(stream, status)) return status;  // as libc, which waits for it as well
  return name_of_stream(stream) == nullptr || !has_other_ranks() ? std::fclose(stream) : std::fflush(stream);
}

/// Whether it may hold what has been written and not gone out.
bool is_written_to(const FILE* stream) noexcept {
  constexpr int currently_putting = 0x800;  // of libc: since the first write until it goes out for a seek or a read
  return (stream->_flags & currently_putting) != 0;
}

/// fflush(NULL). Rank 0 may be reading stdin, which is locked until something comes: libc's own waits for that.
int flush_all() noexcept {
  int result = 0;
  _IO_list_lock();
  for (void* each = _IO_iter_begin(); each != _IO_iter_end(); each = _IO_iter_next(each)) {
    FILE* const file = _IO_iter_file(each);
    if (is_written_to(file) && std::fflush(file) != 0) result = EOF;
  }
  _IO_list_unlock();
  return result;
}

int rank_fflush(FILE* stream) { return stream == nullptr && has_other_ranks() ? flush_all() : std::fflush(stream); }
int rank_fflush_unlocked(FILE* stream) {
  return stream == nullptr && has_other_ranks() ? flush_all() : fflush_unlocked(stream);
}

int rank_close(int descriptor) {
  if (!is_standard(descriptor) || !has_other_ranks()) return close(descriptor);
  note_closed(descriptor);
  return fcntl(descriptor, F_GETFD) < 0 ? -1 : 0;
}

FILE* rank_freopen(const char* path, const char* mode, FILE* stream) {
  hidden_state_here().streams.detach(stream);
  const char* const name = name_of_stream(stream);
  FILE* const opened = std::freopen(path, mode, stream);
  if (name != nullptr) note_redirected(name);
  return opened;
}

int rank_dup2(int from, int to) {
  const int result = dup2(from, to);
  if (result >= 0 && from != to) note_redirected(to);
  return result;
}

int rank_dup3(int from, int to, int flags) {
  const int result = dup3(from, to, flags);
  if (result >= 0) note_redirected(to);
  return result;
}

/// A stream of all ranks has no buffer in the memory of one of them.
int rank_setvbuf(FILE* stream, char* buffer, int mode, std::size_t size) {
  const bool is_shared = name_of_stream(stream) != nullptr && has_other_ranks();
  return std::setvbuf(stream, is_shared ? nullptr : buffer, mode, size);
}

void rank_setbuffer(FILE* stream, char* buffer, std::size_t size) {
  rank_setvbuf(stream, buffer, buffer == nullptr ? _IONBF : _IOFBF, size);
}

void rank_setbuf(FILE* stream, char* buffer) { rank_setbuffer(stream, buffer, BUFSIZ); }

}  // namespace

std::span<const replacement> stream_parts() noexcept {
  static const replacement table[] = {
      replaced_by("fclose", rank_fclose),   replaced_by("close", rank_close),
      replaced_by("fflush", rank_fflush),   replaced_by("fflush_unlocked", rank_fflush_unlocked),
      replaced_by("freopen", rank_freopen), replaced_by("freopen64", rank_freopen),
      replaced_by("dup2", rank_dup2),       replaced_by("dup3", rank_dup3),
      replaced_by("setvbuf", rank_setvbuf), replaced_by("setbuffer", rank_setbuffer),
      replaced_by("setbuf", rank_setbuf),
  };
  return table;
}

}  // namespace pure::core
