// The faces of all blocks, axis by axis: one message to and from each rank that has a neighbour along the axis, with
// all faces between the two ranks, of a group of variables. Faces between blocks of one rank are copied by way of a
// buffer, while the messages travel.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "face.hpp"
#include "mesh.hpp"

namespace amr {

class exchange {
 public:
  // Finds all faces anew: after each change of the mesh. Needs no message. Groups are of `together` variables at most.
  void plan(const mesh& m, int together);
  // Fills the halos of the rank's blocks. Collective.
  void run(mesh& m, const group& g);
  // In calls of MPI, so far.
  [[nodiscard]] double seconds_in_mpi() const { return seconds_in_mpi_; }
  // Messages that this rank has sent, and their bytes.
  [[nodiscard]] long long messages() const { return messages_; }
  [[nodiscard]] long long bytes() const { return bytes_; }

 private:
  struct message {
    int rank;
    std::size_t offset;
    std::size_t length;  // doubles; of one variable, as the offset
  };
  struct half {
    std::vector<face> faces;
    std::vector<message> messages;
    std::vector<double> buffer;
  };
  struct axis_plan {
    half outgoing, incoming;
    std::vector<face> inside;  // between blocks of this rank, and walls of the cube
  };
  void find_faces(const mesh& m, const block& b, int place, int axis, int side);
  void run_axes(mesh& m, const group& g, std::size_t first, std::size_t last);
  static void lay_out(half& h, const layout& l, int together);

  std::array<axis_plan, 3> axes_;
  std::vector<MPI_Request> requests_;
  double seconds_in_mpi_ = 0;
  long long messages_ = 0;
  long long bytes_ = 0;
};

}  // namespace amr
