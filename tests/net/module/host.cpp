// A program that is not linked with Pure, and loads a module that is: host MODULE end|return|exit
//
// With RTLD_LOCAL, as Python loads its modules: none of the functions that libpure stands in front of (exit and others)
// is found there by the program, or by libc.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

template <class Function>
Function* in(void* module, const char* name) {
  void* const found = dlsym(module, name);
  if (found == nullptr) std::abort();
  return reinterpret_cast<Function*>(found);
}

int main(int argc, char** argv) {
  if (argc != 3) return 77;
  void* const module = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    std::fprintf(stderr, "host: %s\n", dlerror());
    return 1;
  }
  if (in<int()>(module, "ranked_begin")() != 0) return 2;
  const int rank = in<int()>(module, "ranked_rank")(), size = in<int()>(module, "ranked_size")();
  if (in<int(int)>(module, "ranked_sum")(rank + 1) != size * (size + 1) / 2) return 3;
  const auto shift = in<long(int, int)>(module, "ranked_shift");
  for (int count = 1; count < 1'000'000; count *= 200'000) {
    if (shift(rank + 1, count) != static_cast<long>((rank + size - 1) % size + 1) * count) return 4;
  }
  if (std::strcmp(argv[2], "exit") == 0 && rank == 0) std::exit(0);
  if (std::strcmp(argv[2], "return") == 0 && rank == 0) return 0;
  if (in<int()>(module, "ranked_end")() != 0) return 5;
  if (rank == 0) std::printf("host: right, %d ranks\n", size);
  return 0;
}
