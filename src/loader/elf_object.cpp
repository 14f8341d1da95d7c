#include "loader/elf_object.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <pure/error.hpp>

#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

namespace pure::core {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t machine_of_loader = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t machine_of_loader = EM_AARCH64;
#endif

}  // namespace

elf_object::elf_object(const std::string& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) close(descriptor_);
    throw Error(errc::state, fmt::format("{}: {}", path, std::generic_category().message(error)));
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const mapped = bytes == 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (mapped == MAP_FAILED) {
    close(descriptor_);
    throw Error(errc::state, fmt::format("{}: the file cannot be read into memory", path));
  }
  content_ = {static_cast<const std::byte*>(mapped), bytes};
  try {
    read_segments();
    read_dynamic();
    read_versions();
  } catch (...) {
    munmap(mapped, bytes);
    close(descriptor_);
    throw;
  }
}

elf_object::elf_object(elf_object&& from) noexcept
    : path_(std::move(from.path_)),
      descriptor_(std::exchange(from.descriptor_, -1)),
      content_(std::exchange(from.content_, {})),
      segments_(from.segments_),
      end_(from.end_),
      dynamic_(from.dynamic_),
      strings_(from.strings_),
      symbols_(from.symbols_),
      relocations_(from.relocations_),
      plt_relocations_(from.plt_relocations_),
      packed_(from.packed_),
      version_numbers_(from.version_numbers_),
      versions_(std::move(from.versions_)) {}

elf_object::~elf_object() {
  if (!content_.empty()) munmap(const_cast<std::byte*>(content_.data()), content_.size());
  if (descriptor_ >= 0) close(descriptor_);
}

void elf_object::refuse(const std::string& why) const {
  throw Error(errc::state, fmt::format("{}: the file is damaged: {}", path_, why));
}

const Elf64_Phdr* elf_object::segment(std::uint32_t type) const noexcept {
  const auto found = std::find_if(segments_.begin(), segments_.end(),
                                  [&](const Elf64_Phdr& each) { return each.p_type == type; });
  return found == segments_.end() ? nullptr : &*found;
}

const std::byte* elf_object::in_file(std::uint64_t address, std::uint64_t bytes) const noexcept {
  for (const Elf64_Phdr& each : segments_) {
    if (each.p_type != PT_LOAD || address < each.p_vaddr) continue;
    const std::uint64_t into = address - each.p_vaddr;
    if (into <= each.p_filesz && bytes <= each.p_filesz - into) return content_.data() + each.p_offset + into;
  }
  return nullptr;
}

std::uint64_t elf_object::offset_of(std::uint64_t address) const noexcept {
  return static_cast<std::uint64_t>(in_file(address, 0) - content_.data());
}

void elf_object::read_segments() {
  if (content_.size() < sizeof(Elf64_Ehdr) || std::memcmp(content_.data(), ELFMAG, SELFMAG) != 0)
    throw Error(errc::state, fmt::format("{} is no program or library (ELF)", path_));
  const Elf64_Ehdr& its = header();
  if (its.e_ident[EI_CLASS] != ELFCLASS64 || its.e_machine != machine_of_loader)
    throw Error(errc::state, fmt::format("{} is not for this machine", path_));
  if (its.e_phentsize != sizeof(Elf64_Phdr) || its.e_phoff > content_.size() ||
      its.e_phnum > (content_.size() - its.e_phoff) / sizeof(Elf64_Phdr)) {
    refuse("it has no segments");
  }
  segments_ = {reinterpret_cast<const Elf64_Phdr*>(content_.data() + its.e_phoff), its.e_phnum};
  for (const Elf64_Phdr& each : segments_) {
    if (each.p_type != PT_LOAD && each.p_type != PT_TLS) continue;
    if (each.p_offset > content_.size() || each.p_filesz > content_.size() - each.p_offset ||
        each.p_memsz < each.p_filesz || each.p_vaddr + each.p_memsz < each.p_vaddr) {
      refuse("a segment is not in it");
    }
    if (each.p_type == PT_LOAD) end_ = std::max(end_, each.p_vaddr + each.p_memsz);
  }
}

std::optional<std::uint64_t> elf_object::value(std::int64_t tag) const noexcept {
  for (const Elf64_Dyn& each : dynamic_)
    if (each.d_tag == tag) return each.d_un.d_val;
  return std::nullopt;
}

std::string_view elf_object::string(std::uint64_t at) const noexcept {
  if (at >= strings_.size()) return {};
  return strings_.data() + at;  // the table ends with a null character: read_dynamic()
}

template <class T>
std::span<const T> elf_object::table(std::int64_t where, std::int64_t size, const char* name) const {
  const std::optional<std::uint64_t> address = value(where), bytes = value(size);
  if (!address || !bytes || *bytes == 0) return {};
  const std::byte* const begin = in_file(*address, *bytes);
  if (begin == nullptr || *address % alignof(T) != 0) refuse(fmt::format("{} are not in it", name));
  return {reinterpret_cast<const T*>(begin), *bytes / sizeof(T)};
}

// The dynamic linker has no use for it, and no table says it: the hash tables do.
std::size_t elf_object::number_of_symbols() const {
  if (const auto hash = value(DT_HASH)) {
    const std::byte* const words = in_file(*hash, 8);
    if (words == nullptr) refuse("its hash table is not in it");
    return reinterpret_cast<const std::uint32_t*>(words)[1];
  }
  const auto hash = value(DT_GNU_HASH);
  if (!hash) return 0;
  const auto* const head = reinterpret_cast<const std::uint32_t*>(in_file(*hash, 16));
  if (head == nullptr) refuse("its hash table is not in it");
  const std::uint64_t buckets = head[0], first = head[1];
  const std::uint64_t where = *hash + 16 + std::uint64_t{head[2]} * 8, chains = where + buckets * 4;
  const auto* const bucket = reinterpret_cast<const std::uint32_t*>(in_file(where, buckets * 4));
  if (bucket == nullptr) refuse("its hash table is not in it");
  std::uint64_t last = buckets == 0 ? 0 : *std::max_element(bucket, bucket + buckets);
  if (last < first) return first;
  for (;; ++last) {
    const auto* const word = reinterpret_cast<const std::uint32_t*>(in_file(chains + (last - first) * 4, 4));
    if (word == nullptr) refuse("its hash table is not in it");
    if ((*word & 1) != 0) return last + 1;
  }
}

void elf_object::read_dynamic() {
  const Elf64_Phdr* const segment_of_it = segment(PT_DYNAMIC);
  if (segment_of_it == nullptr) throw Error(errc::state, fmt::format("{} is static", path_));
  const std::byte* const begin = in_file(segment_of_it->p_vaddr, segment_of_it->p_filesz);
  if (begin == nullptr) refuse("its dynamic section is not in it");
  dynamic_ = {reinterpret_cast<const Elf64_Dyn*>(begin), segment_of_it->p_filesz / sizeof(Elf64_Dyn)};
  const auto end = std::find_if(dynamic_.begin(), dynamic_.end(),
                                [](const Elf64_Dyn& each) { return each.d_tag == DT_NULL; });
  dynamic_ = dynamic_.first(static_cast<std::size_t>(end - dynamic_.begin()));

  const auto strings = table<char>(DT_STRTAB, DT_STRSZ, "its names");
  if (strings.empty() || strings.back() != '\0') refuse("its names are not in it");
  strings_ = {strings.data(), strings.size()};
  const std::size_t symbols = number_of_symbols();
  const std::uint64_t where = value(DT_SYMTAB).value_or(0);
  const std::byte* const first = in_file(where, symbols * sizeof(Elf64_Sym));
  if (first == nullptr) refuse("its symbols are not in it");
  symbols_ = {reinterpret_cast<const Elf64_Sym*>(first), symbols};
  if (value(DT_REL)) refuse("it has relocations of a kind that this machine has not");
  relocations_ = table<Elf64_Rela>(DT_RELA, DT_RELASZ, "its relocations");
  plt_relocations_ = table<Elf64_Rela>(DT_JMPREL, DT_PLTRELSZ, "its relocations");
  // Some linkers count those of the second table as a part of the first.
  if (!plt_relocations_.empty() && plt_relocations_.data() >= relocations_.data() &&
      plt_relocations_.data() < relocations_.data() + relocations_.size()) {
    relocations_ = relocations_.first(static_cast<std::size_t>(plt_relocations_.data() - relocations_.data()));
  }
  packed_ = table<std::uint64_t>(DT_RELR, DT_RELRSZ, "its relocations");
}

void elf_object::read_versions() {
  const auto numbers = value(DT_VERSYM);
  if (!numbers) return;
  const std::byte* const first = in_file(*numbers, symbols_.size() * 2);
  if (first == nullptr) refuse("its versions are not in it");
  version_numbers_ = {reinterpret_cast<const std::uint16_t*>(first), symbols_.size()};
  const auto note = [&](std::size_t number, std::string_view name) {
    if (versions_.size() <= number) versions_.resize(number + 1);
    versions_[number] = name;
  };
  std::uint64_t at = value(DT_VERDEF).value_or(0);
  for (std::uint64_t left = value(DT_VERDEFNUM).value_or(0); at != 0 && left > 0; --left) {
    const auto* const definition = reinterpret_cast<const Elf64_Verdef*>(in_file(at, sizeof(Elf64_Verdef)));
    if (definition == nullptr) refuse("its versions are not in it");
    const auto* const name = reinterpret_cast<const Elf64_Verdaux*>(
        in_file(at + definition->vd_aux, sizeof(Elf64_Verdaux)));
    if (name == nullptr) refuse("its versions are not in it");
    if ((definition->vd_flags & VER_FLG_BASE) == 0) note(definition->vd_ndx & 0x7fff, string(name->vda_name));
    if (definition->vd_next == 0) break;
    at += definition->vd_next;
  }
  at = value(DT_VERNEED).value_or(0);
  for (std::uint64_t left = value(DT_VERNEEDNUM).value_or(0); at != 0 && left > 0; --left) {
    const auto* const needed = reinterpret_cast<const Elf64_Verneed*>(in_file(at, sizeof(Elf64_Verneed)));
    if (needed == nullptr) refuse("its versions are not in it");
    std::uint64_t next = at + needed->vn_aux;
    for (int i = 0; i < needed->vn_cnt; ++i) {
      const auto* const one = reinterpret_cast<const Elf64_Vernaux*>(in_file(next, sizeof(Elf64_Vernaux)));
      if (one == nullptr) refuse("its versions are not in it");
      note(one->vna_other & 0x7fff, string(one->vna_name));
      if (one->vna_next == 0) break;
      next += one->vna_next;
    }
    if (needed->vn_next == 0) break;
    at += needed->vn_next;
  }
}

std::string_view elf_object::version_of(std::size_t symbol) const noexcept {
  if (symbol >= version_numbers_.size()) return {};
  const std::size_t number = version_numbers_[symbol] & 0x7fffU;
  return number < versions_.size() ? versions_[number] : std::string_view{};
}

void elf_object::each_relocation(const std::function<void(const Elf64_Rela&)>& visit) const {
  for (const auto& relocations : {relocations_, plt_relocations_})
    for (const Elf64_Rela& each : relocations) visit(each);
}

// An even word is a place; an odd one a bit map of the 63 words behind the latest.
void elf_object::each_packed_relocation(const std::function<void(std::uint64_t place)>& visit) const {
  std::uint64_t next = 0;
  for (const std::uint64_t word : packed_) {
    if ((word & 1) == 0) {
      visit(word);
      next = word + 8;
      continue;
    }
    for (std::uint64_t bits = word >> 1, place = next; bits != 0; bits >>= 1, place += 8)
      if ((bits & 1) != 0) visit(place);
    next += 63 * 8;
  }
}

}  // namespace pure::core
