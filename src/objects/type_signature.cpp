#include "objects/type_signature.hpp"

namespace pure::core {

signature_pointer type_signature::of(unsigned kind, std::size_t bytes) {
  auto made = std::make_shared<type_signature>();
  made->append({1, nullptr, kind, bytes, 1});
  return made;
}

signature_pointer type_signature::joined(std::span<const part> parts) {
  auto made = std::make_shared<type_signature>();
  for (const part& each : parts) made->append(each.count, each.what);
  return made;
}

signature_pointer type_signature::repeated(std::uint64_t count, const signature_pointer& what) {
  if (count == 1) return what;
  const part all[] = {{count, what}};
  return joined(all);
}

void type_signature::append(std::uint64_t count, const signature_pointer& what) {
  if (count == 0 || what->elements_ == 0) return;
  if (count == 1) {
    for (const run& each : what->runs_) append(each);
  } else if (what->runs_.size() == 1) {
    run more = what->runs_.front();
    more.count *= count;
    append(more);
  } else {
    append({count, what, 0, what->bytes_, what->elements_});
  }
}

void type_signature::append(const run& more) {
  bytes_ += more.count * more.bytes;
  elements_ += more.count * more.elements;
  if (!runs_.empty() && more.nested == runs_.back().nested && more.kind == runs_.back().kind &&
      more.bytes == runs_.back().bytes) {
    runs_.back().count += more.count;
  } else {
    runs_.push_back(more);
  }
}

std::int64_t type_signature::elements_in(std::size_t bytes) const noexcept {
  if (bytes == 0) return 0;
  if (bytes_ == 0) return -1;
  std::uint64_t found = bytes / bytes_ * elements_;
  bytes %= bytes_;
  for (const run& each : runs_) {
    if (bytes == 0) break;
    const std::size_t whole = each.count * each.bytes;
    if (bytes >= whole) {
      found += each.count * each.elements;
      bytes -= whole;
      continue;
    }
    const std::int64_t inside = each.nested != nullptr    ? each.nested->elements_in(bytes)
                                : bytes % each.bytes == 0 ? static_cast<std::int64_t>(bytes / each.bytes)
                                                          : -1;
    return inside < 0 ? -1 : static_cast<std::int64_t>(found) + inside;
  }
  return static_cast<std::int64_t>(found);
}

std::int64_t type_signature::bytes_of(std::uint64_t elements) const noexcept {
  if (elements == 0) return 0;
  if (elements_ == 0) return -1;
  std::size_t bytes = elements / elements_ * bytes_;
  elements %= elements_;
  for (const run& each : runs_) {
    if (elements == 0) break;
    const std::uint64_t whole = each.count * each.elements;
    if (elements >= whole) {
      bytes += each.count * each.bytes;
      elements -= whole;
      continue;
    }
    bytes += each.nested != nullptr ? static_cast<std::size_t>(each.nested->bytes_of(elements)) : elements * each.bytes;
    break;
  }
  return static_cast<std::int64_t>(bytes);
}

}  // namespace pure::core
