// Gives the runtime one thing to say, and prints what became of the job on stdout: programs for an output that fails.
#include <pure.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace {

int* volatile nowhere = reinterpret_cast<int*>(16);  // compilers do not know where it points

int rank() {
  int mine = -1;
  pure_comm_rank(PURE_COMM_WORLD, &mine);
  return mine;
}

void exchange() {
  int got = -1;
  const int mine = rank() + 1;
  pure_allreduce(&mine, &got, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD);
  if (rank() == 0) std::printf("the sum is %d\n", got);
}

/// More than rank 1 has receives for, until it has all.
void send_early() {
  constexpr int messages = 20;
  for (int i = 0; i < messages && rank() == 0; ++i) pure_send_msg(&i, 1, PURE_INT, 1, i, PURE_COMM_WORLD);
  for (int i = messages; i-- > 0 && rank() == 1;) {
    int got = -1;
    pure_recv_msg(&got, 1, PURE_INT, 0, i, PURE_COMM_WORLD, nullptr);
  }
}

void leave_a_request() {
  static int number = 0;
  pure_request request;
  if (rank() == 0) pure_irecv_msg(&number, 1, PURE_INT, 1, 3, PURE_COMM_WORLD, &request);
}

}  // namespace

int main(int, char** argv) {
  const std::string_view what = argv[1];
  if (rank() == 0) {
    std::printf("%s\n", argv[1]);
    std::fflush(stdout);
  }
  pure_barrier(PURE_COMM_WORLD);
  if (what == "early") send_early();
  for (int i = 0; i < 2000 && what == "often"; ++i) pure_barrier(PURE_COMM_WORLD);
  if (what == "leftover") leave_a_request();
  if (what == "slow" && rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  if (what == "deadlock" && rank() == 1) pure_recv_msg(argv[1], 1, PURE_BYTE, 0, 3, PURE_COMM_WORLD, nullptr);
  if (what == "throw" && rank() == 1) throw std::runtime_error("my cause");
  if (what == "exit" && rank() == 1) std::exit(3);
  if (what == "_exit" && rank() == 1) _exit(4);
  if (what == "segv" && rank() == 1) *nowhere = 1;
  if (what == "abort" && rank() == 1) std::abort();
  if (what == "wrong" && rank() == 1) pure_send_msg(argv[1], 1, PURE_BYTE, 99, 3, PURE_COMM_WORLD);
  if (what == "unread" && rank() == 1) {  // the job's end flushes it
    std::printf("more\n");
    throw std::runtime_error("my cause");
  }
  exchange();
  return what == "return" ? 256 : 0;
}
