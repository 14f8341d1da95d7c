// The loops behind the operators, by family of types. Only operators*.cpp and their test include this.
//
// One loop serves out == left, out == right and out apart from both: element i depends on elements i only. It is
// compiled for the build's instruction set and for AVX2, and chosen at run time. No ifunc (target_clones): its
// resolvers run before the sanitizers are ready.
//
// Measured with 8 KB in L1, ns an element, SSE2 / AVX2 / AVX-512. Arrays aligned to 64 bytes: sum of doubles 0.34 /
// 0.16 / 0.10, sum of ints 0.25 / 0.09 / 0.06. Aligned to 16: sum 0.26 / 0.26, minimum 0.50
// / 0.31, sum of ints 0.25 / 0.11. In L2, AVX-512 gains nothing over AVX2, and it costs clock rate: it is not used.
#pragma once

#include <cstddef>

#include <pure/datatypes.h>
#include <pure/detail/collectives.hpp>

namespace pure::core {

using kernel = detail::reduction::function;

enum class instruction_set { baseline, avx2 };

/// The best of this machine.
inline instruction_set best_instruction_set() noexcept {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return instruction_set::avx2;
#endif
  return instruction_set::baseline;
}

/// Null if op is not defined for type. find_reduction asks for the best instruction set.
kernel find_kernel(pure_op op, pure_datatype type, instruction_set use) noexcept;

// The parts of find_kernel(), one for each family of types. `bytes` is the size of an element.
kernel integer_kernel(pure_op op, std::size_t bytes, bool is_signed, instruction_set use) noexcept;
kernel boolean_kernel(pure_op op, instruction_set use) noexcept;
kernel byte_kernel(pure_op op, instruction_set use) noexcept;
kernel floating_kernel(pure_op op, pure_datatype type, instruction_set use) noexcept;  // also complex
kernel pair_kernel(pure_op op, pure_datatype type) noexcept;

// T stands for any type with its representation, as uint64_t for long long: hence may_alias.
template <class T, class Op, std::size_t Parts>
[[gnu::always_inline]] inline void combine_values(const void* left, const void* right, void* out, std::size_t count) {
  using value [[gnu::may_alias]] = T;
  const auto* const l = static_cast<const value*>(left);
  const auto* const r = static_cast<const value*>(right);
  auto* const o = static_cast<value*>(out);
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::size_t i = 0; i < Parts * count; ++i) o[i] = Op{}(l[i], r[i]);
}

template <class T, class Op, std::size_t Parts>
void combine(const void*, const void* left, const void* right, void* out, std::size_t count) {
  combine_values<T, Op, Parts>(left, right, out, count);
}

#ifdef __x86_64__
template <class T, class Op, std::size_t Parts>
[[gnu::target("avx2")]] void combine_avx2(const void*, const void* left, const void* right, void* out,
                                          std::size_t count) {
  combine_values<T, Op, Parts>(left, right, out, count);
}
#endif

/// The loop for what does not vectorize.
template <class T, class Op>
void combine_scalars(const void*, const void* left, const void* right, void* out, std::size_t count) {
  const auto* const l = static_cast<const T*>(left);
  const auto* const r = static_cast<const T*>(right);
  auto* const o = static_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i) o[i] = Op{}(l[i], r[i]);
}

/// The loop over elements that are `Parts` values of type T each, every value for itself.
template <class T, class Op, std::size_t Parts = 1>
kernel vector_kernel([[maybe_unused]] instruction_set use) noexcept {
  if constexpr (sizeof(T) > 8) {  // long double
    return combine_scalars<T, Op>;
  } else {
#ifdef __x86_64__
    if (use == instruction_set::avx2) return combine_avx2<T, Op, Parts>;
#endif
    return combine<T, Op, Parts>;
  }
}

}  // namespace pure::core
