// C++: members, templates, inline variables, what is constant, names of the program's own that begin as MPI's.
#include "shared.h"

#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace MPI_tools {
constexpr int MPI_MY_TAG = 11;
enum { MPI_MINE = 5 };
struct status {
  int MPI_SOURCE = 1;  // the program's own
};
}  // namespace MPI_tools

class counter {
 public:
  static int made;
  inline static long sum = 1;
  static const int limit = 9;
  static constexpr double half = 0.5;
  counter() { ++made; }
};
int counter::made = 0;

template <class T>
struct cache {
  static T value;
  static std::vector<T>& all() {
    static std::vector<T> kept;
    return kept;
  }
};
template <class T>
T cache<T>::value = T(2);
template <>
double cache<double>::value = 7;

template <class T>
void send_to(const T& value, int to) {
  MPI_Send(&value, sizeof value, MPI_BYTE, to, MPI_tools::MPI_MY_TAG, MINE);
}

namespace {
std::map<int, std::string> names;
inline int hidden;
struct {
  int a, b;
} unnamed;
enum color { red, green } shade = red;
const char* const fixed = "MPI_INT";
const char* text = "MPI_INT";
int& alias = counter::made;
typedef double row_of[3];
row_of row_values = {1, 2, 3};
}  // namespace

[[maybe_unused]] static int marked;
alignas(64) static double wide[8];
__attribute__((aligned(32))) static double wider[4];

static int ranks_own() {
  int rank = 0;
  MPI_Comm_rank(MINE, &rank);
  return rank;
}

static int remembered() {
  static const int rank = ranks_own();
  return rank;
}

int main(int argc, char** argv) {
  int rank, size, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MINE, &row);
  for (int i = 0; i <= rank; ++i) {
    counter one;
    cache<int>::value += rank;
    cache<int>::all().push_back(rank);
    counter::sum += i;
    names[i] = std::to_string(rank);
    table[i % 4] += rank;
    count_steps(i);
  }
  cache<double>::value += rank;
  hidden = unnamed.a = unnamed.b = rank;
  shade = rank % 2 != 0 ? green : red;
  wide[7] = wider[3] = row_values[0] = marked = rank;
  const int ticket = next_ticket();
  MPI_Barrier(row);
  wrong += counter::made != rank + 1 || alias != rank + 1 || counter::sum != 1 + rank * (rank + 1) / 2;
  wrong += cache<int>::value != 2 + rank * (rank + 1) || cache<int>::all().size() != rank + 1U;
  wrong += cache<double>::value != 7 + rank || names.size() != rank + 1U || names[0] != std::to_string(rank);
  wrong += hidden != rank || unnamed.b != rank || shade != (rank % 2 != 0 ? green : red);
  wrong += wide[7] != rank || wider[3] != rank || row_values[0] != rank || marked != rank || ticket != 101;
  wrong += steps != 3 + rank * (rank + 1) / 2 || remembered() != rank || counter::limit != 9 || counter::half != 0.5;
  if (rank != 0) send_to(rank, 0);
  int all = 0, got = 0;
  for (int from = 1; rank == 0 && from < size; ++from) {
    MPI_Status status;
    MPI_Recv(&got, sizeof got, MPI_BYTE, from, MPI_ANY_TAG, MINE, &status);
    wrong += got != status.MPI_SOURCE || status.MPI_TAG != MPI_tools::MPI_MY_TAG;
  }
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, row);
  if (rank == 0) std::printf("%d wrong of %d, %s %s %d\n", all, size, fixed, text, MPI_tools::status().MPI_SOURCE);
  MPI_Comm_free(&row);
  MPI_Finalize();
  return all;
}
