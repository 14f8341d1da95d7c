// What of an object is used while it is loaded, and that a damaged file is refused, wherever the damage is. The objects
// are made here, with the C compiler, then changed.
#include "loader/loadable_object.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "loader/machine.hpp"
#include "loader/model_object.hpp"
#include "support/made_objects.hpp"

namespace {

using namespace pure::core;
using test_support::made_files;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

// A library with all that the loader looks at.
class object_with_everything {
 public:
  object_with_everything() {
    std::ofstream(files_.path("lib.c")) << R"(
      #include <stdio.h>
      static _Thread_local int calls = 3;
      _Thread_local int shown;
      int (*function)(const char*) = puts;
      static int own;
      int* pointer = &own;
      static int* more[70] = {&own, 0, &own, [69] = &own};
      __attribute__((constructor)) static void begin(void) { own = 1; }
      __attribute__((destructor)) static void end(void) { own = 0; }
      __asm__(".symver old, NAME@ONE\n.symver NAME_now, NAME@@TWO");
      int old(void) { return 1; }
      int NAME_now(void) { return ++calls + ++shown + function("") + *more[2]; }
    )";
    std::ofstream(files_.path("map"))
        << "ONE { global: NAME; }; TWO { global: NAME; pointer; function; shown; } ONE;\n";
    files_.compile("-shared -fPIC lib.c -Wl,--version-script=map -Wl,--hash-style=both -o made.so");
    std::ifstream made(files_.path("made.so"), std::ios::binary);
    for (std::istreambuf_iterator<char> each(made), end; each != end; ++each) bytes_.push_back(*each);
  }

  [[nodiscard]] std::string path() const { return files_.path("made.so"); }
  [[nodiscard]] const std::vector<char>& bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::string written(const std::vector<char>& bytes) const {
    std::ofstream(files_.path("changed.so"), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return files_.path("changed.so");
  }
  /// With `bytes` bytes at an offset replaced.
  template <class T>
  [[nodiscard]] std::string with(std::uint64_t offset, T value) const {
    std::vector<char> changed = bytes_;
    std::memcpy(changed.data() + offset, &value, sizeof(value));
    return written(changed);
  }

 private:
  made_files files_;
  std::vector<char> bytes_;
};

/// Null: it was refused.
std::unique_ptr<loadable_object> opened(const std::string& path) {
  try {
    return std::make_unique<loadable_object>(path);
  } catch (const pure::Error&) {
    return nullptr;
  }
}

/// All that is used of an object later: it ends by a signal where something is not there.
std::size_t use(const loadable_object& object) {
  std::size_t sum = object.end() + object.interpreter().size();
  for (std::size_t i = 0; i < object.symbols().size(); ++i)
    sum += object.name_of(object.symbols()[i]).size() + object.version_of(i).size();
  object.each_relocation([&](const Elf64_Rela& each) {
    if (type_of(each) == relocation::none) return;
    EXPECT_LE(each.r_offset, object.end() - (type_of(each) == relocation::copy ? 0 : 8));
    if (ELF64_R_SYM(each.r_info) != 0) sum += object.name_of(object.symbols()[ELF64_R_SYM(each.r_info)]).size();
  });
  object.each_packed_relocation([&](std::uint64_t place) {
    std::uint64_t word = 0;
    std::memcpy(&word, object.loaded<std::byte>(place, 8).data(), 8);
    sum += word;
  });
  each_needed_version(object, [&](std::uint64_t at, const Elf64_Verneed&) { sum += object.offset_of(at); });
  for (const Elf64_Dyn& each : object.dynamic())
    if (each.d_tag == DT_NEEDED) sum += object.text_at(each.d_un.d_val).size();
  return sum;
}

std::uint64_t offset_in(const loadable_object& object, const void* field) {
  return static_cast<std::uint64_t>(static_cast<const std::byte*>(field) - object.content().data());
}

TEST(loadable_object, symbols_have_names_and_versions) {
  const object_with_everything made;
  const loadable_object object(made.path());
  std::set<std::string> defined;
  std::string of_puts;
  for (std::size_t i = 1; i < object.symbols().size(); ++i) {
    const Elf64_Sym& each = object.symbols()[i];
    const std::string name(object.name_of(each)), version(object.version_of(i));
    if (name == "NAME") defined.insert(version);
    if (name == "puts") of_puts = version;
  }
  EXPECT_EQ(defined, (std::set<std::string>{"ONE", "TWO"}));
  EXPECT_EQ(of_puts.substr(0, 6), "GLIBC_");
}

TEST(loadable_object, who_asks_for_no_version_gets_the_oldest_and_dlsym_the_newest) {
  const object_with_everything made;
  const model_object its(1, made.path(), "made.so");
  const Elf64_Sym *const one = its.find("NAME", "ONE"), *const two = its.find("NAME", "TWO");
  ASSERT_NE(one, nullptr);
  ASSERT_NE(two, nullptr);
  EXPECT_NE(one->st_value, two->st_value);
  EXPECT_EQ(its.find("NAME", ""), one) << "linked before there were versions";
  EXPECT_EQ(its.find_newest("NAME"), two);
  EXPECT_EQ(its.find("NAME", "THREE"), nullptr);
  EXPECT_NE(its.find("pointer", ""), nullptr) << "there is a later one only";
  EXPECT_EQ(its.find("own", ""), nullptr) << "it is not exported";
}

TEST(loadable_object, each_place_that_is_relocated_is_told_once) {
  const object_with_everything made;
  const loadable_object object(made.path());
  std::set<std::uint64_t> places;
  std::set<relocation> kinds;
  std::size_t number = 0;
  object.each_relocation([&](const Elf64_Rela& each) {
    places.insert(each.r_offset), kinds.insert(type_of(each));
    ++number;
  });
  EXPECT_EQ(places.size(), number);
  EXPECT_GE(number, 6U);  // function, pointer, more (three), and the constructor's
  EXPECT_TRUE(kinds.count(relocation::relative) != 0 && kinds.count(relocation::word) != 0);
}

// As the gABI has it: an address, then a map of the 63 words behind the latest one.
TEST(loadable_object, packed_relocations_are_unpacked) {
  const made_files files;
  std::ofstream(files.path("lib.c"))
      << "static int own;\n"
         "int* many[130] = {&own, &own, 0, &own, [62] = &own, &own, &own, [129] = &own};\n"
         "int** NAME(void) { return many; }\n";
  try {
    files.library("libone.so", "-Wl,-z,pack-relative-relocs 2>&1");
  } catch (const std::runtime_error&) {
    GTEST_SKIP() << "packed relocations: this linker makes none";
  }
  const loadable_object object(files.path("libone.so"));
  if (!object.value(36)) GTEST_SKIP() << "packed relocations: this linker makes none";
  std::uint64_t many = 0;
  for (const Elf64_Sym& each : object.symbols())
    if (object.name_of(each) == "many") many = each.st_value;
  std::set<std::uint64_t> in_many;
  object.each_packed_relocation([&](std::uint64_t place) {
    if (place >= many && place < many + 130 * 8) in_many.insert((place - many) / 8);
  });
  EXPECT_EQ(in_many, (std::set<std::uint64_t>{0, 1, 3, 62, 63, 64, 129}));
}

TEST(loadable_object, a_file_that_is_cut_off_is_refused) {
  const object_with_everything made;
  std::set<std::uint64_t> boundaries{0, 1, 4, sizeof(Elf64_Ehdr)};
  std::uint64_t needed = 0;
  {
    const loadable_object object(made.path());
    for (const Elf64_Phdr& each : object.segments()) {
      boundaries.insert({offset_in(object, &each), each.p_offset, each.p_offset + each.p_filesz});
      if (each.p_type == PT_LOAD) needed = std::max(needed, each.p_offset + each.p_filesz);
    }
    for (const Elf64_Dyn& each : object.dynamic()) {
      boundaries.insert(offset_in(object, &each));
      if (!object.loaded<char>(each.d_un.d_ptr, 1).empty()) boundaries.insert(object.offset_of(each.d_un.d_ptr));
    }
  }
  std::set<std::uint64_t> lengths;
  for (const std::uint64_t each : boundaries) lengths.insert({each == 0 ? 0 : each - 1, each, each + 1});
  for (const std::uint64_t length : lengths) {
    if (length > made.bytes().size()) continue;
    const auto object = opened(made.written({made.bytes().begin(), made.bytes().begin() + static_cast<long>(length)}));
    EXPECT_EQ(object != nullptr, length >= needed) << length;
    if (object != nullptr) use(*object);
  }
}

TEST(loadable_object, damage_is_found_where_it_is) {
  const object_with_everything made;
  const loadable_object object(made.path());
  const auto is_refused = [&](const auto& field, auto value) {
    using type = std::remove_cvref_t<decltype(field)>;
    return opened(made.with(offset_in(object, &field), static_cast<type>(value))) == nullptr;
  };
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(object.content().data());
  EXPECT_TRUE(is_refused(header->e_machine, EM_S390));
  EXPECT_TRUE(is_refused(header->e_type, ET_REL));
  EXPECT_TRUE(is_refused(header->e_phoff, largest));
  EXPECT_TRUE(is_refused(header->e_phnum, 0));
  EXPECT_TRUE(is_refused(header->e_phnum, 0xffff));
  EXPECT_TRUE(is_refused(header->e_phentsize, 1));
  EXPECT_FALSE(is_refused(header->e_shoff, largest)) << "sections are of no use";
  for (const Elf64_Phdr& each : object.segments()) {
    if (each.p_type != PT_LOAD && each.p_type != PT_TLS) continue;
    EXPECT_TRUE(is_refused(each.p_offset, largest));
    EXPECT_TRUE(is_refused(each.p_vaddr, largest - 4));
    EXPECT_TRUE(is_refused(each.p_filesz, largest));
    EXPECT_TRUE(is_refused(each.p_filesz, each.p_memsz + 1));
    EXPECT_TRUE(is_refused(each.p_memsz, largest));
    if (each.p_type == PT_LOAD) {
      EXPECT_TRUE(is_refused(each.p_offset, each.p_offset + 1));
    } else {
      EXPECT_TRUE(is_refused(each.p_align, 3));
    }
  }
  const Elf64_Phdr& first = *object.segment(PT_LOAD);
  EXPECT_TRUE(is_refused(first.p_vaddr, std::uint64_t{1} << 40)) << "its segments are in no order";
  for (const std::int64_t tag :
       {DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_HASH, DT_RELA, DT_RELASZ, DT_JMPREL, DT_PLTRELSZ, DT_VERSYM, DT_VERDEF,
        DT_VERNEED, DT_INIT, DT_FINI, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, DT_FINI_ARRAY}) {
    for (const Elf64_Dyn& each : object.dynamic()) {
      if (each.d_tag != tag) continue;
      for (const std::uint64_t wrong : {std::uint64_t{1} << 32, object.end(), object.end() - 1, largest, largest - 7})
        EXPECT_TRUE(is_refused(each.d_un.d_val, wrong)) << "tag " << tag << " " << wrong;
    }
  }
  std::size_t relocations = 0;
  object.each_relocation([&](const Elf64_Rela& each) {
    for (const std::uint64_t wrong : {std::uint64_t{0}, object.end() - 7, object.end(), largest - 7, largest})
      EXPECT_TRUE(is_refused(each.r_offset, wrong)) << wrong;
    if (ELF64_R_SYM(each.r_info) == 0) return;
    const std::uint64_t type = ELF64_R_TYPE(each.r_info);
    EXPECT_TRUE(is_refused(each.r_info, ELF64_R_INFO(object.symbols().size(), type)));
    EXPECT_TRUE(is_refused(each.r_info, ELF64_R_INFO(std::uint64_t{0xffffffff}, type)));
    EXPECT_FALSE(is_refused(each.r_info, ELF64_R_INFO(object.symbols().size() - 1, type)));
    ++relocations;
  });
  EXPECT_GT(relocations, 0U);
}

// Refused, or all that it tells is there.
TEST(loadable_object, extremes_do_no_harm) {
  const object_with_everything made;
  const loadable_object object(made.path());
  const auto try_all = [&](std::uint64_t from, std::uint64_t bytes) {
    for (std::uint64_t at = from; at < from + bytes; at += 4)
      for (const std::uint32_t value : {0U, 1U, 0x7fffffffU, 0xffffffffU})
        if (const auto changed = opened(made.with(at, value))) use(*changed);
  };
  try_all(0, sizeof(Elf64_Ehdr));
  try_all(offset_in(object, object.segments().data()), object.segments().size_bytes());
  try_all(offset_in(object, object.dynamic().data()), object.dynamic().size_bytes() + sizeof(Elf64_Dyn));
  for (const std::int64_t tag : {std::int64_t{DT_HASH}, std::int64_t{DT_GNU_HASH}, std::int64_t{DT_VERDEF},
                                 std::int64_t{DT_VERNEED}, std::int64_t{DT_VERSYM}, std::int64_t{DT_RELA}}) {
    if (const auto where = object.value(tag)) try_all(object.offset_of(*where), 64);
  }
}

TEST(loadable_object, what_it_is_no_object_of_is_said) {
  const made_files files;
  files.compile("-c lib.c -DNAME=f -o lib.o");
  for (const char* const name : {"lib.c", "lib.o", "none"}) {
    try {
      const loadable_object object(files.path(name));
      ADD_FAILURE() << name;
    } catch (const pure::Error& error) {
      EXPECT_NE(std::string(error.what()).find(files.path(name)), std::string::npos) << error.what();
    }
  }
}

}  // namespace
