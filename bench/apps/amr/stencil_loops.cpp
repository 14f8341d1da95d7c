// The loops of stencil_loops.hpp, by one thread.
#include "stencil_loops.hpp"

namespace amr {
namespace {

template <typename body>
void for_each_index(std::size_t count, const body& compute) {
  for (std::size_t i = 0; i < count; ++i) compute(i);
}

}  // namespace

void sweep_blocks(std::vector<block>& blocks, const layout& l, int times_if_touched) {
  const auto variables = static_cast<std::size_t>(l.variables);
  for_each_index(blocks.size() * variables, [&](std::size_t i) {
    block& b = blocks[i / variables];
    sweep(b, static_cast<int>(i % variables), l, b.touched ? times_if_touched : 1);
  });
}

void pack_faces(const std::vector<face>& faces, const std::vector<block>& blocks, const layout& l, double* buffer) {
  for_each_index(faces.size(), [&](std::size_t i) {
    const face& f = faces[i];
    pack(f, blocks[static_cast<std::size_t>(f.from_place)], l, buffer + f.offset);
  });
}

void unpack_faces(const std::vector<face>& faces, std::vector<block>& blocks, const layout& l, const double* buffer) {
  for_each_index(faces.size(), [&](std::size_t i) {
    const face& f = faces[i];
    unpack(f, blocks[static_cast<std::size_t>(f.to_place)], l, buffer + f.offset);
  });
}

void copy_faces(const std::vector<face>& faces, std::vector<block>& blocks, const layout& l) {
  for_each_index(faces.size(), [&](std::size_t i) {
    const face& f = faces[i];
    std::vector<double> buffer(size_of(f, l));
    if (f.from_place >= 0) pack(f, blocks[static_cast<std::size_t>(f.from_place)], l, buffer.data());
    unpack(f, blocks[static_cast<std::size_t>(f.to_place)], l, buffer.data());
  });
}

void sum_blocks(const std::vector<block>& blocks, const layout& l, double scale, std::vector<block_sums>& sums) {
  const auto variables = static_cast<std::size_t>(l.variables);
  sums.resize(blocks.size() * variables);
  for_each_index(sums.size(), [&](std::size_t i) {
    sums[i] = sums_of(blocks[i / variables], static_cast<int>(i % variables), l, scale);
  });
}

}  // namespace amr
