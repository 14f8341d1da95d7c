// The buffers of a collective: from what a program gives to rows of bytes (objects/collective_call.hpp).
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "comm/point_to_point.hpp"
#include "objects/arguments.hpp"
#include "objects/collective_call.hpp"

namespace pure::core {

namespace {

/// A row of no bytes: elements do not follow one another in a row of bytes.
element_row row_of_elements(const datatype& type) noexcept {
  if (!type.is_row()) return {0, 0};
  return {type.form->bytes(), static_cast<std::uint32_t>(type.element())};
}

/// Where the core has elements with gaps, for a program's function:
///
///     the program's   |aa..aa...|bb..bb...|     the core's, each to the next one's first byte:  aa..aa...bb..bb...
///
/// Elements that lie inside each other, or follow one another backwards, the core has apart. Each is aligned as the
/// program's is.
void set_places(program_combination& how, const layout& form) noexcept {
  constexpr std::ptrdiff_t unit = alignof(std::max_align_t);
  const std::ptrdiff_t first = form.true_lower_bound();
  how.first_byte = first - (first % unit + unit) % unit;
  const std::ptrdiff_t room = form.true_upper_bound() - how.first_byte;
  how.is_one_by_one = form.extent() < room;
  how.element_bytes = static_cast<std::size_t>(how.is_one_by_one ? (room + unit - 1) / unit * unit : form.extent());
}

/// Displacements of 64 bits may be addresses, for the buffer at null (MPI 5.0, 6.8): no object lies below 4096.
bool is_address(const given_blocks& of, std::ptrdiff_t displ) noexcept {
  return of.has_types && of.displs->is_wide() && displ >= 4096;
}

}  // namespace

// ---- checks ---------------------------------------------------------------------------------------------------

const void* non_null_data(const communicator& on, const call& by, const void* buf, std::size_t bytes) {
  alignas(64) static const std::byte nothing[64]{};  // never read
  if (buf != nullptr) [[likely]]
    return buf;
  if (bytes == 0) return nothing;
  throw_bad_argument(on, by, errc::buffer, fmt::format("the send buffer is null, but has {} bytes of data", bytes));
}

/// Null if `buf` is in place, and then only.
const void* collective_call::to_send(const void* buf, std::size_t bytes) const {
  return door_.is_in_place(buf) ? nullptr : non_null_data(on_, by_, buf, bytes);
}

void* collective_call::to_fill(void* buf) const {
  if (!door_.is_in_place(buf)) [[likely]]
    return buf;
  throw_wrong_in_place();
}

void collective_call::throw_wrong_in_place() const {
  throw_bad_argument(
      on_, by_, errc::buffer,
      fmt::format("{} stands for the send buffer (at the root of a scatter, for the receive buffer), not "
                  "for this one",
                  door_.names.in_place));
}

/// For the buffer that may be in place at the root. (A root that is out of range is the core's to refuse.)
void collective_call::refuse_in_place(const void* buf, int root) const {
  if (!door_.is_in_place(buf) || is_root(root)) [[likely]]
    return;
  if (static_cast<unsigned>(root) >= static_cast<unsigned>(on_.size())) return;
  throw_bad_argument(on_, by_, errc::buffer,
                     fmt::format("{} is for the root only, which is rank {}", door_.names.in_place, root));
}

void collective_call::require_numbers(const number_array& numbers, const char* name) const {
  require(on_, by_, numbers.is_null() ? nullptr : &numbers, name);
}

void collective_call::check_size(const char* name, int rank, std::int64_t count, std::size_t element_bytes) const {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (count >= 0 && static_cast<std::size_t>(count) <= most / element_bytes) [[likely]]
    return;
  throw_bad_argument(on_, by_, errc::count,
                     fmt::format("{}[{}] is {}: {}", name, rank, count, count < 0 ? "negative" : "too many elements"));
}

/// The bytes from the buffer's begin to the ends of a block of `units` are a number. (An empty block is nowhere.)
void collective_call::check_place(const char* name, int rank, std::int64_t displ, std::size_t unit_bytes,
                                  std::int64_t units) const {
  const auto unit = static_cast<std::ptrdiff_t>(unit_bytes);
  std::ptrdiff_t begin = 0, end = 0;
  if (!__builtin_mul_overflow(displ, unit, &begin) && !__builtin_add_overflow(begin, units * unit, &end)) [[likely]]
    return;
  throw_bad_argument(on_, by_, errc::argument, fmt::format("{}[{}] is {}: too far from the buffer", name, rank, displ));
}

// ---- elements -------------------------------------------------------------------------------------------------

/// A row of no bytes: elements have gaps, or no bytes.
element_row collective_call::row_of(const given_type& type, const char* name, int at) const {
  if (type.row.bytes != 0) [[likely]]
    return type.row;
  return row_of_elements(door_.type_of(on_, by_, type.name, name, at));
}

collective_call::row_block collective_call::one(const given_block& given, const char* type_name, travels which) const {
  const element_row row = row_of(given.type, type_name);
  if (row.bytes != 0) [[likely]]
    return {const_cast<void*>(given.buf), given.count, row};
  const datatype& its = door_.type_of(on_, by_, given.type.name, type_name, -1);
  const placed_message where = placed_at(on_, by_, given.buf, given.count, its);
  std::byte* const packed = around_.make_row(where.bytes);
  around_.add(where, packed, which != travels::out, which != travels::in);
  return {packed, static_cast<std::int64_t>(where.bytes), {}};
}

/// As the core takes them: 64-bit, and as long as the collective takes.
const std::int64_t* collective_call::kept(const number_array& numbers) const {
  if (numbers.is_wide() && !around_.lasts()) return numbers.wide();
  std::vector<std::int64_t> all(static_cast<std::size_t>(on_.size()));
  for (std::size_t r = 0; r < all.size(); ++r) all[r] = numbers[r];
  return around_.keep(std::move(all));
}

// ---- blocks ---------------------------------------------------------------------------------------------------

block_layout collective_call::equal_blocks(std::int64_t count, element_row row) const {
  const std::size_t bytes = bytes_of(on_, by_, count, row.bytes);
  std::ptrdiff_t of_all = 0;
  if (__builtin_mul_overflow(static_cast<std::ptrdiff_t>(bytes), on_.size(), &of_all)) [[unlikely]]
    throw_bad_count(on_, by_, count, row.bytes);
  return {.block_bytes = bytes, .element_bytes = row.bytes};
}

/// `rows`: of each rank, whose displacements are in bytes; null: all are `row`.
block_layout collective_call::listed_blocks(const given_blocks& given, const block_names& names, const element_row& row,
                                            const element_row* rows) const {
  const std::int64_t* const counts = kept(*given.counts);
  const std::int64_t* const displs = kept(*given.displs);
  for (int r = 0; r < on_.size(); ++r) {
    const std::size_t bytes = rows == nullptr ? row.bytes : rows[r].bytes;
    check_size(names.counts, r, counts[r], bytes);
    if (counts[r] <= 0) continue;
    if (rows == nullptr) {
      check_place(names.displs, r, displs[r], bytes, counts[r]);
    } else {
      check_place(names.displs, r, displs[r], 1, counts[r] * static_cast<std::int64_t>(bytes));
    }
  }
  if (rows == nullptr) return {.counts = counts, .displs = displs, .element_bytes = row.bytes};
  const auto bytes_of_one = [](const void* all, int rank) { return static_cast<const element_row*>(all)[rank].bytes; };
  return {.counts = counts, .displs = displs, .element_bytes_of = bytes_of_one, .types = rows};
}

/// Null: not all elements lie in rows.
const element_row* collective_call::rows_of(const given_blocks& given, const char* name) const {
  std::vector<element_row> all(static_cast<std::size_t>(on_.size()));
  for (int r = 0; r < on_.size(); ++r) {
    element_row& row = all[static_cast<std::size_t>(r)];
    row = row_of(door_.type_at(given.types, r), name, r);
    if (row.bytes == 0) return nullptr;
  }
  return around_.keep(std::move(all));
}

collective_call::row_blocks collective_call::all(const given_blocks& given, const block_names& names, travels which,
                                                 int but) const {
  void* const buf = const_cast<void*>(given.buf);
  if (door_.is_in_place(buf)) throw_wrong_in_place();
  if (given.counts == nullptr) {
    const element_row row = row_of(given.type, names.type);
    if (row.bytes != 0) [[likely]]
      return {buf, given.count, equal_blocks(given.count, row), row.identity};
    return packed(given, names, which, but);
  }
  require_numbers(*given.counts, names.counts);
  require_numbers(*given.displs, names.displs);
  if (!given.has_types) {
    const element_row row = row_of(given.type, names.type);
    if (row.bytes != 0) [[likely]]
      return {buf, 0, listed_blocks(given, names, row, nullptr), row.identity};
    return packed(given, names, which, but);
  }
  require(on_, by_, given.types, names.type);
  if (const element_row* const rows = buf == nullptr ? nullptr : rows_of(given, names.type); rows != nullptr)
    return {buf, 0, listed_blocks(given, names, {}, rows), 0};
  return packed(given, names, which, but);
}

collective_call::row_blocks collective_call::packed(const given_blocks& given, const block_names& names, travels which,
                                                    int but) const {
  const auto ranks = static_cast<std::size_t>(on_.size());
  std::vector<placed_message> blocks(ranks);
  std::vector<std::int64_t> counts(ranks), displs(ranks);
  std::size_t bytes = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const int at = given.has_types ? static_cast<int>(r) : -1;
    const std::uint64_t type = given.has_types ? door_.type_at(given.types, at).name : given.type.name;
    const datatype& its = door_.type_of(on_, by_, type, names.type, at);
    const std::int64_t count = given.counts == nullptr ? given.count : (*given.counts)[r];
    std::ptrdiff_t offset = 0;
    if (given.has_types) {
      offset = (*given.displs)[r];
    } else if (count > 0) {
      std::int64_t elements = 0;
      const bool is_too_far = given.displs == nullptr
                                  ? __builtin_mul_overflow(static_cast<std::int64_t>(r), given.count, &elements)
                                  : (elements = (*given.displs)[r], false);
      if (is_too_far || __builtin_mul_overflow(elements, its.form->extent(), &offset))
        throw_bad_argument(on_, by_, errc::argument, "a block is too far from the buffer");
    }
    void* const first = moved_address(given.buf, offset);
    blocks[r] = placed_at(on_, by_, is_address(given, offset) ? first : given.buf, count, its);
    blocks[r].base = first;
    counts[r] = static_cast<std::int64_t>(blocks[r].bytes);
    displs[r] = static_cast<std::int64_t>(bytes);
    if (__builtin_add_overflow(bytes, blocks[r].bytes, &bytes)) throw_bad_count(on_, by_, count, its.form->bytes());
  }
  std::byte* const row = around_.make_row(bytes);
  for (std::size_t r = 0; r < ranks; ++r) {
    if (static_cast<int>(r) == but) continue;
    around_.add(blocks[r], row + displs[r], which != travels::out, which != travels::in);
  }
  if (given.counts == nullptr) return {row, counts[0], equal_blocks(counts[0], {}), 0};
  return {row, 0, {.counts = around_.keep(std::move(counts)), .displs = around_.keep(std::move(displs))}, 0};
}

// ---- reductions -----------------------------------------------------------------------------------------------

/// `received`: how many elements come to the result's buffer, which has a result or is not looked at.
collective_call::vectors collective_call::combined(const void* send_buf, const given_block& result, std::uint64_t op,
                                                   bool has_result, std::int64_t received) const {
  const auto type_of = [&]() -> const datatype& {
    return door_.type_of(on_, by_, result.type.name, door_.names.type, -1);
  };
  if (result.type.row.bytes == 0) static_cast<void>(type_of());  // a wrong type is said before a wrong operator
  vectors made{send_buf, const_cast<void*>(result.buf), result.count, received, {}, {}};
  program_combination how;
  if (door_.find_reduction(on_, by_, op, result.type, made.how, how)) [[likely]] {
    made.row = {made.how.element_bytes, result.type.row.identity};
    return made;
  }
  const datatype& its = type_of();
  const layout& form = *its.form;
  how.element_bytes = form.bytes();
  if (form.bytes() == 0) made.count = made.received = 0, how.element_bytes = 1;
  const bool has_gaps = !its.is_row() && form.bytes() > 0;
  if (has_gaps) set_places(how, form);
  const program_combination* const lasting = around_.keep(how);
  made.how.combine = program_combination::combine;
  made.how.context = lasting;
  made.how.element_bytes = how.element_bytes;
  made.row = {how.element_bytes, 0};
  if (!has_gaps) return made;
  const auto form_of_row = std::make_shared<const layout>(
      form.resized(form.lower_bound(), static_cast<std::ptrdiff_t>(how.element_bytes)));
  const auto copied = [&](const void* buf, std::int64_t many, bool goes_in, bool comes_out) {
    const placed_message where = placed_at(on_, by_, buf, many, its);
    std::byte* const row = around_.make_row(bytes_of(on_, by_, many, how.element_bytes));
    around_.add_laid_out(where, row - how.first_byte, form_of_row, goes_in, comes_out);
    return row;
  };
  const bool is_in_place = door_.is_in_place(send_buf);
  if (!is_in_place) made.send = copied(send_buf, result.count, true, false);
  // In place the operands are where the result comes, all of them.
  if (has_result && !door_.is_in_place(made.recv))
    made.recv = copied(made.recv, is_in_place ? result.count : received, true, true);
  return made;
}

}  // namespace pure::core
