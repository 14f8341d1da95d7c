#include "libc/stream_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>

#include "base/whole_lines.hpp"

namespace pure::core {

namespace {

FILE* opened_over(int descriptor, const char* mode, FILE* otherwise) noexcept {
  FILE* const stream = descriptor < 0 ? nullptr : fdopen(descriptor, mode);
  return stream == nullptr ? otherwise : stream;
}

/// One for all ranks that have nothing to read: a process has not many descriptors.
int nothing_to_read() noexcept {
  static const int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  return descriptor;
}

constinit std::atomic<bool> is_input_shared{false};

}  // namespace

void stream_state::begin(bool reads) {
  has_input = reads;
  own_input = input = opened_over(reads ? STDIN_FILENO : nothing_to_read(), "r", stdin);
  own_output = output = opened_over(STDOUT_FILENO, "w", stdout);
  if (own_output != stdout) write_whole_lines(own_output);
  own_errors = errors = opened_over(STDERR_FILENO, "w", stderr);
  if (own_errors != stderr) setvbuf(own_errors, nullptr, _IONBF, 0);
}

int stream_state::input_descriptor() const noexcept {
  if (has_input || is_input_shared.load(std::memory_order_relaxed)) return STDIN_FILENO;
  const int nothing = nothing_to_read();
  return nothing < 0 ? STDIN_FILENO : nothing;
}

void stream_state::share_input() noexcept { is_input_shared.store(true, std::memory_order_relaxed); }

bool stream_state::detach(FILE* stream) noexcept {
  if (stream == nullptr || (stream != own_input && stream != own_output && stream != own_errors)) return false;
  if (stream == stdin || stream == stdout || stream == stderr) return false;
  // Only here the stream closes the descriptor; libc has no function that gives it another one, but for freopen.
  const int other = fcntl(fileno(stream), F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (other >= 0) stream->_fileno = other;
  return true;
}

bool stream_state::forget(FILE* stream) noexcept {
  if (!detach(stream)) return false;
  for (FILE** const each : {&own_input, &own_output, &own_errors})
    if (*each == stream) *each = nullptr;
  return true;
}

void stream_state::flush() noexcept {
  if (own_output != nullptr) std::fflush(own_output);
  if (own_errors != nullptr) std::fflush(own_errors);
}

}  // namespace pure::core
