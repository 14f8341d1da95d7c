#include "api/mpi/pairs.hpp"

#include <memory>
#include <vector>

#include "layout/layout_cursor.hpp"

namespace pure::core::mpi {

MPI_Datatype pair_inside(const datatype& type) noexcept {
  MPI_Datatype all = MPI_DATATYPE_NULL;
  if (type.contents == nullptr) return all;
  for (const constituent_type& each : type.contents->types) {
    const auto given = reinterpret_cast<MPI_Datatype>(each.name);  // NOLINT: a name
    const predefined_type* const known = each.derived == nullptr ? find_predefined(given) : nullptr;
    MPI_Datatype pair = MPI_DATATYPE_NULL;
    if (each.derived != nullptr) {
      pair = pair_inside(*each.derived);
    } else if (known != nullptr && is_pair(known->base)) {
      pair = given;
    }
    if (pair == MPI_DATATYPE_NULL || (all != MPI_DATATYPE_NULL && all != pair)) return MPI_DATATYPE_NULL;
    all = pair;
  }
  return all;
}

layout_pointer whole_pairs(const call& by, std::int64_t count, const datatype& type, MPI_Datatype pair) {
  const std::size_t travelling = type_of(by, pair, "datatype").form->bytes();
  const std::size_t pairs = static_cast<std::size_t>(count) * type.form->bytes() / travelling;
  const layout one(size_of_type(base_of(pair)));
  // Somewhere, far from null: what counts is the distance.
  const auto* const base = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 46);  // NOLINT
  std::vector<layout::part> places;
  places.reserve(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const layout_cursor<const std::byte> there({base, type.form.get()}, i * travelling);
    places.push_back({there.at() - base, &one});
  }
  return std::make_shared<const layout>(layout::joined(places));
}

}  // namespace pure::core::mpi
