#include "objects/later_duplicate.hpp"

#include <cstdint>
#include <memory>
#include <utility>

#include "coll/collective.hpp"
#include "comm/adopt.hpp"
#include "comm/communicator_table.hpp"

namespace pure::core {

namespace {

class context_from_root final : public collective_staging {
 public:
  context_from_root(communicator& from, std::function<void(communicator&)> take)
      : from_(from), numbers_(from.shared().members()), take_(std::move(take)) {}

  [[nodiscard]] collective_arguments arguments() noexcept {
    collective_arguments what;
    what.kind = collective::bcast;
    what.recv = &first_context_;
    what.count = 1;
    what.element_bytes = sizeof first_context_;
    return what;
  }

  void before() noexcept override {
    if (from_.rank() == 0) first_context_ = registry().make(numbers_).context(traffic::user);
  }
  void after() noexcept override {
    communicator_group& shared = registry().make_or_find(first_context_, numbers_);
    take_(communicator_table::of(from_.owner()).adopt(shared, from_.rank(), name_after(from_, "dup")));
  }

 private:
  [[nodiscard]] communicator_registry& registry() const noexcept {
    return communicator_table::of(from_.owner()).registry();
  }

  communicator& from_;
  const std::vector<int> numbers_;
  const std::function<void(communicator&)> take_;
  std::uint32_t first_context_ = 0;
};

}  // namespace

handle start_duplicate(communicator& from, const call& by, std::function<void(communicator&)> take) {
  auto made = std::make_unique<context_from_root>(from, std::move(take));
  const collective_arguments what = made->arguments();
  return start_collective(from, by, what, std::move(made));
}

}  // namespace pure::core
