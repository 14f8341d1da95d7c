#include "mpi2pure/called.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/SourceManager.h>

#include <algorithm>
#include <set>

#include "mpi2pure/ported.hpp"
#include "mpi2pure/text.hpp"

namespace mpi2pure {

using namespace clang;

std::string why_not_named(const VarDecl* variable) {
  const std::string name = variable->getNameAsString();
  if (variable->hasAttr<OMPThreadPrivateDeclAttr>()) return "'" + name + "' is threadprivate";
  const auto range = variable->specific_attrs<AnnotateAttr>();
  const bool is_marked = std::any_of(range.begin(), range.end(), [](const AnnotateAttr* one) {
    return one->getAnnotation() == rank_local;  // Over an MPI, too, where the word is empty.
  });
  if (variable->getTLSKind() != VarDecl::TLS_None || is_marked)
    return "'" + name + "' is thread-local: a chunk sees that of the thread which runs it";
  return "";
}

namespace {

std::string by_name(const FunctionDecl* function) {
  const std::string name = function->getNameAsString();
  if (name == "MPI_Abort") return "";  // In a chunk, too, it ends the job.
  if (begins_with(name, "MPI_") || begins_with(name, "PMPI_") || begins_with(name, "MPIX_"))
    return "it calls " + name + ": a chunk may not communicate";
  if (begins_with(name, "omp_") && name != "omp_get_wtime" && name != "omp_get_wtick") {
    if (name.find("lock") != std::string::npos) return "it calls " + name + ": a lock of OpenMP";
    return "it calls " + name + ", which a chunk of another rank answers for itself";
  }
  if (name == "setjmp" || name == "_setjmp" || name == "longjmp" || name == "siglongjmp" || name == "__sigsetjmp")
    return "it calls " + name;
  if (name == "alloca" || name == "__builtin_alloca") return "it calls alloca";
  return "";
}

// The first thing in a function's body that a chunk may not do.
class inside : public RecursiveASTVisitor<inside> {
 public:
  inside(const SourceManager& sources, const std::set<const ValueDecl*>& thread_counts,
         std::set<const FunctionDecl*>& seen)
      : sources_(sources), thread_counts_(thread_counts), seen_(seen) {}

  std::string found;

  bool VisitDeclRefExpr(DeclRefExpr* reference) {
    if (const auto* variable = dyn_cast<VarDecl>(reference->getDecl())) found = why_not_named(variable);
    if (const auto* function = dyn_cast<FunctionDecl>(reference->getDecl())) look_at(function);
    if (found.empty()) counts_no_threads(reference->getDecl());
    return found.empty();
  }
  bool VisitMemberExpr(MemberExpr* member) {
    counts_no_threads(member->getMemberDecl());
    if (const auto* function = dyn_cast<FunctionDecl>(member->getMemberDecl())) look_at(function);
    return found.empty();
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) {
    look_at(made->getConstructor());
    return found.empty();
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective* directive) {
    if (isa<OMPSimdDirective>(directive) || isOpenMPParallelDirective(directive->getDirectiveKind())) return true;
    const PresumedLoc at = sources_.getPresumedLoc(directive->getBeginLoc());
    found = "omp " + llvm::omp::getOpenMPDirectiveName(directive->getDirectiveKind()).str() + " (line " +
            std::to_string(at.isValid() ? at.getLine() : 0) + ")";
    return false;
  }

  void look_at(const FunctionDecl* function) {
    if (!(found = by_name(function)).empty()) return;
    const FunctionDecl* definition = nullptr;
    if (!function->hasBody(definition) || !seen_.insert(definition->getCanonicalDecl()).second) return;
    if (sources_.isInSystemHeader(definition->getLocation())) return;
    inside next(sources_, thread_counts_, seen_);
    next.TraverseStmt(definition->getBody());
    if (next.found.empty()) return;
    found = "it calls " + function->getNameAsString() + ", and there: " + next.found;
  }

 private:
  void counts_no_threads(const ValueDecl* named) {
    if (thread_counts_.count(cast<ValueDecl>(named->getCanonicalDecl())) != 0)
      found = "it depends on the number of threads, '" + named->getNameAsString() + "'";
  }

  const SourceManager& sources_;
  const std::set<const ValueDecl*>& thread_counts_;
  std::set<const FunctionDecl*>& seen_;
};

}  // namespace

std::string why_not_called(const FunctionDecl* function, const std::set<const ValueDecl*>& thread_counts,
                           const ASTContext& context) {
  std::set<const FunctionDecl*> seen;
  inside look(context.getSourceManager(), thread_counts, seen);
  look.look_at(function);
  return look.found;
}

}  // namespace mpi2pure
