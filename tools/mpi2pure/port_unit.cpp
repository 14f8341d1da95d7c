#include "mpi2pure/port_unit.hpp"

#include <clang/Basic/FileManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/FileSystem.h>

#include "mpi2pure/source.hpp"

namespace mpi2pure {

using namespace clang;

std::string port_unit::path_of(FileID file) const {
  const auto [found, is_new] = paths_.try_emplace(file, "");
  if (!is_new) return found->second;
  const FileEntry* entry = sources_.getFileEntryForID(file);
  if (entry == nullptr) return "";
  llvm::SmallString<256> real;
  if (llvm::sys::fs::real_path(entry->getName(), real)) real = entry->getName();
  return found->second = real.str().str();
}

bool port_unit::is_program(FileID file) const {
  const SourceLocation start = sources_.getLocForStartOfFile(file);
  if (start.isInvalid() || sources_.isInSystemHeader(start)) return false;
  const std::string path = path_of(file);
  return path.size() > root_.size() && path.compare(0, root_.size(), root_) == 0;
}

bool port_unit::is_program(SourceLocation location) const {
  return location.isValid() && is_program(sources_.getFileID(sources_.getExpansionLoc(location)));
}

place port_unit::place_at(FileID file, std::size_t offset) const {
  return {path_of(file), offset, sources_.getLineNumber(file, static_cast<unsigned>(offset))};
}

std::optional<place> port_unit::place_of(SourceLocation location) const {
  if (location.isInvalid()) return std::nullopt;
  const auto [file, offset] = spelling(location);
  if (!is_program(file)) return std::nullopt;
  return place_at(file, offset);
}

std::optional<place> port_unit::begin_of(SourceLocation location, bool& is_in_macro) const {
  is_in_macro = false;
  while (location.isMacroID()) {
    SourceLocation begin;
    if (sources_.isMacroArgExpansion(location)) {
      location = sources_.getImmediateSpellingLoc(location);
    } else if (Lexer::isAtStartOfMacroExpansion(location, sources_, language_, &begin) && begin.isValid()) {
      location = begin;
    } else {
      location = sources_.getSpellingLoc(location);
      is_in_macro = true;
    }
  }
  return place_of(location);
}

bool port_unit::is_mpi(SourceLocation location) const {
  if (location.isInvalid()) return false;
  FileID file = sources_.getFileID(sources_.getExpansionLoc(location));
  while (file.isValid() && file != sources_.getMainFileID()) {
    if (is_program(file)) return false;
    const std::string path = path_of(file);
    if (path.size() > 6 && path.compare(path.size() - 6, 6, "/mpi.h") == 0) return true;
    file = sources_.getFileID(sources_.getIncludeLoc(file));
  }
  return false;
}

std::vector<FileID> port_unit::files() const {
  std::vector<FileID> result;
  std::set<std::string> known;
  for (unsigned at = 0; at < sources_.local_sloc_entry_size(); ++at) {
    const SrcMgr::SLocEntry& entry = sources_.getLocalSLocEntry(at);
    if (!entry.isFile()) continue;
    const FileID file = sources_.getFileID(SourceLocation::getFromRawEncoding(entry.getOffset()));
    if (file.isValid() && is_program(file)) result.push_back(file);
  }
  return result;
}

bool may_be_mpi(llvm::StringRef name) {
  return name.startswith("MPI_") || name.startswith("PMPI_") || name.startswith("MPIX_") || name.startswith("OMPI_");
}

namespace {

class port_watcher : public PPCallbacks {
 public:
  port_watcher(const port_unit& unit, Preprocessor& preprocessor, preprocessed& seen)
      : unit_(unit), preprocessor_(preprocessor), seen_(seen) {}

  void MacroExpands(const Token& name, const MacroDefinition& macro, SourceRange, const MacroArgs*) override {
    note(name, macro);
  }
  void Ifdef(SourceLocation, const Token& name, const MacroDefinition& macro) override {
    note_conditional(name, macro);
  }
  void Ifndef(SourceLocation, const Token& name, const MacroDefinition& macro) override {
    note_conditional(name, macro);
  }
  void Defined(const Token& name, const MacroDefinition& macro, SourceRange) override { note(name, macro); }
  void MacroDefined(const Token& name, const MacroDirective*) override {
    const std::string text = preprocessor_.getSpelling(name);
    if (!may_be_mpi(text)) return;
    if (unit_.is_mpi(name.getLocation())) seen_.mpi_macros.insert(text);
    if (!unit_.is_program(name.getLocation())) return;
    seen_.program_macros.insert(text);
    seen_.uses[unit_.spelling(name.getLocation())] = false;
  }
  void InclusionDirective(SourceLocation, const Token&, StringRef, bool, CharSourceRange name, const FileEntry* file,
                          StringRef, StringRef, const clang::Module*, SrcMgr::CharacteristicKind) override {
    if (file == nullptr || !file->getName().endswith("mpi.h") || !unit_.is_program(name.getBegin())) return;
    const unsigned begin = unit_.spelling(name.getBegin()).second;
    seen_.inclusions.push_back({name.getBegin(), unit_.spelling(name.getEnd()).second - begin, file});
  }
  void SourceRangeSkipped(SourceRange range, SourceLocation) override { seen_.skipped.push_back(range); }

 private:
  void note_conditional(const Token& name, const MacroDefinition& macro) {
    seen_.has_tasks |= preprocessor_.getSpelling(name) == guard_macro && unit_.is_program(name.getLocation());
    note(name, macro);
  }
  void note(const Token& name, const MacroDefinition& macro) {
    const MacroInfo* info = macro.getMacroInfo();
    if (info == nullptr || !may_be_mpi(preprocessor_.getSpelling(name))) return;
    seen_.uses[unit_.spelling(name.getLocation())] = unit_.is_mpi(info->getDefinitionLoc());
  }

  const port_unit& unit_;
  Preprocessor& preprocessor_;
  preprocessed& seen_;
};

}  // namespace

std::unique_ptr<PPCallbacks> watch_names(const port_unit& unit, Preprocessor& preprocessor, preprocessed& seen) {
  return std::make_unique<port_watcher>(unit, preprocessor, seen);
}

}  // namespace mpi2pure
