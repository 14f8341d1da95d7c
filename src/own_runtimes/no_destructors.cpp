// Static objects of this library last as long as the process. exit() destroys objects and runs handlers in the opposite
// order of their making: so a handler that a program has registered before MPI_Init, and the destructor of a static
// object of it, run when what the library has made since would be gone; and they may call MPI, to end it for instance.
// Nothing here needs a destructor at the end of the process: what is to be done there has a handler of its own
// (start/processes.cpp, runtime/cut_off_job.cpp).

/// In place of libc's, for this library alone: no destructor of a static object is registered.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) noexcept;  // NOLINT
int __cxa_atexit(void (*)(void*), void*, void*) noexcept { return 0; }                                      // NOLINT
