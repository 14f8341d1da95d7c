// What one rank has made beside communicators, windows and requests: the objects of an MPI that programs hold by
// handles. All doors see the same ones. Own thread of the rank only.
//
// Handles tell objects of different kinds apart (base/handle_kind.hpp). What is predefined is no object of a rank: each
// door has names of its own for that.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include <pure/detail/failure.hpp>

#include "comm/group.hpp"
#include "objects/attribute_table.hpp"
#include "objects/datatype.hpp"
#include "objects/info_object.hpp"
#include "objects/object_table.hpp"
#include "objects/operator_table.hpp"
#include "objects/process_topology.hpp"
#include "runtime/rank_service.hpp"

namespace pure::core {

struct rank_objects final : rank_service<rank_objects, 8> {
  explicit rank_objects(int rank)
      : types(handle_kind::datatype, rank),
        operators(rank),
        infos(handle_kind::info, rank),
        groups(handle_kind::group, rank) {}
  explicit rank_objects(const rank_context& owner) : rank_objects(owner.number()) {}

  [[nodiscard]] bool advances() const noexcept override { return false; }

  object_table<datatype> types;  // derived ones
  operator_table operators;
  object_table<info_object> infos;
  object_table<group> groups;                                                             // no empty ones
  std::unordered_map<std::uint64_t, std::shared_ptr<const process_topology>> topologies;  // by communicator
  // Keys are numbers of their own for each kind of object: one of another kind is none.
  attribute_table of_windows;
  attribute_table of_communicators{1 << 28};
  attribute_table of_types{1 << 29};

  /// In a rank of pure::run: throws a failure in the program's runtime of C++, whose functions catch it.
  void (*throw_in_program)(detail::failure* made) = nullptr;
};

}  // namespace pure::core
