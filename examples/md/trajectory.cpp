// Frames of extended XYZ.
#include "trajectory.hpp"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <span>
#include <vector>

#include "failure.hpp"
#include "text.hpp"

namespace md {
namespace {

constexpr int atoms_tag = 3;

struct moving_atom {
  std::int64_t id;
  double position[3];
  double velocity[3];
};

std::vector<moving_atom> own_atoms(const atoms& all) {
  std::vector<moving_atom> found(all.owned);
  for (std::size_t i = 0; i < all.owned; ++i) {
    found[i].id = all.id[i];
    for (unsigned axis = 0; axis < 3; ++axis) {
      found[i].position[axis] = all.position[axis][i];
      found[i].velocity[axis] = all.velocity[axis][i];
    }
  }
  return found;
}

}  // namespace

trajectory::trajectory(const std::string& path, messages& job, simulation& s) : path_(path), job_(job), simulation_(s) {
  if (path_.empty()) return;
  constexpr double most = messages::longest_bytes / sizeof(moving_atom);
  if (s.atom_count() > most) throw failure(text("--xyz: %.0f atoms are more than %.0f", s.atom_count(), most));
  if (job_.rank() == 0) file_.reset(std::fopen(path_.c_str(), "w"));
  fail_together(job_.rank() == 0 && file_ == nullptr ? errno : 0, "opened");
}

void trajectory::fail_together(int error, const char* what) {
  job_.broadcast(std::as_writable_bytes(std::span(&error, 1)));
  if (error != 0) throw failure(text("--xyz: %s cannot be %s: %s", path_.c_str(), what, std::strerror(error)));
}

void trajectory::frame(std::int64_t step, double time_fs) {
  if (path_.empty()) return;
  std::vector<moving_atom> all = own_atoms(simulation_.all_atoms());
  if (job_.rank() != 0) {
    // As many as there are come first: a message is as long as its receiver expects at most.
    std::uint64_t count = all.size();
    job_.send(std::as_bytes(std::span(&count, 1)), 0, atoms_tag);
    job_.send(std::as_bytes(std::span(all)), 0, atoms_tag);
    return fail_together(0, "written");
  }
  for (int rank = 1; rank < job_.size(); ++rank) {
    std::uint64_t count = 0;
    job_.recv(std::as_writable_bytes(std::span(&count, 1)), rank, atoms_tag);
    const std::size_t before = all.size();
    all.resize(before + count);
    job_.recv(std::as_writable_bytes(std::span(all).subspan(before)), rank, atoms_tag);
  }
  std::ranges::sort(all, {}, &moving_atom::id);

  std::FILE* const file = file_.get();
  const vec3& box = simulation_.rank_grid().box;
  errno = 0;
  std::fprintf(file, "%zu\n", all.size());
  std::fprintf(file,
               "Lattice=\"%.8f 0 0 0 %.8f 0 0 0 %.8f\" Properties=species:S:1:id:I:1:pos:R:3:velo:R:3 pbc=\"T T T\" "
               "Step=%" PRId64 " Time=%.8g\n",
               box[0], box[1], box[2], step, time_fs);
  for (const moving_atom& each : all) {
    const double* const r = each.position;
    const double* const v = each.velocity;
    std::fprintf(file, "Cu %" PRId64 " %.8f %.8f %.8f %.8f %.8f %.8f\n", each.id, r[0], r[1], r[2], v[0], v[1], v[2]);
  }
  const bool is_written = std::fflush(file) == 0 && std::ferror(file) == 0;
  fail_together(is_written ? 0 : (errno != 0 ? errno : EIO), "written");
}

}  // namespace md
