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

collective_call::row_block collective_call::pack_one(const given_block& given, const char* type_name,
                                                     travels which) const {
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

void collective_call::set_listed(block_layout& to, const given_blocks& given, const block_names& names, element_row row,
                                 const element_row* rows) const {
  to.counts = kept(*given.counts);
  to.displs = kept(*given.displs);
  to.element_bytes = row.bytes;
  if (rows != nullptr) {
    to.element_bytes_of = [](const void* all, int r) { return static_cast<const element_row*>(all)[r].bytes; };
    to.types = rows;
  }
  for (int r = 0; r < on_.size(); ++r) {
    const std::size_t bytes = rows == nullptr ? row.bytes : rows[r].bytes;
    check_size(names.counts, r, to.counts[r], bytes);
    if (to.counts[r] <= 0) continue;
    if (rows == nullptr) {
      check_place(names.displs, r, to.displs[r], bytes, to.counts[r]);
    } else {
      check_place(names.displs, r, to.displs[r], 1, to.counts[r] * static_cast<std::int64_t>(bytes));
    }
  }
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

collective_call::row_block collective_call::pack_all(block_layout& to, const given_blocks& given,
                                                     const block_names& names, travels which, int but) const {
  void* const buf = const_cast<void*>(given.buf);
  if (door_.is_in_place(buf)) [[unlikely]]
    throw_wrong_in_place();
  if (given.counts != nullptr) {
    require_numbers(*given.counts, names.counts);
    require_numbers(*given.displs, names.displs);
  }
  if (given.has_types) {
    require(on_, by_, given.types, names.types);
    const element_row* const rows = buf == nullptr ? nullptr : rows_of(given, names.types);
    if (rows == nullptr) return pack(to, given, names, which, but);
    set_listed(to, given, names, {}, rows);
    return {buf, 0, {}};  // nobody asks for this rank's
  }
  const element_row row = row_of(given.type, names.type);
  if (row.bytes == 0) [[unlikely]]
    return pack(to, given, names, which, but);
  if (given.counts == nullptr) {
    set_equal(to, given.count, row);
    return {buf, given.count, row};
  }
  set_listed(to, given, names, row, nullptr);
  return {buf, to.counts[on_.rank()], row};
}

collective_call::row_block collective_call::pack(block_layout& to, const given_blocks& given, const block_names& names,
                                                 travels which, int but) const {
  const auto ranks = static_cast<std::size_t>(on_.size());
  std::vector<placed_message> blocks(ranks);
  std::vector<std::int64_t> counts(ranks), displs(ranks);
  std::size_t bytes = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const int at = given.has_types ? static_cast<int>(r) : -1;
    const std::uint64_t type = given.has_types ? door_.type_at(given.types, at).name : given.type.name;
    const datatype& its = door_.type_of(on_, by_, type, given.has_types ? names.types : names.type, at);
    const std::int64_t count = given.counts == nullptr ? given.count : (*given.counts)[r];
    std::ptrdiff_t offset = 0;
    if (given.has_types) {
      offset = (*given.displs)[r];
    } else if (count > 0) {
      const bool is_equal = given.displs == nullptr;  // one block after the other
      std::int64_t elements = is_equal ? static_cast<std::int64_t>(r) : (*given.displs)[r];
      if (__builtin_mul_overflow(elements, is_equal ? count : 1, &elements) ||
          __builtin_mul_overflow(elements, its.form->extent(), &offset))
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
  if (given.counts == nullptr) {
    set_equal(to, counts[0], {});
    return {row, counts[0], {}};
  }
  to.counts = around_.keep(std::move(counts));
  to.displs = around_.keep(std::move(displs));
  return {row, to.counts[on_.rank()], {}};
}

// ---- reductions -----------------------------------------------------------------------------------------------

void collective_call::set_combined(arguments& to, const void* send_buf, const given_block& result, std::uint64_t op,
                                   bool has_result, std::int64_t received) const {
  const auto type_of = [&]() -> const datatype& {
    return door_.type_of(on_, by_, result.type.name, door_.names.type, -1);
  };
  if (result.type.row.bytes == 0) static_cast<void>(type_of());  // a wrong type is said before a wrong operator
  void* const recv_buf = has_result ? const_cast<void*>(result.buf) : nullptr;
  if (door_.find_reduction(on_, by_, op, result.type, to.how)) [[likely]] {
    set_elements(to, {nullptr, result.count, {to.how.element_bytes, result.type.row.identity}});
    to.send = to_send(send_buf, to.count * to.element_bytes);
    to.recv = to_fill(recv_buf);
    return;
  }
  program_combination how = door_.combination_of(on_, by_, op, result.type);
  const datatype& its = type_of();
  const layout& form = *its.form;
  const bool is_empty = form.bytes() == 0;  // then elements are none
  const bool has_gaps = !its.is_row() && !is_empty;
  how.element_bytes = is_empty ? 1 : form.bytes();
  if (has_gaps) set_places(how, form);
  to.how.combine = program_combination::combine;
  to.how.context = around_.keep(how);
  to.how.element_bytes = how.element_bytes;
  set_elements(to, {nullptr, is_empty ? 0 : result.count, {how.element_bytes, 0}});
  to.send = send_buf;
  to.recv = to_fill(recv_buf);
  if (has_gaps) {
    const auto form_of_row = std::make_shared<const layout>(
        form.resized(form.lower_bound(), static_cast<std::ptrdiff_t>(how.element_bytes)));
    const auto copied = [&](const void* buf, std::int64_t many, bool comes_out) {
      const placed_message where = placed_at(on_, by_, buf, many, its);
      std::byte* const row = around_.make_row(bytes_of(on_, by_, many, how.element_bytes));
      around_.add_laid_out(where, row - how.first_byte, form_of_row, true, comes_out);
      return row;
    };
    const bool is_in_place = door_.is_in_place(send_buf);
    if (!is_in_place) to.send = copied(send_buf, result.count, false);
    // In place the operands are where the result comes, all of them.
    if (has_result) to.recv = copied(recv_buf, is_in_place ? result.count : received, true);
  }
  to.send = to_send(to.send, to.count * to.element_bytes);
}

}  // namespace pure::core
