// Writable globals in an ELF file: which count, and that no file, however damaged, makes the reader leave it (the
// sanitizers watch). And names as people know them, without the C++ runtime.
#include "hang/elf_globals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "hang/globals_hint.hpp"
#include "support/environment.hpp"

namespace {

using namespace pure::core;
using fault = elf_globals::fault;

// A program with two segments, one of which is read-only after the start, and variables of all kinds.
class made_program {
 public:
  std::vector<std::byte> bytes() {
    std::vector<Elf64_Shdr> sections(7);
    std::string section_names(1, '\0'), names(1, '\0');
    std::vector<Elf64_Sym> symbols(1);
    const auto named = [](std::string& all, const std::string& name) {
      all += name + '\0';
      return static_cast<Elf64_Word>(all.size() - name.size() - 1);
    };
    const auto symbol = [&](const std::string& name, unsigned type, std::uint64_t value, std::uint64_t size,
                            Elf64_Half in) {
      symbols.push_back(
          {named(names, name), static_cast<unsigned char>(ELF64_ST_INFO(STB_LOCAL, type)), 0, in, value, size});
    };
    symbol("crtstuff.c", STT_FILE, 0, 0, SHN_ABS);
    symbol("completed.0", STT_OBJECT, 0x3000, 1, 2);
    symbol("app.c", STT_FILE, 0, 0, SHN_ABS);
    symbol("completed.1", STT_OBJECT, 0x3001, 1, 2);
    symbol("counter", STT_OBJECT, 0x2800, 8, 1);
    symbol("table", STT_OBJECT, 0x3100, 4096, 2);
    symbol("_ZL5cache", STT_OBJECT, 0x2808, 16, 1);
    symbol("function", STT_FUNC, 0x1000, 50, 1);
    symbol("elsewhere", STT_OBJECT, 0, 8, SHN_UNDEF);
    symbol("constant", STT_OBJECT, 0x1100, 8, 3);   // a section that is not writable
    symbol("relocated", STT_OBJECT, 0x2010, 8, 1);  // in the part that is read-only after the start
    symbol("each_thread", STT_TLS, 0x10, 8, 1);
    symbol("_ZGVZ4mainE1x", STT_OBJECT, 0x2900, 8, 1);
    symbol("_ZN4pure4core1xE", STT_OBJECT, 0x2908, 8, 1);
    symbol("too_long", STT_OBJECT, 0x4f00, 0x1000, 2);  // beyond its segment
    symbol("empty", STT_OBJECT, 0x2910, 0, 1);

    const auto section = [&](std::size_t number, const std::string& name, Elf64_Word type, Elf64_Xword flags) {
      sections[number].sh_name = named(section_names, name);
      sections[number].sh_type = type;
      sections[number].sh_flags = flags;
    };
    section(1, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE);
    section(2, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE);
    section(3, ".rodata", SHT_PROGBITS, SHF_ALLOC);
    section(4, ".symtab", SHT_SYMTAB, 0);
    section(5, ".strtab", SHT_STRTAB, 0);
    section(6, ".shstrtab", SHT_STRTAB, 0);
    sections[4].sh_link = 5;

    std::vector<Elf64_Phdr> segments(4);
    segments[0] = {PT_LOAD, PF_R | PF_X, 0, 0, 0, 0x1800, 0x1800, 0x1000};
    segments[1] = {PT_LOAD, PF_R | PF_W, 0x2000, 0x2000, 0x2000, 0x1000, 0x3000, 0x1000};
    segments[2] = {PT_GNU_RELRO, PF_R, 0x2000, 0x2000, 0x2000, 0x100, 0x100, 1};
    segments[3] = {PT_INTERP, PF_R, 0, 0, 0, 0, 0, 1};

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = EM_X86_64;
    header.e_entry = 0x1000;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<Elf64_Half>(segments.size());
    header.e_phoff = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(sections.size());
    header.e_shstrndx = 6;

    std::vector<std::byte> file(sizeof header);
    const auto append = [&file](const void* from, std::size_t count) {
      const std::size_t at = file.size();
      file.resize((at + count + 7) / 8 * 8);
      std::memcpy(file.data() + at, from, count);
      return at;
    };
    append(segments.data(), segments.size() * sizeof segments[0]);
    sections[4].sh_size = symbols.size() * sizeof symbols[0];
    sections[4].sh_offset = append(symbols.data(), sections[4].sh_size);
    sections[5].sh_size = names.size();
    sections[5].sh_offset = append(names.data(), names.size());
    sections[6].sh_size = section_names.size();
    sections[6].sh_offset = append(section_names.data(), section_names.size());
    header.e_shoff = append(sections.data(), sections.size() * sizeof sections[0]);
    std::memcpy(file.data(), &header, sizeof header);
    return file;
  }
};

std::vector<std::string> globals_in(const std::vector<std::byte>& file) {
  const elf_globals elf(file);
  std::vector<std::string> names;
  global_variable one;
  for (std::size_t at = 0; elf.next(at, one);) names.emplace_back(one.name);
  std::string_view text;
  for (std::size_t at = 0; elf.next_dynamic(DT_NEEDED, at, text);) EXPECT_FALSE(text.empty());
  return names;
}

fault fault_of(const std::vector<std::byte>& file) { return elf_globals(file).what_is_wrong(); }

TEST(ElfGlobals, WritableVariablesOfTheProgramAreFound) {
  const std::vector<std::byte> file = made_program().bytes();
  ASSERT_EQ(fault_of(file), fault::none);
  EXPECT_EQ(globals_in(file), (std::vector<std::string>{"completed.1", "counter", "table", "_ZL5cache"}));
  const elf_globals elf(file);
  EXPECT_FALSE(elf.is_stripped());
  EXPECT_FALSE(elf.is_static());
  EXPECT_TRUE(elf.has_interpreter());
  EXPECT_EQ(elf.entry(), 0x1000U);
  global_variable one;
  std::size_t at = 0;
  while (elf.next(at, one) && one.name != "table") {
  }
  EXPECT_EQ(one.bytes, 4096U);
  EXPECT_EQ(one.section, ".bss");
  EXPECT_EQ(one.from, global_variable::origin::own);
}

TEST(ElfGlobals, FilesOfOtherKindsAreNamed) {
  const auto with = [](std::size_t at, unsigned char value) {
    std::vector<std::byte> file = made_program().bytes();
    file[at] = std::byte{value};
    return file;
  };
  EXPECT_EQ(fault_of({}), fault::no_elf);
  EXPECT_EQ(fault_of(with(0, 0)), fault::no_elf);
  EXPECT_EQ(fault_of(with(EI_CLASS, ELFCLASS32)), fault::not_64_bit);
  EXPECT_EQ(fault_of(with(EI_DATA, ELFDATA2MSB)), fault::big_endian);
  EXPECT_EQ(fault_of(with(offsetof(Elf64_Ehdr, e_machine), EM_RISCV)), fault::other_machine);
  EXPECT_EQ(fault_of(with(offsetof(Elf64_Ehdr, e_machine), EM_AARCH64)), fault::none);
  EXPECT_EQ(fault_of(with(offsetof(Elf64_Ehdr, e_type), ET_REL)), fault::object_file);
  EXPECT_EQ(fault_of(with(offsetof(Elf64_Ehdr, e_type), ET_CORE)), fault::core_file);
  EXPECT_EQ(fault_of(with(offsetof(Elf64_Ehdr, e_phnum), 0)), fault::damaged);
}

TEST(ElfGlobals, AFileThatIsCutOffAnywhereIsRefusedOrRead) {
  const std::vector<std::byte> whole = made_program().bytes();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_NE(fault_of(part), fault::none) << length;  // its sections lie at its end
    EXPECT_TRUE(globals_in(part).empty()) << length;
  }
}

TEST(ElfGlobals, NoByteMakesTheReaderLeaveTheFile) {
  const std::vector<std::byte> whole = made_program().bytes();
  constexpr std::array<unsigned, 6> values{0, 1, 0x7f, 0x80, 0xfe, 0xff};
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned value : values) {
      std::vector<std::byte> file = whole;
      file[at] = std::byte{static_cast<unsigned char>(value)};
      for (const std::string& name : globals_in(file)) EXPECT_LT(name.size(), file.size());
    }
  }
  std::mt19937 random(1);
  for (int round = 0; round < test_support::repetitions(20'000); ++round) {
    std::vector<std::byte> file = whole;
    for (unsigned changes = 1 + random() % 8; changes > 0; --changes) {
      const std::size_t at = random() % 4 == 0 ? random() % sizeof(Elf64_Ehdr) : random() % file.size();
      const std::size_t width = std::min<std::size_t>(1U << random() % 4, file.size() - at);
      std::memset(file.data() + at, static_cast<int>(values[random() % values.size()]), width);
    }
    globals_in(file);
  }
}

TEST(ElfGlobals, ThisProgramCanBeRead) {
  static int only_here = 0;
  ++only_here;
  std::vector<std::byte> file(std::filesystem::file_size("/proc/self/exe"));
  std::ifstream self("/proc/self/exe", std::ios::binary);
  ASSERT_TRUE(self.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(file.size())));
  ASSERT_EQ(fault_of(file), fault::none);
  bool is_there = false;
  for (const std::string& name : globals_in(file)) is_there = is_there || name.find("only_here") != std::string::npos;
  EXPECT_TRUE(is_there);
}

std::string plain(const std::string& name, std::size_t room = 80) {
  std::string text(room, 'x');
  text.resize(write_plain_name(name, text.data(), text.size()));
  return text;
}

TEST(PlainName, SimpleOnesAreAsPeopleWriteThem) {
  EXPECT_EQ(plain("counter"), "counter");
  EXPECT_EQ(plain("_ZL7counter"), "counter");
  EXPECT_EQ(plain("_ZN2ns5tableE"), "ns::table");
  EXPECT_EQ(plain("_ZN2nsL5tableE"), "ns::table");
  EXPECT_EQ(plain("_ZN12_GLOBAL__N_15tableE"), "(anonymous namespace)::table");
  EXPECT_EQ(plain("_ZZ4stepvE5calls"), "calls");
  EXPECT_EQ(plain("_ZZN5Solver4stepEiE5calls_0"), "calls");
}

TEST(PlainName, OthersStayAsTheyAre) {
  for (const char* const name : {"", "_Z", "_ZN", "_ZN5E", "_ZN99xE", "_ZNSt6vectorIiE1xE", "_ZZ", "_ZZE", "_Z1", "_ZL",
                                 "_ZNE", "_ZN99999999999999999999999xE", "_ZN2nsIiE1xE"}) {
    EXPECT_EQ(plain(name), name);
  }
}

TEST(PlainName, TheRoomIsEnough) {
  for (std::size_t room = 1; room < 12; ++room)
    EXPECT_EQ(plain("_ZN2ns5tableE", room), std::string("ns::table").substr(0, room - 1));
  EXPECT_EQ(plain("a\x1b[2J\n"), "a?[2J?");
}

}  // namespace
