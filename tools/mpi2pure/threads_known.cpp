// What a program does with the number of its threads, and which expressions only compute.
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

#include "mpi2pure/called.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

class counts : public RecursiveASTVisitor<counts> {
 public:
  explicit counts(std::set<const ValueDecl*>& found) : found_(found) {}

  bool VisitVarDecl(VarDecl* variable) {
    if (variable->hasInit() && !isa<ParmVarDecl>(variable)) given(variable, variable->getInit());
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator* binary) {
    if (!binary->isAssignmentOp()) return true;
    const Expr* target = binary->getLHS()->IgnoreParenImpCasts();
    if (const auto* name = dyn_cast<DeclRefExpr>(target)) given(name->getDecl(), binary->getRHS());
    if (const auto* member = dyn_cast<MemberExpr>(target)) given(member->getMemberDecl(), binary->getRHS());
    return true;
  }
  bool VisitReturnStmt(ReturnStmt* result) {
    if (function_ != nullptr && result->getRetValue() != nullptr) given(function_, result->getRetValue());
    return true;
  }
  bool TraverseFunctionDecl(FunctionDecl* function) {
    const FunctionDecl* const outer = function_;
    function_ = function->getCanonicalDecl();
    const bool goes_on = RecursiveASTVisitor::TraverseFunctionDecl(function);
    function_ = outer;
    return goes_on;
  }

 private:
  void given(const ValueDecl* target, const Stmt* value) {
    if (is_number_of_threads(value)) found_.insert(cast<ValueDecl>(target->getCanonicalDecl()));
  }

  bool is_number_of_threads(const Stmt* value) const {
    if (value == nullptr) return false;
    const ValueDecl* named = nullptr;
    if (const auto* name = dyn_cast<DeclRefExpr>(value)) named = name->getDecl();
    if (const auto* member = dyn_cast<MemberExpr>(value)) named = member->getMemberDecl();
    if (named != nullptr) {
      if (found_.count(cast<ValueDecl>(named->getCanonicalDecl())) != 0) return true;
      const std::string name = named->getNameAsString();
      if (name == "omp_get_max_threads" || name == "omp_get_num_threads" || name == "omp_get_num_procs" ||
          name == "omp_get_thread_limit" || name == "omp_in_parallel" || name == "omp_get_thread_num")
        return true;
    }
    for (const Stmt* part : value->children()) {
      if (is_number_of_threads(part)) return true;
    }
    return false;
  }

  std::set<const ValueDecl*>& found_;
  const FunctionDecl* function_ = nullptr;
};

bool only_computes(const FunctionDecl* function, const ASTContext& context, unsigned depth);

bool changes_nothing(const Stmt* statement, const ASTContext& context, unsigned depth) {
  if (statement == nullptr) return true;
  if (const auto* binary = dyn_cast<BinaryOperator>(statement); binary != nullptr && binary->isAssignmentOp())
    return false;
  if (const auto* unary = dyn_cast<UnaryOperator>(statement); unary != nullptr && unary->isIncrementDecrementOp())
    return false;
  if (isa<CXXNewExpr>(statement) || isa<CXXDeleteExpr>(statement) || isa<CXXThrowExpr>(statement) ||
      isa<CXXConstructExpr>(statement) || isa<LambdaExpr>(statement) || isa<StmtExpr>(statement) ||
      isa<CXXDependentScopeMemberExpr>(statement) || isa<AtomicExpr>(statement))
    return false;
  if (const auto* name = dyn_cast<DeclRefExpr>(statement); name != nullptr && name->getType().isVolatileQualified())
    return false;
  if (const auto* call = dyn_cast<CallExpr>(statement);
      call != nullptr && !only_computes(call->getDirectCallee(), context, depth))
    return false;
  for (const Stmt* part : statement->children()) {
    if (!changes_nothing(part, context, depth)) return false;
  }
  return true;
}

bool only_computes(const FunctionDecl* function, const ASTContext& context, unsigned depth) {
  if (function == nullptr || depth == 0) return false;
  if (function->hasAttr<ConstAttr>() || function->hasAttr<PureAttr>()) return true;
  const auto* method = dyn_cast<CXXMethodDecl>(function);
  const bool is_system = context.getSourceManager().isInSystemHeader(function->getLocation());
  if (is_system) return method != nullptr && (method->isConst() || method->getNameAsString() == "operator[]");
  const FunctionDecl* definition = nullptr;
  if (!function->hasBody(definition) || (method != nullptr && method->isVirtual())) return false;
  return changes_nothing(definition->getBody(), context, depth - 1);
}

}  // namespace

std::set<const ValueDecl*> numbers_of_threads(ASTContext& context) {
  std::set<const ValueDecl*> found;
  std::size_t before;
  do {  // Until nothing new gets one.
    before = found.size();
    counts(found).TraverseDecl(context.getTranslationUnitDecl());
  } while (before != found.size());
  return found;
}

bool changes_nothing(const Stmt* expression, const ASTContext& context) {
  return changes_nothing(expression, context, 8);
}

}  // namespace mpi2pure
