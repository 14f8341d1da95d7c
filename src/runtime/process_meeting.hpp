// What the processes of a job tell each other while none of its ranks run: before they start, and when all have
// returned. The layers above implement it (start/network_meeting.hpp).
//
// One thread of each process makes these calls, all of which wait. Every process makes the collective ones in the same
// order, and each send has its receive. If a process fails, or its network does, all processes of the job are ended:
// nobody waits for ever, and nothing here throws.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace pure::core {

class process_meeting {
 public:
  process_meeting() = default;
  process_meeting(const process_meeting&) = delete;
  process_meeting& operator=(const process_meeting&) = delete;
  virtual ~process_meeting() = default;

  [[nodiscard]] virtual int process() const noexcept = 0;
  [[nodiscard]] virtual int processes() const noexcept = 0;
  /// The number of a process's machine, in the order of their first processes; that of process 0 is 0.
  [[nodiscard]] virtual int host_of(int process) const noexcept = 0;
  /// By machine.
  [[nodiscard]] virtual const std::vector<std::string>& host_names() const noexcept = 0;

  // ---- collective

  /// `all` holds `bytes` of each process, in their order.
  virtual void all_gather(const void* mine, std::size_t bytes, void* all) = 0;
  /// From process 0 to all.
  virtual void broadcast(void* data, std::size_t bytes) = 0;

  // ---- between two; from one process to another, in the order of sending

  virtual void send(int process, const void* data, std::size_t bytes) = 0;
  /// Exactly that many bytes.
  virtual void receive(int process, void* data, std::size_t bytes) = 0;

  // ---- the same for plain values

  template <class T>
  [[nodiscard]] std::vector<T> gather_all(const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<T> all(static_cast<std::size_t>(processes()));
    all_gather(&mine, sizeof mine, all.data());
    return all;
  }
  template <class T>
  void send_value(int process, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    send(process, &value, sizeof value);
  }
  template <class T>
  [[nodiscard]] T receive_value(int process) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    receive(process, &value, sizeof value);
    return value;
  }
};

}  // namespace pure::core
