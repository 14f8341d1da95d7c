// Must not compile, and say: the body of a PureTask takes (chunk_id_t start_chunk, chunk_id_t end_chunk,
// std::optional<void*> per_exe_args), or the first two, or one chunk_id_t
#include <pure.h>

void f() {
  PureTask task = [](const char*) {};
  task.execute();
}
