// Who sends which face to whom, and the messages; exchange.hpp says how they are bundled.
#include "exchange.hpp"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <tuple>

#include "stencil_loops.hpp"

namespace amr {
namespace {

// Where a fine block lies along the face of its coarse neighbour.
void set_quarter(face& f, const block_id& fine) {
  const int u = f.axis == 0 ? 1 : 0, v = f.axis == 2 ? 1 : 2;
  f.quarter[0] = fine.at[u] & 1;
  f.quarter[1] = fine.at[v] & 1;
}

}  // namespace

// The faces of one side of a block, both ways. The mesh is balanced: behind a face is one block of the same level or of
// the next coarser one, or there are four of the next finer one.
void exchange::find_faces(const mesh& m, const block& b, int place, int axis, int side) {
  axis_plan& plan = axes_[static_cast<std::size_t>(axis)];
  const block_id here = id_of(b.key);
  block_id beyond = here;
  beyond.at[axis] += side == 0 ? -1 : 1;
  face to_here;
  to_here.to = b.key;
  to_here.to_place = place;
  to_here.axis = axis;
  to_here.side = side;
  if (!m.all.is_inside(beyond)) {
    to_here.how = face::kind::wall;
    plan.inside.push_back(to_here);
    return;
  }
  const auto add = [&](int entry, face::kind inward, face::kind outward, const block_id& fine) {
    const leaf& other = m.all.leaves()[static_cast<std::size_t>(entry)];
    face f = to_here;
    f.from = other.key;
    f.how = inward;
    f.other_rank = other.owner;
    if (inward != face::kind::same) set_quarter(f, fine);
    if (other.owner == m.rank) {
      f.from_place = other.place;
      plan.inside.push_back(f);
      return;
    }
    plan.incoming.faces.push_back(f);
    std::swap(f.from, f.to);
    std::swap(f.from_place, f.to_place);
    f.how = outward;
    f.side = 1 - side;
    plan.outgoing.faces.push_back(f);
  };
  if (const int same = m.all.find(beyond); same >= 0) {
    add(same, face::kind::same, face::kind::same, here);
  } else if (const int coarser = m.all.find(parent_of(beyond)); coarser >= 0) {
    add(coarser, face::kind::to_finer, face::kind::to_coarser, here);
  } else {
    for (int octant = 0; octant < 8; ++octant) {
      if ((octant >> axis & 1) == side) continue;  // not at this face
      const block_id fine = child_of(beyond, octant);
      add(m.all.find(fine), face::kind::to_coarser, face::kind::to_finer, fine);
    }
  }
}

// Both ranks of a message sort its faces alike.
void exchange::lay_out(half& h, const layout& l, int together) {
  std::sort(h.faces.begin(), h.faces.end(), [](const face& a, const face& b) {
    return std::tie(a.other_rank, a.to, a.from, a.side) < std::tie(b.other_rank, b.to, b.from, b.side);
  });
  std::size_t offset = 0;
  for (face& f : h.faces) {
    if (h.messages.empty() || h.messages.back().rank != f.other_rank) h.messages.push_back({f.other_rank, offset, 0});
    f.offset = offset;
    offset += size_of(f, l);
    h.messages.back().length += size_of(f, l);
    if (h.messages.back().length * static_cast<std::size_t>(together) > INT_MAX) {
      std::fprintf(
          stderr,
          "amr: the faces between two ranks are more than a message holds: use more ranks or a smaller --group.\n");
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  h.buffer.resize(offset * static_cast<std::size_t>(together));
}

void exchange::plan(const mesh& m, int together) {
  for (int axis = 0; axis < 3; ++axis) {
    axis_plan& plan = axes_[static_cast<std::size_t>(axis)];
    for (half* h : {&plan.outgoing, &plan.incoming}) {
      h->faces.clear();
      h->messages.clear();
    }
    plan.inside.clear();
    for (std::size_t i = 0; i < m.blocks.size(); ++i) {
      for (int side = 0; side < 2; ++side) find_faces(m, m.blocks[i], static_cast<int>(i), axis, side);
    }
    for (half* h : {&plan.outgoing, &plan.incoming}) lay_out(*h, m.form, together);
  }
  if (m.form.points != 7) return;
  // One list of all axes, block by block, so that a block's cells come into the cache once.
  std::vector<face>& all = axes_[0].inside;
  for (std::size_t axis = 1; axis < 3; ++axis) {
    all.insert(all.end(), axes_[axis].inside.begin(), axes_[axis].inside.end());
    axes_[axis].inside.clear();
  }
  std::stable_sort(all.begin(), all.end(), [](const face& a, const face& b) { return a.to_place < b.to_place; });
}

// With 7 points no axis needs the halo of another: all are done at once.
void exchange::run(mesh& m, const group& g) {
  if (m.form.points == 7) return run_axes(m, g, 0, 3);
  for (std::size_t axis = 0; axis < 3; ++axis) run_axes(m, g, axis, axis + 1);
}

void exchange::run_axes(mesh& m, const group& g, std::size_t first, std::size_t last) {
  const auto variables = static_cast<std::size_t>(g.count);
  requests_.clear();
  double start = MPI_Wtime();
  for (std::size_t axis = first; axis < last; ++axis) {
    half& in = axes_[axis].incoming;
    for (const message& one : in.messages) {
      requests_.emplace_back();
      MPI_Irecv(in.buffer.data() + variables * one.offset, static_cast<int>(variables * one.length), MPI_DOUBLE,
                one.rank, static_cast<int>(axis), m.comm, &requests_.back());
    }
  }
  seconds_in_mpi_ += MPI_Wtime() - start;
  for (std::size_t axis = first; axis < last; ++axis) {
    half& out = axes_[axis].outgoing;
    pack_faces(out.faces, m.blocks, m.form, g, out.buffer.data());
    start = MPI_Wtime();
    for (const message& one : out.messages) {
      requests_.emplace_back();
      MPI_Isend(out.buffer.data() + variables * one.offset, static_cast<int>(variables * one.length), MPI_DOUBLE,
                one.rank, static_cast<int>(axis), m.comm, &requests_.back());
      ++messages_;
      bytes_ += static_cast<long long>(variables * one.length * sizeof(double));
    }
    seconds_in_mpi_ += MPI_Wtime() - start;
  }
  for (std::size_t axis = first; axis < last; ++axis) copy_faces(axes_[axis].inside, m.blocks, m.form, g);
  start = MPI_Wtime();
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  seconds_in_mpi_ += MPI_Wtime() - start;
  for (std::size_t axis = first; axis < last; ++axis) {
    const half& in = axes_[axis].incoming;
    unpack_faces(in.faces, m.blocks, m.form, g, in.buffer.data());
  }
}

}  // namespace amr
