// What is done with each block, or each face.
#include "stencil_loops.hpp"

#include <memory>

#include "loops.hpp"

namespace amr {
namespace {

template <typename number>
number* at(const face& f, const group& g, number* buffer) {
  return buffer + f.offset * static_cast<std::size_t>(g.count);
}

}  // namespace

void sweep_blocks(std::vector<block>& blocks, const layout& l, const group& g, int times_if_touched) {
  const auto variables = static_cast<std::size_t>(g.count);
  for_each_index(blocks.size() * variables, [&](std::size_t i) {
    block& b = blocks[i / variables];
    sweep(b, g.first + static_cast<int>(i % variables), l, b.touched ? times_if_touched : 1);
  });
}

void pack_faces(const std::vector<face>& faces, const std::vector<block>& blocks, const layout& l, const group& g,
                double* buffer) {
  for_each_index(faces.size(), [&](std::size_t i) {
    const face& f = faces[i];
    pack(f, blocks[static_cast<std::size_t>(f.from_place)], l, g, at(f, g, buffer));
  });
}

void unpack_faces(const std::vector<face>& faces, std::vector<block>& blocks, const layout& l, const group& g,
                  const double* buffer) {
  for_each_index(faces.size(), [&](std::size_t i) {
    const face& f = faces[i];
    unpack(f, blocks[static_cast<std::size_t>(f.to_place)], l, g, at(f, g, buffer));
  });
}

void copy_faces(const std::vector<face>& faces, std::vector<block>& blocks, const layout& l, const group& g) {
  for_each_index(faces.size(), [&](std::size_t i) {
    const face& f = faces[i];
    const std::unique_ptr<double[]> buffer(
        new double[size_of(f, l) * static_cast<std::size_t>(g.count)]);  // not set to zero, as a vector would be
    if (f.from_place >= 0) pack(f, blocks[static_cast<std::size_t>(f.from_place)], l, g, buffer.get());
    unpack(f, blocks[static_cast<std::size_t>(f.to_place)], l, g, buffer.get());
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
