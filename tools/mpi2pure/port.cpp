#include "mpi2pure/port.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendActions.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>

#include "mpi2pure/command_line.hpp"
#include "mpi2pure/port_passes.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

// ---- one translation unit -------------------------------------------------------------------------------------

class port_consumer : public ASTConsumer {
 public:
  port_consumer(CompilerInstance& compiler, const std::string& root, const names& table, ported& result)
      : compiler_(compiler),
        unit_(compiler.getSourceManager(), compiler.getLangOpts(), root),
        table_(table),
        result_(result) {
    compiler.getPreprocessor().addPPCallbacks(watch_names(unit_, compiler.getPreprocessor(), seen_));
  }

  void HandleTranslationUnit(ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;  // What is not understood is not changed.
    if (seen_.has_tasks) result_.add_tasks();
    port_names(context, unit_, seen_, table_, result_);
    port_globals(context, unit_, result_);
    port_casts(context, unit_, result_);
    result_.understand(unit_.path_of(compiler_.getSourceManager().getMainFileID()));
  }

 private:
  CompilerInstance& compiler_;
  port_unit unit_;
  const names& table_;
  ported& result_;
  preprocessed seen_;
};

class port_action : public ASTFrontendAction {
 public:
  port_action(const std::string& root, const names& table, ported& result)
      : root_(root), table_(table), result_(result) {}
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    return std::make_unique<port_consumer>(compiler, root_, table_, result_);
  }

 private:
  const std::string& root_;
  const names& table_;
  ported& result_;
};

class port_factory : public tooling::FrontendActionFactory {
 public:
  port_factory(const std::string& root, const names& table, ported& result)
      : root_(root), table_(table), result_(result) {}
  std::unique_ptr<FrontendAction> create() override { return std::make_unique<port_action>(root_, table_, result_); }

 private:
  const std::string& root_;
  const names& table_;
  ported& result_;
};

// ---- flags ----------------------------------------------------------------------------------------------------

// The headers of an installed mpi2pure are beside its folder, those of a build in the source.
std::string headers_of_pure() {
  static int anchor;
  const std::string program = llvm::sys::fs::getMainExecutable("mpi2pure", &anchor);
  llvm::SmallString<256> beside(llvm::sys::path::parent_path(llvm::sys::path::parent_path(program)));
  llvm::sys::path::append(beside, "include");
  return llvm::sys::fs::exists(beside + "/pure/mpi_names.h") ? beside.str().str() : PURE_HEADERS;
}

std::vector<std::string> flags_for(const std::vector<std::string>& words, bool has_tasks = false) {
  std::vector<std::string> flags = flags_of_interest(words);
  const bool has_openmp = has_tasks || std::any_of(words.begin(), words.end(), [](const std::string& word) {
                            return word.compare(0, 8, "-fopenmp") == 0 || word == "-qopenmp";
                          });
  if (!has_openmp) flags.erase(std::remove(flags.begin(), flags.end(), "-fopenmp"), flags.end());
  flags.insert(flags.end(), {"-fsyntax-only", "-idirafter", headers_of_pure()});
  return flags;
}

bool is_c(llvm::StringRef file) { return file.endswith(".c"); }

// As the translated file is compiled: C++, of 17 at least.
std::vector<std::string> flags_of_check(const std::vector<std::string>& words, llvm::StringRef file) {
  std::vector<std::string> flags;
  std::string standard = "-std=gnu++17";
  const std::vector<std::string> all = flags_for(words);
  for (std::size_t at = 0; at < all.size(); ++at) {
    const llvm::StringRef word = all[at];
    if (word == "-x") {
      ++at;
    } else if (word.startswith("-std=")) {
      if (!is_c(file) && (word.endswith("17") || word.endswith("1z") || word.endswith("20") || word.endswith("2a") ||
                          word.endswith("23") || word.endswith("2b")))
        standard = word.str();
    } else if (word != "-ansi" && word != "-w") {
      flags.push_back(word.str());
    }
  }
  flags.insert(flags.end(), {"-fno-caret-diagnostics", "-Wno-register", "-Werror=duplicate-decl-specifier", standard,
                             "-x", "c++", file.str()});
  return flags;
}

void with_flags(tooling::ClangTool& tool, const tooling::ArgumentsAdjuster& adjuster) {
  tool.clearArgumentsAdjusters();
  tool.appendArgumentsAdjuster(adjuster);
  static const std::string omp_h = text_of_omp_h(), path = std::string(omp_h_folder) + "/omp.h";  // Kept by reference.
  if (!omp_h.empty()) tool.mapVirtualFile(path, omp_h);
}

// ---- what the compiler says of the translation ----------------------------------------------------------------

class complaints : public DiagnosticConsumer {
 public:
  explicit complaints(ported& result) : result_(result) {
    for (const remark& one : result.left()) known_.insert({one.file, one.line});
  }

  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic& said) override {
    DiagnosticConsumer::HandleDiagnostic(level, said);
    if (level < DiagnosticsEngine::Error || !said.hasSourceManager() || said.getLocation().isInvalid()) return;
    const SourceManager& sources = said.getSourceManager();
    const SourceLocation location = sources.getExpansionLoc(said.getLocation());
    const FileEntry* entry = sources.getFileEntryForID(sources.getFileID(location));
    if (entry == nullptr) return;
    llvm::SmallString<256> text, real;
    said.FormatDiagnostic(text);
    if (llvm::sys::fs::real_path(entry->getName(), real)) real = entry->getName();
    const std::string file = real.str().str();
    const place at{file, sources.getFileOffset(location),
                   result_.original_line(file, sources.getExpansionLineNumber(location))};
    if (known_.count({at.file, at.line}) == 0) result_.leave(at, "C++ with pure.h: " + text.str().str());
  }

 private:
  ported& result_;
  std::set<std::pair<std::string, unsigned>> known_;
};

// With `has_tasks`, the compiler sees the loops of OpenMP even without its flag: their bodies are those of chunks.
void port_all(const tooling::CompilationDatabase& database, const std::vector<std::string>& files,
              const std::string& root, bool has_tasks, ported& result) {
  const names table;
  tooling::ClangTool tool(database, files);
  with_flags(tool, [=](const tooling::CommandLineArguments& words, llvm::StringRef file) {
    std::vector<std::string> flags = flags_for(words, has_tasks);
    flags.insert(flags.end(), {"-DPURE_OVER_MPI", annotated(rank_local), annotated(ranks_share), file.str()});
    return flags;
  });
  port_factory actions(root, table, result);
  tool.run(&actions);
}

}  // namespace

std::set<std::string> port(const tooling::CompilationDatabase& database, const std::vector<std::string>& files,
                           const std::string& root, ported& result) {
  port_all(database, files, root, false, result);
  if (result.has_tasks()) {
    result = ported();
    port_all(database, files, root, true, result);
  }
  result.settle();
  std::set<std::string> strange;
  for (const std::string& file : files) {
    const std::size_t commands = database.getCompileCommands(file).size();  // None: it is not looked at.
    if (result.times_understood(file) < std::max<std::size_t>(commands, 1)) strange.insert(file);
  }
  return strange;
}

void check_port(const tooling::CompilationDatabase& database, const std::vector<std::string>& files, ported& result) {
  tooling::ClangTool tool(database, files);
  with_flags(tool, flags_of_check);
  std::map<std::string, std::string> texts;  // The tool keeps references.
  for (const auto& [file, edits] : result.edits()) texts[file] = with_edits(result.original(file), edits);
  for (const auto& [file, text] : texts) tool.mapVirtualFile(file, text);
  tool.setPrintErrorMessage(false);
  complaints heard(result);
  tool.setDiagnosticConsumer(&heard);
  tool.run(tooling::newFrontendActionFactory<SyntaxOnlyAction>().get());
}

}  // namespace mpi2pure
