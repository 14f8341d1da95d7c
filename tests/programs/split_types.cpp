// For tests/errors/split_types.sh and tests/net/split_types.sh: each communicator that a split by hardware makes says
// who is in it: "socket: 0 2". A rank that gets none says "socket: not 1".
//
// usage: split_types
#include <pure.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

void say(const char* what, pure_comm made) {
  const int me = pure_rank();
  if (made == PURE_COMM_NULL) {
    std::printf("%s: not %d\n", what, me);
    return;
  }
  int size = 0, rank = 0;
  pure_comm_size(made, &size);
  pure_comm_rank(made, &rank);
  std::vector<int> members(static_cast<std::size_t>(size));
  pure_allgather(&me, 1, PURE_INT, members.data(), 1, PURE_INT, made);
  if (rank != 0) return;
  std::string text = what + std::string(":");
  for (const int each : members) text += ' ' + std::to_string(each);
  text += '\n';  // in one write, also where an MPI has made stdout unbuffered: puts() makes two
  std::fputs(text.c_str(), stdout);
}

void by(const char* what, int type) {
  pure_comm made = PURE_COMM_NULL;
  pure_comm_split_type(PURE_COMM_WORLD, type, 0, &made);
  say(what, made);
}

void guided(const char* name) {
  pure_info info;
  pure_info_create(&info);
  pure_info_set(info, "mpi_hw_resource_type", name);
  pure_comm made = PURE_COMM_NULL;
  pure_comm_split_type(PURE_COMM_WORLD, PURE_COMM_TYPE_HW_GUIDED, 0, info, &made);
  say(name, made);
  pure_info_free(&info);
}

/// From world down to what has no smaller parts.
void unguided() {
  pure_comm now = PURE_COMM_WORLD;
  for (int depth = 1; now != PURE_COMM_NULL; ++depth) {
    pure_info info;
    pure_info_create(&info);
    pure_comm made = PURE_COMM_NULL;
    pure_comm_split_type(now, PURE_COMM_TYPE_HW_UNGUIDED, 0, info, &made);
    const char* name = nullptr;
    pure_info_get(info, "mpi_hw_resource_type", &name);
    say(("level " + std::to_string(depth) + " " + (name == nullptr ? "none" : name)).c_str(), made);
    pure_info_free(&info);
    now = made;
  }
}

}  // namespace

int main() {
  by("numa", PURE_COMM_TYPE_NUMA);
  by("socket", PURE_COMM_TYPE_SOCKET);
  by("l3", PURE_COMM_TYPE_L3);
  by("core", PURE_COMM_TYPE_CORE);
  guided("hwloc://L2Cache");
  guided("hwloc://L4Cache");
  unguided();
  return 0;
}
