#include "loader/object_copy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "loader/machine.hpp"

namespace pure::core {

namespace {

constexpr Elf64_Sxword ignored_tag = DT_LOOS + 0xead;  // of no system: the dynamic linker passes over it

[[noreturn]] void fail(const loadable_object& original, const char* what) {
  const int error = errno;
  throw Error(errc::state, fmt::format("{}: its copy for a rank: {}: {}", original.path(), what,
                                       std::generic_category().message(error)));
}

std::vector<Elf64_Phdr> segments_without(const loadable_object& original, std::initializer_list<std::uint32_t> types) {
  std::vector<Elf64_Phdr> segments(original.segments().begin(), original.segments().end());
  for (Elf64_Phdr& each : segments)
    if (std::find(types.begin(), types.end(), each.p_type) != types.end()) each.p_type = PT_NULL;
  return segments;
}

void write_headers(object_copy& copy, const loadable_object& original, const std::vector<Elf64_Phdr>& segments) {
  Elf64_Ehdr header;
  std::memcpy(&header, original.content().data(), sizeof(header));
  header.e_type = ET_DYN;
  header.e_shoff = 0, header.e_shnum = 0, header.e_shstrndx = 0;
  copy.write(0, &header, sizeof(header));
  copy.write(header.e_phoff, segments.data(), segments.size() * sizeof(Elf64_Phdr));
}

std::uint64_t offset_of_dynamic(const loadable_object& original) {
  return original.offset_of(original.segment(PT_DYNAMIC)->p_vaddr);
}

/// Whether the dynamic linker runs functions of it to find out what a symbol is.
bool computes_symbols(const loadable_object& file) {
  const auto symbols = file.symbols();
  bool computes = std::any_of(symbols.begin(), symbols.end(), [](const Elf64_Sym& each) {
    return ELF64_ST_TYPE(each.st_info) == STT_GNU_IFUNC && each.st_shndx != SHN_UNDEF;
  });
  file.each_relocation([&](const Elf64_Rela& each) { computes |= type_of(each) == relocation::computed; });
  return computes;
}

// Where the model's own names for libraries go: where the old ones are, or, if those are shorter, into unwinding tables
// and text, which nobody needs there. These lie before the names where a tool has moved the names to the end, as
// patchelf does: then they get a segment of their own, behind all others.
class room_for_names {
 public:
  explicit room_for_names(const loadable_object& original) : original_(original), strings_(*original.value(DT_STRTAB)) {
    for (const Elf64_Phdr& each : original.segments())
      if (each.p_type == PT_LOAD) behind_ = std::max(behind_, next_page(each.p_vaddr + each.p_memsz));
    const bool is_text_free = !computes_symbols(original);
    for (const Elf64_Phdr& each : original.segments()) {
      const bool is_text = each.p_type == PT_LOAD && (each.p_flags & PF_X) != 0 && is_text_free;
      if ((each.p_type == PT_GNU_EH_FRAME || is_text) && each.p_vaddr > strings_ &&
          !original.loaded<std::byte>(each.p_vaddr, each.p_filesz).empty()) {
        free_.push_back({each.p_vaddr, each.p_filesz});
      }
    }
  }

  /// As d_val or vn_file has it; `old`: the one that it replaces.
  std::uint64_t replace(object_copy& copy, std::uint64_t old, const std::string& name) {
    if (original_.text_at(old).size() < name.size()) return add(copy, name);
    copy.write(original_.offset_of(strings_ + old), name.c_str(), name.size() + 1);
    return old;
  }

  std::uint64_t add(object_copy& copy, const std::string& name) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    for (auto& [address, bytes] : free_) {
      if (bytes <= name.size()) continue;
      copy.write(original_.offset_of(address), name.c_str(), name.size() + 1);
      const std::uint64_t at = address - strings_;
      address += name.size() + 1, bytes -= name.size() + 1;
      return known_[name] = at;
    }
    const std::uint64_t at = behind_ + text_behind_.size() - strings_;
    (text_behind_ += name) += '\0';
    return known_[name] = at;
  }

  /// Writes what lies behind; `segments` has an entry for it then, in place of one that is not used.
  void finish(object_copy& copy, std::vector<Elf64_Phdr>& segments) const {
    if (text_behind_.empty()) return;
    const auto unused = std::find_if(segments.begin(), segments.end(),
                                     [](const Elf64_Phdr& each) { return each.p_type == PT_NULL; });
    const std::uint64_t size = text_behind_.size();
    constexpr std::uint64_t most = std::numeric_limits<Elf64_Word>::max();  // as vn_file has it
    if (unused == segments.end() || behind_ + size - strings_ > most) {
      throw Error(errc::state, fmt::format("{}: there is no room in it for the names of the libraries that it needs",
                                           original_.path()));
    }
    segments.erase(unused);
    Elf64_Phdr own{};
    own.p_type = PT_LOAD;
    own.p_flags = PF_R;
    own.p_offset = next_page(original_.content().size());
    own.p_vaddr = own.p_paddr = behind_;
    own.p_filesz = own.p_memsz = size;
    own.p_align = page;
    segments.push_back(own);  // loaded segments are in the order of their addresses
    copy.write(own.p_offset, text_behind_.data(), size);
  }

 private:
  static constexpr std::uint64_t page = 4096;
  static std::uint64_t next_page(std::uint64_t at) noexcept { return (at + page - 1) / page * page; }

  const loadable_object& original_;
  const std::uint64_t strings_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> free_;
  std::uint64_t behind_ = 0;
  std::string text_behind_;
  std::map<std::string, std::uint64_t> known_;
};

bool is_left_out_of_model(std::int64_t tag) {
  constexpr std::array left_out{DT_INIT,       DT_FINI,         DT_INIT_ARRAY,    DT_INIT_ARRAYSZ,
                                DT_FINI_ARRAY, DT_FINI_ARRAYSZ, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ,
                                DT_SONAME,     DT_RPATH,        DT_RUNPATH,       DT_DEBUG};
  return std::find(left_out.begin(), left_out.end(), tag) != left_out.end() || tag == DT_AUDIT || tag == DT_DEPAUDIT;
}

bool is_kept_in_image(std::int64_t tag) {
  constexpr std::array kept{DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT};
  return std::find(kept.begin(), kept.end(), tag) != kept.end() || tag == DT_GNU_HASH;
}

/// The dynamic linker takes files of one name for one file, for ever, and descriptors are used again: a part of a path
/// that leads nowhere, and is another one each time.
std::string next_mark() {
  static std::atomic<unsigned> numbers{0};
  constexpr int bits = 24;  // of many more objects than a process may have
  const unsigned number = numbers.fetch_add(1, std::memory_order_relaxed);  // relaxed: a number, no more
  std::string mark;
  for (int bit = 0; bit < bits; ++bit) mark += (number >> bit & 1U) != 0 ? "/." : "//";
  return mark;
}

}  // namespace

object_copy::object_copy(const loadable_object& original)
    : original_(&original), descriptor_(memfd_create("pure-rank", MFD_CLOEXEC)) {
  if (descriptor_ < 0) fail(original, "memfd_create");
  if (ftruncate(descriptor_, static_cast<off_t>(original.content().size())) != 0) {
    close(descriptor_);
    fail(original, "ftruncate");
  }
  path_ = fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);  // not "self": debuggers open it, too
  unique_path_ = fmt::format("/proc{}/{}/fd/{}", next_mark(), getpid(), descriptor_);
}

object_copy::object_copy(object_copy&& from) noexcept
    : original_(from.original_),
      descriptor_(std::exchange(from.descriptor_, -1)),
      path_(std::move(from.path_)),
      unique_path_(std::move(from.unique_path_)) {}

object_copy::~object_copy() {
  if (descriptor_ >= 0) close(descriptor_);
}

void object_copy::write(std::uint64_t offset, const void* from, std::uint64_t bytes) {
  const auto* next = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = pwrite(descriptor_, next, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail(*original_, "write");
    next += done, offset += static_cast<std::uint64_t>(done), bytes -= static_cast<std::uint64_t>(done);
  }
}

void object_copy::write_original(std::uint64_t offset, std::uint64_t bytes) {
  const std::uint64_t end = std::min<std::uint64_t>(offset + bytes, original_->content().size());
  if (offset < end) write(offset, original_->content().data() + offset, end - offset);
}

void write_model(object_copy& copy, const loadable_object& original, bool is_program,
                 const std::function<std::string(std::string_view)>& renamed, const std::string& also_needed,
                 const std::function<bool(const Elf64_Rela&)>& is_left_to_us) {
  copy.write_original(0, original.content().size());
  auto segments = segments_without(original, {PT_GNU_RELRO, PT_GNU_EH_FRAME, PT_NOTE, PT_GNU_PROPERTY});
  if (is_program)
    for (Elf64_Phdr& each : segments)
      if (each.p_type == PT_TLS) each.p_type = PT_NULL;

  const bool is_plug_in = !also_needed.empty();  // its symbols may be in other plug-ins
  room_for_names names(original);
  std::vector<Elf64_Dyn> dynamic(original.dynamic().begin(), original.dynamic().end());
  for (Elf64_Dyn& each : dynamic) {
    if (each.d_tag == DT_NEEDED) {
      if (const std::string path = renamed(original.text_at(each.d_un.d_val)); !path.empty())
        each.d_un.d_val = names.replace(copy, each.d_un.d_val, path);
    } else if (each.d_tag == DT_FLAGS_1) {
      each.d_un.d_val &= ~static_cast<std::uint64_t>(DF_1_PIE | DF_1_NODELETE | DF_1_NOOPEN | DF_1_INITFIRST);
    } else if (is_left_out_of_model(each.d_tag)) {
      each.d_tag = ignored_tag;
    }
  }
  if (is_plug_in) {
    const auto free = std::find_if(dynamic.begin(), dynamic.end(),
                                   [](const Elf64_Dyn& each) { return each.d_tag == ignored_tag; });
    if (free == dynamic.end()) {
      throw Error(errc::state,
                  fmt::format("{}: there is no room in it for what a plug-in of a rank needs", original.path()));
    }
    *free = {.d_tag = DT_NEEDED, .d_un = {.d_val = names.add(copy, also_needed)}};
  }
  copy.write(offset_of_dynamic(original), dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));

  each_needed_version(original, [&](std::uint64_t at, const Elf64_Verneed& each) {
    const std::string path = renamed(original.text_at(each.vn_file));
    if (path.empty()) return;
    Elf64_Verneed needed = each;
    needed.vn_file = static_cast<Elf64_Word>(names.replace(copy, each.vn_file, path));
    copy.write(original.offset_of(at), &needed, sizeof(needed));
  });
  names.finish(copy, segments);
  write_headers(copy, original, segments);

  const auto write_at = [&](const auto& old, const auto& next) {
    copy.write(static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&old) - original.content().data()), &next,
               sizeof(next));
  };
  original.each_relocation([&](const Elf64_Rela& each) {
    if (is_left_to_us(each)) write_at(each, Elf64_Rela{.r_offset = each.r_offset, .r_info = 0, .r_addend = 0});
  });
  for (const Elf64_Sym& each : original.symbols()) {
    const bool is_unique = ELF64_ST_BIND(each.st_info) == STB_GNU_UNIQUE;
    // Also of the program, and what it needs: the binder finds out whether it has to be there.
    const bool is_elsewhere = each.st_shndx == SHN_UNDEF && ELF64_ST_BIND(each.st_info) == STB_GLOBAL &&
                              (is_plug_in || ELF64_ST_TYPE(each.st_info) != STT_TLS);
    if (!is_unique && !is_elsewhere) continue;
    Elf64_Sym other = each;
    const int binding = is_elsewhere ? STB_WEAK : STB_GLOBAL;
    other.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, ELF64_ST_TYPE(each.st_info)));
    write_at(each, other);
  }
}

void write_image(object_copy& copy, const loadable_object& original) {
  auto segments = segments_without(original, {PT_GNU_RELRO, PT_NOTE, PT_GNU_PROPERTY, PT_TLS});
  for (Elf64_Phdr& each : segments)
    if (each.p_type == PT_LOAD) each.p_flags &= ~static_cast<Elf64_Word>(PF_X);  // where files here are not executable
  write_headers(copy, original, segments);

  std::vector<Elf64_Dyn> dynamic(original.dynamic().begin(), original.dynamic().end());
  for (Elf64_Dyn& each : dynamic)
    if (!is_kept_in_image(each.d_tag)) each.d_tag = ignored_tag;
  copy.write(offset_of_dynamic(original), dynamic.data(), dynamic.size() * sizeof(Elf64_Dyn));
  for (const std::int64_t hash : {std::int64_t{DT_HASH}, std::int64_t{DT_GNU_HASH}})
    if (const auto where = original.value(hash)) copy.write_original(original.offset_of(*where), 16);
}

}  // namespace pure::core
