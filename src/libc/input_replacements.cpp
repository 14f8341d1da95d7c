// Standard input is rank 0's alone, as with processes, by whichever way a rank reads: descriptor 0 leads all others to
// a file in which there is nothing. Fortran's runtime reads unit 5 so, and does not take the stream stdin.
//
// Any thread. Once a rank has put another file there (dup2, of which it is warned), all ranks have that one.
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>

#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"

extern "C" {
ssize_t __read_chk(int, void*, size_t, size_t);          // of programs that were compiled with _FORTIFY_SOURCE
ssize_t __pread_chk(int, void*, size_t, off_t, size_t);  // likewise
int __fxstat(int version, int descriptor, struct stat*) noexcept;  // of programs that are older than glibc 2.33
}

namespace pure::core {

namespace {

int own(int descriptor) noexcept {
  return descriptor == STDIN_FILENO ? hidden_state_here().streams.input_descriptor() : descriptor;
}

ssize_t rank_read(int file, void* bytes, std::size_t size) { return read(own(file), bytes, size); }
ssize_t rank_read_checked(int file, void* bytes, std::size_t size, std::size_t room) {
  return __read_chk(own(file), bytes, size, room);
}
ssize_t rank_pread(int file, void* bytes, std::size_t size, off_t from) { return pread(own(file), bytes, size, from); }
ssize_t rank_pread_checked(int file, void* bytes, std::size_t size, off_t from, std::size_t room) {
  return __pread_chk(own(file), bytes, size, from, room);
}
ssize_t rank_readv(int file, const iovec* parts, int count) { return readv(own(file), parts, count); }
off_t rank_lseek(int file, off_t offset, int whence) { return lseek(own(file), offset, whence); }
int rank_fstat(int file, struct stat* status) { return fstat(own(file), status); }
int rank_fxstat(int version, int file, struct stat* status) { return __fxstat(version, own(file), status); }
int rank_isatty(int file) { return isatty(own(file)); }
int rank_dup(int file) { return dup(own(file)); }

int rank_ioctl(int file, unsigned long request, ...) {
  va_list more;
  va_start(more, request);
  void* const argument = va_arg(more, void*);
  va_end(more);
  return ioctl(own(file), request, argument);
}

/// Has a descriptor of its own where descriptor 0 is not the rank's: it closes that.
FILE* rank_fdopen(int file, const char* mode) {
  if (own(file) == file) return fdopen(file, mode);
  const int copy = dup(own(file));
  FILE* const stream = copy < 0 ? nullptr : fdopen(copy, mode);
  if (stream == nullptr && copy >= 0) close(copy);
  return stream;
}

}  // namespace

std::span<const replacement> input_parts() noexcept {
  static const replacement table[] = {
      replaced_by("read", rank_read),
      replaced_by("__read_chk", rank_read_checked),
      replaced_by("pread", rank_pread),
      replaced_by("pread64", rank_pread),
      replaced_by("__pread_chk", rank_pread_checked),
      replaced_by("__pread64_chk", rank_pread_checked),
      replaced_by("readv", rank_readv),
      replaced_by("lseek", rank_lseek),
      replaced_by("lseek64", rank_lseek),
      replaced_by("fstat", rank_fstat),
      replaced_by("fstat64", rank_fstat),
      replaced_by("__fxstat", rank_fxstat),
      replaced_by("__fxstat64", rank_fxstat),
      replaced_by("isatty", rank_isatty),
      replaced_by("dup", rank_dup),
      replaced_by("ioctl", rank_ioctl),
      replaced_by("fdopen", rank_fdopen),
  };
  return table;
}

}  // namespace pure::core
