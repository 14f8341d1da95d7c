#include "loader/loaded_program.hpp"

#include <alloca.h>
#include <elf.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <stdexcept>

#include <fmt/core.h>

#include <pure/error.hpp>
#include <pure/export.hpp>

#include "base/environment.hpp"
#include "hang/program_file.hpp"
#include "hang/symbol_names.hpp"
#include "libc/descriptor_limit.hpp"
#include "libc/replacements.hpp"
#include "libc/shared_things.hpp"
#include "loader/closure.hpp"
#include "loader/machine.hpp"
#include "loader/own_start.hpp"
#include "loader/plug_ins.hpp"
#include "loader/program_exit.hpp"
#include "loader/program_model.hpp"
#include "loader/program_threads.hpp"
#include "loader/rank_program.hpp"
#include "loader/replaced_functions.hpp"
#include "loader/thread_block.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "start/calling_rank.hpp"
#include "start/rank_thread.hpp"
#include "start/thread_binding.hpp"

namespace pure::core {

namespace {

// Written before there are ranks.
std::string path_of_program;
program_closure closure_of_program;

/// Why a thread comes back to where it has entered the program.
enum way_back { not_gone, main_has_returned, thread_exits };

struct start_of_main {
  std::jmp_buf back;
  int status = 0;
  char*** environment = nullptr;  // the program's variable, which its constructors may set
};
/// Of the thread that runs a program's main.
constinit thread_local start_of_main* starting = nullptr;

/// Below are the program's first instructions, to which nothing returns, and which pthread_exit cannot unwind.
struct leap_back {
  std::jmp_buf* to;
  way_back why = thread_exits;
  explicit leap_back(std::jmp_buf& back) noexcept : to(&back) {}
  leap_back(const leap_back&) = delete;
  leap_back& operator=(const leap_back&) = delete;
  ~leap_back() {
    if (why == main_has_returned || !is_forked_child()) std::longjmp(*to, why);
  }
};

/// In place of libc's: the program's first instructions call it, with the address of main. `init`: programs that were
/// linked with a libc before 2.34 bring the function that runs their constructors.
int rank_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(int, char**, char**),
                    void (* /*fini*/)(), void (* /*rtld_fini*/)(), void* /*stack_end*/) {
  rank_program& program = *program_here();
  start_of_main& start = *starting;
  leap_back at_end(start.back);
  if (init != nullptr) {
    program.constructed().note_constructed_by_others(0);
    init(argc, argv, *start.environment);
  } else {
    program.constructed().construct(0, *start.environment);
  }
  share_of_rank::use_own();
  start.status = main(argc, argv, *start.environment);
  program.run_end(start.status);
  at_end.why = main_has_returned;
  return start.status;
}

const replacement replaced_start = replaced_by("__libc_start_main", rank_start_main);

/// What the kernel leaves on the stack of a process: arguments, environment, auxiliary vector.
[[noreturn]] __attribute__((noinline)) void enter(std::uint64_t entry, int argc, char** argv, char** environment) {
  std::size_t variables = 0;
  while (environment[variables] != nullptr) ++variables;
  const std::size_t words = 1 + static_cast<std::size_t>(argc) + 1 + variables + 1 + 4;
  // The stack begins at its lowest address: nothing of ours below that is needed any more.
  auto* const block = static_cast<std::uint64_t*>(__builtin_alloca_with_align(words * 8 + 64, 512));
  std::uint64_t* next = block;
  const auto put = [&](const void* value) { *next++ = reinterpret_cast<std::uint64_t>(value); };
  *next++ = static_cast<std::uint64_t>(argc);
  for (int i = 0; i < argc; ++i) put(argv[i]);
  put(nullptr);
  for (std::size_t i = 0; i < variables; ++i) put(environment[i]);
  put(nullptr);
  *next++ = AT_PAGESZ, *next++ = getauxval(AT_PAGESZ);
  *next++ = AT_NULL, *next++ = 0;
  enter_program(block, entry);
}

int run_program(rank_program& program, int argc, char** argv) {
  start_of_main start;
  start.environment = program.state().variables.environment;
  char** const environment = *start.environment;
  starting = &start;
  switch (setjmp(start.back)) {
    case not_gone: {
      // Until main, as a process that its launcher has bound: libraries count then how many threads they may have.
      share_of_rank::use_whole();
      constructed_objects& constructed = program.constructed();
      constructed.construct_before_libraries(environment);
      const program_model& model = program.images().model();
      for (const model_object* const each : model.program().constructors)
        if (each != &model.executable()) constructed.construct(each->number, environment);  // its first instructions do
      enter(program.images().base_of(0) + model.executable().file.entry(), argc, argv, environment);
    }
    case thread_exits:  // as the main thread of a process, whose last thread ends it with 0
      program.run_end_of_own_thread();
      wait_for_threads_of_rank();
      program.run_end(start.status = 0);
      break;
    case main_has_returned: break;
  }
  starting = nullptr;
  return start.status;
}

/// Made before there are ranks. Throws pure::Error.
program_model& model_of_program() {
  static const auto* const replaced = new replaced_functions({{&replaced_start, 1},
                                                              exit_replacements(),
                                                              error_replacements(),
                                                              thread_replacements(),
                                                              plug_in_replacements(),
                                                              argument_replacements(),
                                                              random_replacements(),
                                                              text_replacements(),
                                                              time_replacements(),
                                                              locale_replacements(),
                                                              database_replacements(),
                                                              math_replacements(),
                                                              process_replacements()});
  static auto* const model = new program_model(closure_of_program, *replaced);
  return *model;
}

bool calls_select() {
  constexpr std::string_view names[] = {"select", "__select", "pselect", "__fdelt_chk"};
  const std::vector<const model_object*>& objects = model_of_program().program().constructors;
  return std::any_of(objects.begin(), objects.end(), [&](const model_object* each) {
    const auto symbols = each->file.symbols();
    return std::any_of(symbols.begin(), symbols.end(), [&](const Elf64_Sym& symbol) {
      const std::string_view name = each->file.name_of(symbol);
      return symbol.st_shndx == SHN_UNDEF && std::find(std::begin(names), std::end(names), name) != std::end(names);
    });
  });
}

/// A helper runs chunks of all ranks' tasks: the program's thread-local variables have their first values there, as in
/// any thread. Addresses of globals among these would be those of one rank.
void begin_helper() {
  const program_model& model = model_of_program();
  const model_object& program = model.executable();
  const Elf64_Phdr* const block = program.file.segment(PT_TLS);
  if (block == nullptr) return;
  const bool has_addresses = std::any_of(program.words.begin(), program.words.end(), [&](const image_word& each) {
    return each.place >= block->p_vaddr && each.place < block->p_vaddr + block->p_filesz;
  });
  if (has_addresses) {
    end_process(fmt::format("{}: a thread-local variable begins with the address of a global variable, of which each "
                            "rank has its own, and a helper is of no rank: leave --helpers out",
                            program.file.path()),
                1);
  }
  set_thread_block(model.thread_block_bytes(), *block,
                   program.file.loaded<std::byte>(block->p_vaddr, block->p_filesz).data());
}

/// All that there have been; threads of ranks may outlive them.
rank_program& new_program(program_model& model, int rank) {
  static std::mutex adding;
  static auto* const all = new std::deque<rank_program>;
  const std::lock_guard lock(adding);
  return all->emplace_back(model, rank);
}

}  // namespace

const std::string& loaded_program_path() noexcept { return path_of_program; }

}  // namespace pure::core

extern "C" {

PURE_API void pure_take_program(char** arguments) {
  using namespace pure::core;
  constexpr const char* name = "PURE_LOAD";
  const char* const path = environment_variable(name);
  try {
    if (path == nullptr)
      throw std::runtime_error("this is a part of purerun, which says in PURE_LOAD what it is to run");
    path_of_program = path;
    closure_of_program = closure_of(path_of_program);
    begin_anew_for(closure_of_program, arguments);
    note_program_file(model_of_program().executable().file.path().c_str());
    program_is_loaded_from(model_of_program().executable().listed_path().c_str());
    helpers_begin_by(begin_helper);
  } catch (const std::bad_alloc&) {
    end_process(
        fmt::format("{} cannot be loaded: there is not enough memory (ulimit -v, or that of the machine)", path), 1);
  } catch (const std::exception& error) {
    end_process(error.what(), 1);
  }
  unsetenv(name);  // NOLINT(concurrency-mt-unsafe): there are no other threads
  // Whoever has executed this, an MPI's launcher, say, has called it by its own name.
  constexpr const char* name_of_program = "PURE_LOAD_NAME";
  if (const char* const shown = environment_variable(name_of_program); shown != nullptr) {
    static const std::string first = shown;
    arguments[0] = const_cast<char*>(first.c_str());
    unsetenv(name_of_program);  // NOLINT(concurrency-mt-unsafe): as above
  }
  keep_environment();
  prctl(PR_SET_NAME, path_of_program.substr(path_of_program.rfind('/') + 1).c_str());
}

PURE_API int pure_run_program(int argc, char** argv) {
  using namespace pure::core;
  const rank_context* const rank = rank_of_thread();
  if (rank == nullptr) throw pure::Error(pure::errc::state, "a program is loaded for ranks only");
  expect_ranks(rank->owner().ranks_here());
  static std::once_flag is_raised;
  std::call_once(is_raised, [&] { raise_descriptor_limit(rank->owner().ranks_here(), calls_select); });
  rank_program& program = new_program(model_of_program(), rank->number());
  program.images().bind_late_by(bind_late_call);
  program.images().load(program.images().model().program());
  program.constructed().set_arguments(argc, argv);
  program.own_by_this_thread();
  program.begin_thread();
  begin_rank(program.state());
  return run_program(program, argc, argv);
}

}  // extern "C"
