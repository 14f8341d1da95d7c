#include "api/c/types.hpp"

#include <array>

#include "api/c/buffers.hpp"
#include "api/c/door.hpp"

namespace pure::core {

namespace {

constexpr std::array type_names{"PURE_DATATYPE_NULL",
                                "PURE_BYTE",
                                "PURE_CHAR",
                                "PURE_SIGNED_CHAR",
                                "PURE_UNSIGNED_CHAR",
                                "PURE_WCHAR",
                                "PURE_SHORT",
                                "PURE_UNSIGNED_SHORT",
                                "PURE_INT",
                                "PURE_UNSIGNED",
                                "PURE_LONG",
                                "PURE_UNSIGNED_LONG",
                                "PURE_LONG_LONG",
                                "PURE_UNSIGNED_LONG_LONG",
                                "PURE_FLOAT",
                                "PURE_DOUBLE",
                                "PURE_LONG_DOUBLE",
                                "PURE_BOOL",
                                "PURE_INT8_T",
                                "PURE_INT16_T",
                                "PURE_INT32_T",
                                "PURE_INT64_T",
                                "PURE_UINT8_T",
                                "PURE_UINT16_T",
                                "PURE_UINT32_T",
                                "PURE_UINT64_T",
                                "PURE_COMPLEX_FLOAT",
                                "PURE_COMPLEX_DOUBLE",
                                "PURE_SIZE_T",
                                "PURE_FLOAT_INT",
                                "PURE_DOUBLE_INT",
                                "PURE_LONG_INT",
                                "PURE_2INT",
                                "PURE_SHORT_INT",
                                "PURE_LONG_DOUBLE_INT"};
static_assert(type_names.size() == PURE_LONG_DOUBLE_INT + 1);

}  // namespace

const char* type_name(pure_datatype type) noexcept { return type_names[static_cast<std::size_t>(type)]; }

const datatype* find_datatype(const rank_context& rank, pure_datatype type) {
  static const datatype packed(layout(1), 0, type_signature::of(PURE_BYTE, 1));
  if (size_of_type(type) != 0) return &basic_datatype(type);
  return type == PURE_PACKED ? &packed : rank_objects::of(rank).types.find(type);
}

const datatype& datatype_of(const communicator& comm, const call& by, pure_datatype type) {
  const datatype* const found = find_datatype(comm.owner(), type);
  if (found == nullptr) throw_bad_type(comm, by, type);
  return *found;
}

unsigned code_of_derived(pure_datatype type) noexcept {
  rank_context* const rank = self();
  const datatype* const derived = rank == nullptr ? nullptr : rank_objects::of(*rank).types.find(type);
  return derived == nullptr ? 0 : derived->code;
}

placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                         pure_datatype type) {
  if (may_be_derived(type)) return placed_at(comm, by, buf, count, datatype_of(comm, by, type));
  return {const_cast<void*>(buf), bytes_at(comm, by, buf, count, type), {}};
}

}  // namespace pure::core
