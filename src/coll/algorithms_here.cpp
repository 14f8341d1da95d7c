#include "coll/algorithms_here.hpp"

namespace pure::core {

void run_alone(const collective_arguments& what) noexcept {
  switch (what.kind) {
    case collective::barrier:
    case collective::bcast:
    case collective::exscan: return;
    case collective::reduce:
    case collective::allreduce:
    case collective::scan:
    case collective::reduce_scatter:
      if (what.send != nullptr) copy_bytes(what.recv, what.send, bytes_of_vector(what));
      return;
    case collective::gather:
    case collective::allgather:
      if (what.send != nullptr) {
        copy_bytes(block_at(what.recv, what.recv_blocks, 0), what.send, what.recv_blocks.bytes(0));
      }
      return;
    case collective::scatter:
      if (what.recv != nullptr) {
        copy_bytes(what.recv, block_at(what.send, what.send_blocks, 0), what.send_blocks.bytes(0));
      }
      return;
    case collective::alltoall:
      if (what.send != nullptr) {
        copy_bytes(block_at(what.recv, what.recv_blocks, 0), block_at(what.send, what.send_blocks, 0),
                   what.recv_blocks.bytes(0));
      }
      return;
  }
}

}  // namespace pure::core
