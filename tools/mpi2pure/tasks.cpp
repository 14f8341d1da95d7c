#include "mpi2pure/tasks.hpp"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/CompilerInstance.h>

#include <map>

#include "mpi2pure/called.hpp"
#include "mpi2pure/plan.hpp"
#include "mpi2pure/suggest.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

class loop_finder : public RecursiveASTVisitor<loop_finder> {
 public:
  loop_finder(ASTContext& context, const tasks_options& options, const macro_events& macros, changes& made)
      : context_(context),
        options_(options),
        macros_(macros),
        made_(made),
        thread_counts_(numbers_of_threads(context)) {}

  bool VisitOMPExecutableDirective(OMPExecutableDirective* directive) {
    if (!is_within_another(*directive)) look_at(*directive);
    return true;
  }

  bool VisitForStmt(ForStmt* loop) {
    if (options_.suggests && !is_within_another(*loop)) suggest_loop(*loop);
    return true;
  }

 private:
  template <typename Node, typename Parent>
  const Parent* around(const Node& node) {
    DynTypedNodeList parents = context_.getParents(node);
    while (!parents.empty()) {
      if (const auto* found = parents[0].template get<Parent>()) return found;
      parents = context_.getParents(parents[0]);
    }
    return nullptr;
  }

  template <typename Node>
  bool is_within_another(const Node& node) {
    return around<Node, OMPExecutableDirective>(node) != nullptr;
  }

  // Null for what is the system's.
  const source_file* file_of(SourceLocation location) {
    const SourceManager& sources = context_.getSourceManager();
    const SourceLocation place = sources.getExpansionLoc(location);
    if (place.isInvalid() || sources.isInSystemHeader(place)) return nullptr;
    const FileID id = sources.getFileID(place);
    const auto found = files_.try_emplace(id, nullptr);
    if (found.second) found.first->second = std::make_unique<source_file>(context_, id);
    return found.first->second.get();
  }

  bool is_in_tree(const source_file& file) const {
    return file.path().size() > options_.root.size() &&
           file.path().compare(0, options_.root.size(), options_.root) == 0;
  }

  edit include_for(const source_file& file) {
    std::size_t first = file.text().size();
    for (const Decl* one : context_.getTranslationUnitDecl()->decls()) {
      const std::optional<std::size_t> at = file.offset(one->getBeginLoc());
      if (at && !one->isImplicit()) first = std::min(first, *at);
    }
    const FileID main = context_.getSourceManager().getMainFileID();
    const bool is_header = !file.offset(context_.getSourceManager().getLocForStartOfFile(main));
    return file.include_of_tasks(first, is_header);
  }

  void leave(const source_file& file, const Stmt& directive, const refusal& why) {
    const std::size_t at = file.offset(directive.getBeginLoc()).value_or(0);
    std::string reason = why.reason;
    const std::optional<std::size_t> place = why.at != nullptr ? file.offset(why.at->getBeginLoc()) : std::nullopt;
    if (place && file.line(*place) != file.line(at)) reason += " (line " + std::to_string(file.line(*place)) + ")";
    made_.leave(file.path(), at, file.line(at), reason);
  }

  void look_at(const OMPExecutableDirective& directive) {
    const source_file* file = file_of(directive.getBeginLoc());
    if (file == nullptr) return;
    const std::size_t at = file->offset(directive.getBeginLoc()).value_or(0);
    if (file->has_its_twin(at)) return;
    const OpenMPDirectiveKind kind = directive.getDirectiveKind();
    switch (kind) {  // What is a hint, or belongs to a region elsewhere.
      case llvm::omp::OMPD_simd:
      case llvm::omp::OMPD_atomic:
      case llvm::omp::OMPD_critical:
      case llvm::omp::OMPD_barrier:
      case llvm::omp::OMPD_flush:
      case llvm::omp::OMPD_taskwait:
      case llvm::omp::OMPD_taskyield: return;
      default: break;
    }
    try {
      if (!is_in_tree(*file)) throw refusal{"it lies outside of the tree " + options_.root};
      const bool is_loop = isa<OMPParallelForDirective>(directive);
      if ((directive.getBeginLoc().isMacroID() || file->text()[at] != '#') &&
          !(is_loop && has_own_line(*file, directive)))
        throw refusal{"its pragma is made by a macro or by _Pragma: write #pragma omp in a line of its own"};
      if (is_loop || isa<OMPParallelForSimdDirective>(directive)) {
        change_loop(*file, directive);
      } else if (const auto* parallel = dyn_cast<OMPParallelDirective>(&directive)) {
        change_region(*file, *parallel);
      } else if (isa<OMPForDirective>(directive) || isa<OMPForSimdDirective>(directive)) {
        throw refusal{"it belongs to a parallel region of another function"};
      } else {
        throw refusal{"tasks have nothing like omp " + llvm::omp::getOpenMPDirectiveName(kind).str()};
      }
    } catch (const refusal& why) {
      leave(*file, directive, why);
    }
  }

  // Whether the macro that makes the pragma, or _Pragma, is all that stands in its line.
  bool has_own_line(const source_file& file, const OMPExecutableDirective& directive) const {
    const CharSourceRange range = context_.getSourceManager().getExpansionRange(directive.getBeginLoc());
    const std::optional<std::size_t> begin = file.offset(range.getBegin()), end = file.end_offset(range.getEnd());
    if (!begin || !end || *end < *begin) return false;
    const std::size_t line = file.line_start(*begin);
    return file.text().find_first_not_of(" \t", line) == *begin && file.line_start(*end) == line &&
           file.text().find_first_not_of(" \t\r", *end) == file.text().find('\n', *end);
  }

  surroundings around_loop(const source_file& file, const Stmt& statement) {
    return {context_, file, around<Stmt, FunctionDecl>(statement), macros_, thread_counts_};
  }

  void change_loop(const source_file& file, const OMPExecutableDirective& directive) {
    const surroundings here = around_loop(file, directive);
    const std::size_t at = *file.offset(directive.getBeginLoc());
    const std::vector<edit> edits = edits_of_loop(directive, nullptr, here, ++loops_of_[here.function]);
    made_.change(file.path(), file.text(), at, file.line(at), 1, edits, include_for(file));
  }

  void change_region(const source_file& file, const OMPParallelDirective& directive) {
    const surroundings here = around_loop(file, directive);
    const std::size_t at = *file.offset(directive.getBeginLoc()), line = file.line_start(at);
    try {
      const region found = read_region(directive, here);
      if (found.loops.empty()) throw refusal{"it has no loop"};
      const std::string newline = file.newline();
      std::vector<edit> edits{{line, 0, std::string("#ifndef ") + guard_macro + newline},
                              {file.end_of_pragma(line), 0, "#endif" + newline}};
      for (const OMPExecutableDirective* loop : found.loops) {
        try {
          for (edit& one : edits_of_loop(*loop, &found, here, ++loops_of_[here.function]))
            edits.push_back(std::move(one));
        } catch (refusal& why) {
          if (why.at == nullptr) why.at = loop;
          throw;
        }
      }
      made_.change(file.path(), file.text(), at, file.line(at), static_cast<unsigned>(found.loops.size()), edits,
                   include_for(file));
    } catch (const refusal& why) {  // All of them, or none.
      const std::vector<const OMPExecutableDirective*> loops = loops_in(directive.getAssociatedStmt());
      for (const OMPExecutableDirective* loop : loops) leave(file, *loop, why);
      if (loops.empty()) leave(file, directive, {"a parallel region without a loop"});
    }
  }

  void suggest_loop(const ForStmt& loop) {
    const source_file* file = file_of(loop.getBeginLoc());
    if (file == nullptr || !is_in_tree(*file) || loop.getBeginLoc().isMacroID()) return;
    const std::size_t at = file->offset(loop.getBeginLoc()).value_or(0);
    if (file->has_its_twin(at)) return;
    const std::string why = why_independent(loop, *file, context_);
    if (!why.empty()) made_.suggest(file->path(), file->line(at), why);
  }

  ASTContext& context_;
  const tasks_options& options_;
  const macro_events& macros_;
  changes& made_;
  const std::set<const ValueDecl*> thread_counts_;
  std::map<FileID, std::unique_ptr<source_file>> files_;
  std::map<const FunctionDecl*, unsigned> loops_of_;
};

class consumer : public ASTConsumer {
 public:
  consumer(CompilerInstance& compiler, const tasks_options& options, changes& made)
      : compiler_(compiler), options_(options), made_(made) {
    compiler.getPreprocessor().addPPCallbacks(watch_macros(macros_));
  }

  void HandleTranslationUnit(ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;  // What is not understood is not changed.
    loop_finder(context, options_, macros_, made_).TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  CompilerInstance& compiler_;
  const tasks_options& options_;
  changes& made_;
  macro_events macros_;
};

class action : public ASTFrontendAction {
 public:
  action(const tasks_options& options, changes& made) : options_(options), made_(made) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance& compiler, StringRef) override {
    return std::make_unique<consumer>(compiler, options_, made_);
  }

 private:
  const tasks_options& options_;
  changes& made_;
};

class factory : public tooling::FrontendActionFactory {
 public:
  factory(const tasks_options& options, changes& made) : options_(options), made_(made) {}
  std::unique_ptr<FrontendAction> create() override { return std::make_unique<action>(options_, made_); }

 private:
  const tasks_options& options_;
  changes& made_;
};

}  // namespace

std::unique_ptr<tooling::FrontendActionFactory> tasks_action(const tasks_options& options, changes& made) {
  return std::make_unique<factory>(options, made);
}

}  // namespace mpi2pure
