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
void exchange::lay_out(half& h, const layout& l) {
  std::sort(h.faces.begin(), h.faces.end(), [](const face& a, const face& b) {
    return std::tie(a.other_rank, a.to, a.from, a.side) < std::tie(b.other_rank, b.to, b.from, b.side);
  });
  std::size_t offset = 0;
  for (face& f : h.faces) {
    if (h.messages.empty() || h.messages.back().rank != f.other_rank) h.messages.push_back({f.other_rank, offset, 0});
    f.offset = offset;
    offset += size_of(f, l);
    h.messages.back().length += size_of(f, l);
    if (h.messages.back().length > INT_MAX) {
      std::fprintf(stderr, "amr: the faces between two ranks are more than a message holds: use more ranks.\n");
      MPI_Abort(MPI_COMM_WORLD, 2);
    }
  }
  h.buffer.resize(offset);
}

void exchange::plan(const mesh& m) {
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
    for (half* h : {&plan.outgoing, &plan.incoming}) lay_out(*h, m.form);
  }
}

void exchange::run(mesh& m) {
  for (axis_plan& plan : axes_) {
    requests_.clear();
    for (const message& in : plan.incoming.messages) {
      requests_.emplace_back();
      MPI_Irecv(plan.incoming.buffer.data() + in.offset, static_cast<int>(in.length), MPI_DOUBLE, in.rank, 1, m.comm,
                &requests_.back());
    }
    pack_faces(plan.outgoing.faces, m.blocks, m.form, plan.outgoing.buffer.data());
    for (const message& out : plan.outgoing.messages) {
      requests_.emplace_back();
      MPI_Isend(plan.outgoing.buffer.data() + out.offset, static_cast<int>(out.length), MPI_DOUBLE, out.rank, 1, m.comm,
                &requests_.back());
      ++messages_;
      bytes_ += static_cast<long long>(out.length * sizeof(double));
    }
    copy_faces(plan.inside, m.blocks, m.form);
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    unpack_faces(plan.incoming.faces, m.blocks, m.form, plan.incoming.buffer.data());
  }
}

}  // namespace amr
