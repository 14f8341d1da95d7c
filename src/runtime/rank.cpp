#include "runtime/rank.hpp"

#include "runtime/job.hpp"

namespace pure::core {

rank_context::rank_context(job& owner, int number, int index, const wait_policy& how) noexcept
    : thread_(how, services_, owner.ranks_alive(), owner), owner_(&owner), number_(number), index_(index) {}

}  // namespace pure::core
