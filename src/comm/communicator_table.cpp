#include "comm/communicator_table.hpp"

#include <algorithm>
#include <utility>

#include "runtime/job.hpp"

namespace pure::core {

namespace {

std::shared_ptr<communicator_registry> registry_for(const rank_context& owner, const rank_context& first,
                                                    const std::shared_ptr<communicator_registry>* of_first) {
  if (&owner == &first) return std::make_shared<communicator_registry>(owner.owner().size(), owner.owner().others());
  return *of_first;
}

}  // namespace

communicator_table::communicator_table(rank_context& owner)
    : owner_(owner),
      registry_(registry_for(owner, owner.owner().worker(0),
                             owner.index() == 0 ? nullptr : &of(owner.owner().worker(0)).registry_)),
      self_group_(nullptr, communicator_registry::self_context, {owner.number()}),
      world_(owner, registry_->world(), owner.number(), "world", world_handle),
      self_(owner, self_group_, 0, "self", self_handle),
      made_(handle_kind::communicator, owner.number()) {}

communicator* communicator_table::find_made(std::uint64_t name) noexcept {
  const core::handle key{name};
  if (key.kind() != handle_kind::communicator || key.rank() != static_cast<std::uint32_t>(owner_.number()))
    return nullptr;
  const std::unique_ptr<communicator>* const entry = made_.find(key);
  return entry == nullptr ? nullptr : entry->get();
}

communicator& communicator_table::adopt(communicator_group& shared, int rank, std::string name) {
  let_go_of_messages();
  const auto made = made_.make();
  made.entry = std::make_unique<communicator>(owner_, shared, rank, std::move(name), made.name.value);
  return *made.entry;
}

void communicator_table::free(communicator& unused) {
  let_go_of_messages();
  const core::handle key{unused.handle()};
  const std::vector<std::uint32_t> needed = requests::of(owner_).contexts();
  if (std::find(needed.begin(), needed.end(), unused.context()) != needed.end()) {
    with_messages_.push_back(&unused);
    unused.hold();
  }
  freed_.push_back(std::move(*made_.find(key)));
  made_.free(key);
  unused.free();
  // Two at a time: those that were in use for long go, too.
  for (int looks = 0; looks < 2 && freed_.size() > shells_kept; ++looks) {
    std::unique_ptr<communicator> oldest = std::move(freed_.front());
    freed_.pop_front();
    if (oldest->is_in_use()) freed_.push_back(std::move(oldest));
  }
}

void communicator_table::let_go_of_messages() {
  if (with_messages_.empty()) return;
  std::vector<std::uint32_t> needed = requests::of(owner_).contexts();
  std::sort(needed.begin(), needed.end());
  std::erase_if(with_messages_, [&](communicator* each) {
    if (std::binary_search(needed.begin(), needed.end(), each->context())) return false;
    each->let_go();
    return true;
  });
}

}  // namespace pure::core
