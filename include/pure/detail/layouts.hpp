// The functions of libpure behind pure::layout. Not for programs.
#pragma once

#include <cstddef>
#include <utility>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/detail/transfer.hpp>
#include <pure/export.hpp>

namespace pure::detail {

struct layout_part {
  std::ptrdiff_t offset;
  const core::shared_layout* what;
};

extern "C" {
// One use of what is made is the caller's.
PURE_API failure* pure_cxx_row_layout(pure_call_site site, std::size_t bytes, core::shared_layout** made);
PURE_API failure* pure_cxx_repeated_layout(pure_call_site site, const core::shared_layout* what, std::size_t count,
                                           std::ptrdiff_t stride, core::shared_layout** made);
PURE_API failure* pure_cxx_joined_layout(pure_call_site site, const layout_part* parts, std::size_t count,
                                         core::shared_layout** made);
PURE_API void pure_cxx_retain_layout(core::shared_layout* form) noexcept;
PURE_API void pure_cxx_release_layout(core::shared_layout* form) noexcept;
PURE_API std::size_t pure_cxx_bytes_of(const core::shared_layout* form) noexcept;
PURE_API failure* pure_cxx_require_inside(pure_call_site site, const core::shared_layout* form,
                                          std::size_t element_bytes, std::size_t elements);
}

/// Shares a layout of the library's with others.
class layout_pointer {
 public:
  layout_pointer() noexcept = default;
  /// Takes over one use.
  explicit layout_pointer(core::shared_layout* made) noexcept : form_(made) {}
  layout_pointer(const layout_pointer& other) noexcept : form_(other.form_) {
    if (form_ != nullptr) pure_cxx_retain_layout(form_);
  }
  layout_pointer(layout_pointer&& from) noexcept : form_(std::exchange(from.form_, nullptr)) {}
  layout_pointer& operator=(layout_pointer from) noexcept {
    std::swap(form_, from.form_);
    return *this;
  }
  ~layout_pointer() {
    if (form_ != nullptr) pure_cxx_release_layout(form_);
  }

  [[nodiscard]] const core::shared_layout* get() const noexcept { return form_; }

 private:
  core::shared_layout* form_ = nullptr;
};

/// In bytes. Errors: argument, for sizes that no memory has.
inline layout_pointer row_layout(pure_call_site site, std::size_t bytes) {
  core::shared_layout* made = nullptr;
  check(pure_cxx_row_layout(site, bytes, &made));
  return layout_pointer(made);
}
inline layout_pointer repeated_layout(pure_call_site site, const layout_pointer& what, std::size_t count,
                                      std::ptrdiff_t stride) {
  core::shared_layout* made = nullptr;
  check(pure_cxx_repeated_layout(site, what.get(), count, stride, &made));
  return layout_pointer(made);
}
inline layout_pointer joined_layout(pure_call_site site, const layout_part* parts, std::size_t count) {
  core::shared_layout* made = nullptr;
  check(pure_cxx_joined_layout(site, parts, count, &made));
  return layout_pointer(made);
}
inline std::size_t bytes_of(const layout_pointer& form) noexcept { return pure_cxx_bytes_of(form.get()); }
/// Errors: argument, if a byte of it lies outside.
inline void require_inside(pure_call_site site, const layout_pointer& form, std::size_t element_bytes,
                           std::size_t elements) {
  check(pure_cxx_require_inside(site, form.get(), element_bytes, elements));
}

}  // namespace pure::detail
