#include "mpi2pure/suggest.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include <map>
#include <set>

#include "mpi2pure/loop_form.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

// What the body does to arrays: `is_independent` is false as soon as something may reach from one iteration to another.
class accesses : public RecursiveASTVisitor<accesses> {
 public:
  explicit accesses(const VarDecl* counter) : counter_(counter) {}

  bool is_independent = true;
  std::map<const ValueDecl*, bool> arrays;  // Whether it is written.
  unsigned loops = 0;

  bool VisitVarDecl(VarDecl* variable) {
    own_.insert(variable);
    if (variable->isStaticLocal() || variable->getType()->isReferenceType() || variable->getType()->isPointerType())
      is_independent = false;
    return true;
  }
  bool VisitForStmt(ForStmt*) { return ++loops != 0; }
  bool VisitCallExpr(CallExpr* call) {
    const FunctionDecl* function = call->getDirectCallee();
    const bool is_pure = function != nullptr && (function->hasAttr<ConstAttr>() || function->getBuiltinID() != 0) &&
                         !function->getReturnType()->isVoidType() && !has_pointers(*function);
    if (!is_pure) is_independent = false;
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr*) { return is_independent = false; }
  bool VisitCXXThisExpr(CXXThisExpr*) { return is_independent = false; }
  bool VisitOMPExecutableDirective(OMPExecutableDirective*) { return is_independent = false; }
  bool VisitReturnStmt(ReturnStmt*) { return is_independent = false; }
  bool VisitBreakStmt(BreakStmt*) { return is_independent = false; }  // Also of an inner loop: rather too few.
  bool VisitGotoStmt(GotoStmt*) { return is_independent = false; }
  bool VisitAsmStmt(AsmStmt*) { return is_independent = false; }
  bool VisitBinaryOperator(BinaryOperator* binary) {
    if (binary->isAssignmentOp()) written(binary->getLHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator* unary) {
    if (unary->isIncrementDecrementOp()) written(unary->getSubExpr());
    if (unary->getOpcode() == UO_AddrOf || unary->getOpcode() == UO_Deref) is_independent = false;
    return true;
  }
  bool VisitMemberExpr(MemberExpr* member) {
    if (member->isArrow()) is_independent = false;
    return true;
  }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr* element) {
    if (const ValueDecl* array = base(element)) arrays.try_emplace(array, false);
    elements_.push_back(element);
    return true;
  }

  // After the body: each array that is written is indexed by the counter alone, wherever it is named.
  void judge() {
    for (const ArraySubscriptExpr* element : elements_) {
      const ValueDecl* array = base(element);
      if (array == nullptr || (arrays[array] && own_.count(array) == 0 && !is_by_counter(outermost_index(element))))
        is_independent = false;
    }
  }

 private:
  static bool has_pointers(const FunctionDecl& function) {
    for (const ParmVarDecl* parameter : function.parameters()) {
      if (parameter->getType()->isPointerType() || parameter->getType()->isReferenceType()) return true;
    }
    return false;
  }

  static const ArraySubscriptExpr* first_of(const ArraySubscriptExpr* element) {
    while (const auto* inner = dyn_cast<ArraySubscriptExpr>(element->getBase()->IgnoreParenImpCasts())) element = inner;
    return element;
  }
  static const ValueDecl* base(const ArraySubscriptExpr* element) {
    const auto* name = dyn_cast<DeclRefExpr>(first_of(element)->getBase()->IgnoreParenImpCasts());
    return name != nullptr ? name->getDecl() : nullptr;
  }
  static const Expr* outermost_index(const ArraySubscriptExpr* element) { return first_of(element)->getIdx(); }

  bool is_by_counter(const Expr* index) const {
    const auto* name = dyn_cast<DeclRefExpr>(index->IgnoreParenImpCasts());
    return name != nullptr && name->getDecl() == counter_;
  }

  void written(const Expr* target) {
    target = target->IgnoreParenImpCasts();
    while (const auto* member = dyn_cast<MemberExpr>(target)) target = member->getBase()->IgnoreParenImpCasts();
    if (const auto* element = dyn_cast<ArraySubscriptExpr>(target)) {
      if (const ValueDecl* array = base(element)) arrays[array] = true;
      // A row of pointers may be the same row twice.
      if (first_of(element)->getType()->isPointerType() && first_of(element) != element) is_independent = false;
      return;
    }
    const auto* name = dyn_cast<DeclRefExpr>(target);
    if (name == nullptr || own_.count(name->getDecl()) == 0) is_independent = false;
  }

  const VarDecl* counter_;
  std::set<const ValueDecl*> own_;
  std::vector<const ArraySubscriptExpr*> elements_;
};

}  // namespace

std::string why_independent(const ForStmt& loop, const source_file& file, const ASTContext& context) {
  loop_level level{};
  try {
    level = read_loops(&loop, 1, file, context).front();
  } catch (const refusal&) {
    return "";
  }
  if (!level.variable->getType()->isIntegerType()) return "";
  accesses found(level.variable);
  found.TraverseStmt(const_cast<Stmt*>(level.body));
  found.judge();
  std::string writes, reads;
  bool can_overlap = false;
  for (const auto& [array, is_written] : found.arrays) {
    if (level.variable == array) return "";
    std::string& list = is_written ? writes : reads;
    list += (list.empty() ? "" : ", ") + array->getNameAsString();
    can_overlap |= array->getType()->isPointerType() && !array->getType().isRestrictQualified();
  }
  if (!found.is_independent || writes.empty()) return "";
  std::string why = "iteration " + level.variable->getNameAsString() + " writes only element " +
                    level.variable->getNameAsString() + " of " + writes + ", and its own variables";
  if (!reads.empty()) why += ", and reads " + reads;
  if (can_overlap && found.arrays.size() > 1) why += "; if these do not overlap";
  return why + " (" + std::to_string(found.loops + 1) + (found.loops == 0 ? " loop" : " nested loops") + ")";
}

}  // namespace mpi2pure
