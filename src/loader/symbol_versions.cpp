#include "loader/symbol_versions.hpp"

#include <stdexcept>

namespace pure::core {

namespace {

constexpr unsigned number_bits = 0x7fff, hidden_bit = 0x8000;
constexpr unsigned first_number = 2;  // 0 and 1 are no versions

template <class T>
const T& entry_at(const object_file& file, std::uint64_t address) {
  const auto there = file.loaded<T>(address, 1);
  if (there.empty()) throw std::out_of_range("its versions are not in it");
  return there.front();
}

}  // namespace

symbol_versions::symbol_versions(const object_file& file) {
  const auto numbers = file.value(DT_VERSYM);
  if (!numbers || file.symbols().empty()) return;
  numbers_ = file.loaded<std::uint16_t>(*numbers, file.symbols().size());
  if (numbers_.empty()) throw std::out_of_range("its versions are not in it");
  read_defined(file);
  read_needed(file);
}

std::string_view symbol_versions::of(std::size_t symbol) const noexcept {
  if (symbol >= numbers_.size()) return {};
  const std::size_t number = numbers_[symbol] & number_bits;
  return number < names_.size() ? names_[number] : std::string_view{};
}

bool symbol_versions::is_hidden(std::size_t symbol) const noexcept {
  return symbol < numbers_.size() && (numbers_[symbol] & hidden_bit) != 0;
}

bool symbol_versions::is_oldest(std::size_t symbol) const noexcept {
  return symbol >= numbers_.size() || (numbers_[symbol] & number_bits) <= first_number;
}

void symbol_versions::note(std::size_t number, std::string_view name) {
  number &= number_bits;
  if (names_.size() <= number) names_.resize(number + 1);
  names_[number] = name;
}

void symbol_versions::read_defined(const object_file& file) {
  std::uint64_t at = file.value(DT_VERDEF).value_or(0);
  for (std::uint64_t left = file.value(DT_VERDEFNUM).value_or(0); at != 0 && left > 0; --left) {
    const auto& definition = entry_at<Elf64_Verdef>(file, at);
    const auto& name = entry_at<Elf64_Verdaux>(file, at + definition.vd_aux);
    if ((definition.vd_flags & VER_FLG_BASE) == 0) note(definition.vd_ndx, file.text_at(name.vda_name));
    if (definition.vd_next == 0) break;
    at += definition.vd_next;
  }
}

void symbol_versions::read_needed(const object_file& file) {
  each_needed_version(file, [&](std::uint64_t at, const Elf64_Verneed& needed) {
    std::uint64_t next = at + needed.vn_aux;
    for (unsigned i = 0; i < needed.vn_cnt; ++i) {
      const auto& one = entry_at<Elf64_Vernaux>(file, next);
      note(one.vna_other, file.text_at(one.vna_name));
      if (one.vna_next == 0) break;
      next += one.vna_next;
    }
  });
}

void each_needed_version(const object_file& file,
                         const std::function<void(std::uint64_t address, const Elf64_Verneed&)>& visit) {
  std::uint64_t at = file.value(DT_VERNEED).value_or(0);
  for (std::uint64_t left = file.value(DT_VERNEEDNUM).value_or(0); at != 0 && left > 0; --left) {
    const auto& needed = entry_at<Elf64_Verneed>(file, at);
    visit(at, needed);
    if (needed.vn_next == 0) break;
    at += needed.vn_next;
  }
}

}  // namespace pure::core
