// Modelled by tests/model/dropbox.pml.
#include "coll/collective_member.hpp"

#include "coll/algorithm_table.hpp"

namespace pure::core {

namespace {

std::array<algorithm_choice, detail::collective_kinds> choices_for(const communicator& on, bool shared_cores) {
  const tuning& table = algorithm_table::of(on.owner()).table();
  std::array<algorithm_choice, detail::collective_kinds> all;
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    all[kind] = table.choose(static_cast<detail::collective>(kind), on.size(), shared_cores);
  }
  return all;
}

std::size_t most_copied(const std::array<algorithm_choice, detail::collective_kinds>& all) {
  std::size_t most = 0;
  for (const algorithm_choice& each : all) most = std::max(most, each.copied_bytes);
  return most;
}

}  // namespace

std::unique_ptr<upper_part> collective_member::make(communicator& on) {
  return std::unique_ptr<upper_part>(new collective_member(on));
}

collective_member::collective_member(communicator& on)
    : comm_(on),
      areas_(collective_areas::of(on)),
      area_(areas_.in_order()),
      rank_(on.rank()),
      size_(on.size()),
      sums_exactly_(on.owner().owner().values().reproducible_sums),
      checks_(on.owner().owner().values().check),
      choices_(choices_for(on, area_.shares_cores())),
      own_over_(areas_.parts() == nullptr ? nullptr : std::make_unique<const spread>(on, *areas_.parts())),
      over_(own_over_.get()),
      own_(area_.make_box(rank_, most_copied(choices_))),
      between_(on, numbers_between::in_order) {}

collective_member::collective_member(const collective_member& ordinary, std::uint64_t number, std::size_t copied_bytes)
    : comm_(ordinary.comm_),
      areas_(ordinary.areas_),
      area_(areas_.join(comm_, number)),
      rank_(ordinary.rank_),
      size_(ordinary.size_),
      sums_exactly_(ordinary.sums_exactly_),
      checks_(ordinary.checks_),
      choices_(ordinary.choices_),
      over_(ordinary.over_),
      // What is copied here, the choices for these ranks say: fewer ranks may copy more.
      here_(over_ == nullptr ? nullptr
                             : new collective_member(of(*over_->here), number, most_copied(of(*over_->here).choices_))),
      own_(area_.make_box(rank_, copied_bytes)),
      between_(comm_, number) {}

collective_member::~collective_member() = default;

void collective_member::leave() noexcept {
  if (here_ != nullptr) here_->leave();
  areas_.leave(between_.persistent_number());
}

/// Off the usual path: the drops have not told that every rank is far enough.
bool collective_member::look_for_room(std::uint64_t sequence) noexcept {
  std::uint64_t least = finished_.count();
  slowest_ = rank_;
  for (int q = 0; q < size_; ++q) {
    if (q == rank_) continue;
    const dropbox* const box = area_.box_of(q);
    // acquire: that rank has read what it needed of this rank's slots; pairs with the release in finish()
    const std::uint64_t count = box == nullptr ? 0 : box->finished.load(std::memory_order_acquire);
    if (count >= least) continue;
    least = count;
    slowest_ = q;
  }
  all_have_finished(least);
  return sequence <= all_finished_ + dropbox::slots;
}

}  // namespace pure::core
