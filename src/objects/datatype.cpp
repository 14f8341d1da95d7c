#include "objects/datatype.hpp"

#include <utility>
#include <vector>

#include "objects/arguments.hpp"

namespace pure::core {

datatype::datatype(layout of, unsigned of_elements, signature_pointer of_what)
    : form(std::make_shared<const layout>(std::move(of))), code(of_elements), signature(std::move(of_what)) {}

pure_datatype datatype::element() const noexcept {
  const auto basic = static_cast<pure_datatype>(code);
  return size_of_type(basic) != 0 ? basic : PURE_DATATYPE_NULL;
}

const datatype& basic_datatype(pure_datatype code) {
  static const auto all = [] {
    std::vector<datatype> made;
    made.reserve(type_forms.size());
    for (const type_form& each : type_forms)
      made.emplace_back(layout(each.bytes, each.alignment), static_cast<unsigned>(made.size()),
                        type_signature::of(static_cast<unsigned>(made.size()), each.bytes));
    return made;
  }();
  return all[static_cast<std::size_t>(code)];
}

placed_message placed_at(const communicator& comm, const call& by, const void* buf, std::int64_t count,
                         const datatype& type) {
  const std::size_t bytes = bytes_of(comm, by, count, type.form->bytes());
  if (bytes > 0 && !(buf == nullptr && type.has_addresses())) require_buffer(comm, by, buf, count);
  void* const base = const_cast<void*>(buf);  // the same for messages that are sent and that are received
  return {base, bytes, type.is_row() ? nullptr : type.form};
}

std::int64_t elements_in(std::int64_t bytes, const datatype& type) noexcept {
  const auto size = static_cast<std::int64_t>(type.form->bytes());
  if (size == 0) return bytes == 0 ? 0 : -1;
  return bytes % size == 0 ? bytes / size : -1;
}

}  // namespace pure::core
