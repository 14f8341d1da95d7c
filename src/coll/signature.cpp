#include "coll/signature.hpp"

#include <fmt/core.h>

namespace pure::core {

namespace {

bool has_root(collective kind) noexcept {
  return kind == collective::bcast || kind == collective::reduce || kind == collective::gather ||
         kind == collective::scatter;
}

/// What all ranks must agree on; the sizes of blocks are compared where they are copied.
std::uint64_t common_bytes(const collective_arguments& what) noexcept {
  switch (what.kind) {
    case collective::bcast: return what.count * what.element_bytes;
    case collective::reduce:
    case collective::allreduce:
    case collective::scan:
    case collective::exscan:
    case collective::reduce_scatter: return bytes_of_vector(what);
    default: return 0;
  }
}

bool differ(std::uint64_t a, std::uint64_t b) noexcept { return a != b && a != 0 && b != 0; }

/// Empty: they agree.
std::string disagreement_of(const signature& a, const signature& b) {
  if (a.is_refused != b.is_refused) return "the call of a rank is refused, so it takes no part";
  if (a.kind != b.kind) return "the ranks have called different collectives";
  if (a.root != b.root) return fmt::format("the ranks have passed different roots, {} and {}", a.root, b.root);
  if (differ(a.type, b.type)) return "the ranks have passed different types";
  if (differ(a.reduction, b.reduction)) return "the ranks have passed different operators or types";
  if (a.bytes != b.bytes) {
    return fmt::format("the ranks have passed different counts or types, {} and {} bytes", a.bytes, b.bytes);
  }
  return {};
}

}  // namespace

signature_exchange::signature_exchange(collective_member& on, const call& by, const collective_arguments& what)
    : compared_calls(on, what),
      own_{.operation = by.operation,
           .where = by.site.where,
           .reduction = what.how.identity,
           .bytes = common_bytes(what),
           .line = by.site.line,
           .root = has_root(what.kind) ? what.root : 0,
           .type = what.type,
           .kind = what.kind} {}

bool signature_exchange::poll() {
  if (!has_posted_) {
    if (!enter()) return false;
    std::memcpy(slot().post.contents, &own_, sizeof own_);
    publish_post(posting::place::here, sizeof own_);
    on_.notify_all();
    has_posted_ = true;
  }
  if (own_.is_refused) return finish();
  while (static_cast<int>(all_.size()) < size()) {
    const int next = static_cast<int>(all_.size());
    const posting* const there = posted(next);
    if (there == nullptr) return false;
    hear(*there);
    all_.push_back(there->as<signature>());
  }
  has_heard_all();
  find_conflict();
  return finish();
}

void compared_calls::find_conflict() {
  for (std::size_t q = 1; q < all_.size() && conflict_.empty(); ++q) {
    const std::string what = disagreement_of(all_.front(), all_[q]);
    if (!what.empty()) conflict_ = fmt::format("{}:\n  {}\n  {}", what, call_of(0), call_of(static_cast<int>(q)));
  }
}

std::string compared_calls::call_of(int rank) const {
  const signature& of = all_[static_cast<std::size_t>(rank)];
  const std::string where = to_text(site_of_call(of.where, of.line));
  return fmt::format("rank {}: {}{}{}{}", rank, of.operation, where.empty() ? "" : " at ", where,
                     of.is_refused ? ", with wrong arguments" : "");
}

bool waits_for_all(const collective_arguments& what) noexcept {
  switch (what.kind) {
    case collective::barrier: return true;
    case collective::allreduce: return bytes_of_vector(what) > 0;
    case collective::allgather: return what.recv_blocks.counts == nullptr && what.recv_blocks.block_bytes > 0;
    default: return false;
  }
}

void lets_know(collective_member& on) noexcept {
  if (message_checks* const checks = on.comm().engine().checks(); checks != nullptr) checks->orders();
}

std::string explain(const operation& step, const compared_calls* calls) {
  if (calls == nullptr) return step.disagreement();
  return fmt::format("{}\n  {}\n  {}", step.disagreement(), calls->call_of(step.rank()),
                     calls->call_of(step.disagrees_with()));
}

}  // namespace pure::core
