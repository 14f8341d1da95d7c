// register_printf_specifier and its relatives: conversions that a rank has added to the formats of printf are those of
// that rank.
//
// libc has one table for the process, without locks for those who print. libgfortran brings libquadmath, which
// registers conversions when it is loaded, and takes them back at the end of its rank: while other ranks print. So
// libc's table gets functions of Pure's, once and for all, which ask the printing rank's own table; what is in none of
// these is done by libc, as if nobody had registered anything.
//
// Any thread.
#include "libc/format_state.hpp"

#include <cerrno>
#include <climits>
#include <cwchar>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "libc/hidden_state.hpp"
#include "libc/replacement_parts.hpp"

namespace pure::core {

namespace {

// All that ranks have registered with libc.
struct registered_formats {
  std::mutex lock;
  bool conversions[UCHAR_MAX + 1] = {};
  std::vector<std::pair<std::wstring, int>> modifiers;
  int types[format_state::most_types] = {};  // 0: not yet
};

registered_formats& of_process() {
  static auto& all = *new registered_formats;  // ranks print until the very end
  return all;
}

format_state& formats_here() noexcept { return hidden_state_here().formats; }

// libc's own conversion is meant.
constexpr int not_handled = -2;
constexpr int not_known = -1;

int print_of_rank(FILE* stream, const printf_info* info, const void* const* arguments) {
  if (info->spec < 0 || info->spec > UCHAR_MAX) return not_handled;
  // acquire: what the function needs; pairs with the release in rank_register_printf_specifier()
  printf_function* const print = formats_here().conversions[static_cast<unsigned>(info->spec)].print.load(
      std::memory_order_acquire);
  return print != nullptr ? print(stream, info, arguments) : not_handled;
}

int arguments_of_rank(const printf_info* info, std::size_t count, int* types, int* sizes) {
  if (info->spec < 0 || info->spec > UCHAR_MAX) return not_known;
  // acquire: pairs with the release in rank_register_printf_specifier()
  printf_arginfo_size_function* const arguments =
      formats_here().conversions[static_cast<unsigned>(info->spec)].arguments.load(std::memory_order_acquire);
  return arguments != nullptr ? arguments(info, count, types, sizes) : not_known;
}

int rank_register_printf_specifier(int spec, printf_function* print, printf_arginfo_size_function* arguments) {
  if (spec < 0 || spec > UCHAR_MAX) {
    errno = EINVAL;
    return -1;
  }
  format_state::conversion& own = formats_here().conversions[static_cast<unsigned>(spec)];
  // release: what the function needs; pairs with the acquire in arguments_of_rank()
  own.arguments.store(arguments, std::memory_order_release);
  // release: the same; pairs with the acquire in print_of_rank()
  own.print.store(print, std::memory_order_release);
  if (print == nullptr) return 0;
  registered_formats& all = of_process();
  const std::scoped_lock alone(all.lock);
  if (all.conversions[spec]) return 0;
  const int result = register_printf_specifier(spec, print_of_rank, arguments_of_rank);
  all.conversions[spec] = result == 0;
  return result;
}

// A text has one bit, whoever registers it: there are eight in all.
int rank_register_printf_modifier(const wchar_t* text) {
  registered_formats& all = of_process();
  const std::scoped_lock alone(all.lock);
  for (const auto& [known, bit] : all.modifiers) {
    if (known == text) return bit;
  }
  const int bit = register_printf_modifier(text);
  if (bit >= 0) all.modifiers.emplace_back(text, bit);
  return bit;
}

// libc calls a function for a type without saying for which: one for each place in the ranks' lists.
template <int place>
void take_argument(void* memory, va_list* arguments) {
  // acquire: pairs with the release in rank_register_printf_type()
  printf_va_arg_function* const take = formats_here().types[place].load(std::memory_order_acquire);
  if (take != nullptr) take(memory, arguments);
}

template <int... places>
int register_type(int place, std::integer_sequence<int, places...> /*all*/) {
  static constexpr printf_va_arg_function* functions[] = {take_argument<places>...};
  return register_printf_type(functions[place]);
}

int rank_register_printf_type(printf_va_arg_function* take) {
  format_state& own = formats_here();
  registered_formats& all = of_process();
  const std::scoped_lock alone(all.lock);
  const int place = own.type_count.load(std::memory_order_relaxed);
  if (place == format_state::most_types) {
    errno = ENOSPC;
    return -1;
  }
  if (all.types[place] == 0) {
    const int number = register_type(place, std::make_integer_sequence<int, format_state::most_types>());
    if (number < 0) return number;
    all.types[place] = number;
  }
  // release: pairs with the acquire in take_argument()
  own.types[static_cast<unsigned>(place)].store(take, std::memory_order_release);
  own.type_count.store(place + 1, std::memory_order_relaxed);
  return all.types[place];
}

}  // namespace

std::span<const replacement> format_parts() noexcept {
  static const replacement all[] = {
      replaced_by("register_printf_specifier", rank_register_printf_specifier),
      // The older name, whose second function knows of no sizes: libc takes either for the other.
      replaced_by("register_printf_function", rank_register_printf_specifier),
      replaced_by("register_printf_modifier", rank_register_printf_modifier),
      replaced_by("register_printf_type", rank_register_printf_type),
  };
  return all;
}

}  // namespace pure::core
