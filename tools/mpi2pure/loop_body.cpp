#include "mpi2pure/loop_body.hpp"

#include <clang/AST/RecursiveASTVisitor.h>

#include "mpi2pure/called.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

class reader : public RecursiveASTVisitor<reader> {
 public:
  reader(loop_body& body, const FunctionDecl* function, const std::set<const ValueDecl*>& thread_counts,
         const source_file& file, const ASTContext& context)
      : body_(body), function_(function), thread_counts_(thread_counts), file_(file), context_(context) {}

  bool shouldVisitImplicitCode() const { return true; }

  // Keeps the way from the body to where it is.
  bool TraverseStmt(Stmt* statement, DataRecursionQueue* = nullptr) {
    if (statement == nullptr) return true;
    way_.push_back(statement);
    const bool goes_on = RecursiveASTVisitor::TraverseStmt(statement);
    way_.pop_back();
    return goes_on;
  }
  bool TraverseCapturedStmt(CapturedStmt* region, DataRecursionQueue* = nullptr) {
    return TraverseStmt(region->getCapturedStmt());
  }
  bool TraverseOMPAtomicDirective(OMPAtomicDirective* directive, DataRecursionQueue* = nullptr) {
    read_atomic(directive);
    return TraverseStmt(directive->getAssociatedStmt());
  }

  bool VisitVarDecl(VarDecl* variable) {
    body_.declared.insert(variable);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr* reference) {
    const ValueDecl* named = reference->getDecl();
    if (isa<BindingDecl>(named) && is_of_function(named)) refuse("it uses a structured binding", reference);
    if (const auto* function = dyn_cast<FunctionDecl>(named)) called(function, reference);
    if (const auto* constant = dyn_cast<EnumConstantDecl>(named); constant != nullptr && is_local(constant))
      refuse_in_c("it uses a type that its function declares", reference);
    const auto* variable = dyn_cast<VarDecl>(named);
    if (variable == nullptr) return true;
    if (const std::string reason = why_not_named(variable); !reason.empty()) refuse(reason, reference);
    counts_no_threads(variable, reference);
    if (!is_of_function(variable)) {
      body_.globals.insert(variable);
    } else if (body_.declared.count(variable) == 0) {
      note_use(variable, reference);
    }
    return true;
  }
  bool VisitForStmt(ForStmt* loop) {
    if (!within(isOpenMPLoopDirective)) note_counted(loop->getInc(), loop);
    return true;
  }
  bool VisitMemberExpr(MemberExpr* member) {
    if (const auto* function = dyn_cast<FunctionDecl>(member->getMemberDecl())) called(function, member);
    if (const auto* variable = dyn_cast<VarDecl>(member->getMemberDecl())) {
      if (const std::string reason = why_not_named(variable); !reason.empty()) refuse(reason, member);
    }
    counts_no_threads(member->getMemberDecl(), member);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) {
    called(made->getConstructor(), made);
    return true;
  }
  bool VisitTypeLoc(TypeLoc type) {
    const Type* plain = type.getTypePtr();
    const TagDecl* tag = isa<TagType>(plain) ? cast<TagType>(plain)->getDecl() : nullptr;
    const NamedDecl* named = tag;
    if (const auto* alias = dyn_cast<TypedefType>(plain)) named = alias->getDecl();
    if (named == nullptr || !is_local(named) || context_.getLangOpts().CPlusPlus) return true;
    const std::optional<std::size_t> declared = file_.offset(named->getLocation()), used = file_.offset(begin());
    if (!declared || !used || *declared < *used) refuse("it uses a type that its function declares", nullptr);
    return true;
  }
  bool VisitPredefinedExpr(PredefinedExpr* name) {
    if (!context_.getSourceManager().isInSystemMacro(name->getBeginLoc()))
      refuse("it uses the name of its function (" + name->getIdentKindName(name->getIdentKind()).str() + ")", name);
    return true;
  }
  bool VisitOMPExecutableDirective(OMPExecutableDirective* directive) {
    const OpenMPDirectiveKind kind = directive->getDirectiveKind();
    // A parallel region in a chunk is complete in itself, and simd a hint.
    if (isa<OMPSimdDirective>(directive) || isa<OMPAtomicDirective>(directive) || isOpenMPParallelDirective(kind))
      return true;
    if (within(isOpenMPParallelDirective)) return true;
    refuse("it has omp " + llvm::omp::getOpenMPDirectiveName(kind).str(), directive);
    return true;
  }
  bool VisitVAArgExpr(VAArgExpr* argument) { return refuse("it uses va_arg", argument); }
  bool VisitAddrLabelExpr(AddrLabelExpr* label) { return refuse("it takes the address of a label", label); }
  bool VisitIndirectGotoStmt(IndirectGotoStmt* jump) { return refuse("it has a computed goto", jump); }
  bool VisitCoroutineSuspendExpr(CoroutineSuspendExpr* wait) { return refuse("it is a part of a coroutine", wait); }

 private:
  SourceLocation begin() const { return way_.front()->getBeginLoc(); }

  bool refuse(const std::string& reason, const Stmt* at) { throw refusal{reason, at}; }
  void refuse_in_c(const std::string& reason, const Stmt* at) {
    if (!context_.getLangOpts().CPlusPlus) refuse(reason, at);
  }

  void counts_no_threads(const ValueDecl* named, const Stmt* at) {
    if (thread_counts_.count(cast<ValueDecl>(named->getCanonicalDecl())) != 0)
      refuse("it depends on the number of threads, '" + named->getNameAsString() + "'", at);
  }

  static bool is_local(const Decl* declared) { return declared->getParentFunctionOrMethod() != nullptr; }
  bool is_of_function(const Decl* declared) const { return is_local(declared); }

  bool within(bool (*is_of_kind)(OpenMPDirectiveKind)) const {
    for (std::size_t at = 0; at + 1 < way_.size(); ++at) {
      const auto* directive = dyn_cast<OMPExecutableDirective>(way_[at]);
      if (directive != nullptr && is_of_kind(directive->getDirectiveKind())) return true;
    }
    return false;
  }

  void note_counted(const Expr* step, const Stmt* loop) {
    if (step == nullptr) return;
    step = step->IgnoreParens();
    const Expr* changed = nullptr;
    if (const auto* unary = dyn_cast<UnaryOperator>(step); unary != nullptr && unary->isIncrementDecrementOp())
      changed = unary->getSubExpr();
    const auto* binary = dyn_cast<BinaryOperator>(step);
    if (binary != nullptr && binary->isAssignmentOp()) changed = binary->getLHS();
    if (binary != nullptr && binary->isCommaOp()) {
      note_counted(binary->getLHS(), loop);
      note_counted(binary->getRHS(), loop);
    }
    const auto* named = changed != nullptr ? dyn_cast<DeclRefExpr>(changed->IgnoreParens()) : nullptr;
    const auto* variable = named != nullptr ? dyn_cast<VarDecl>(named->getDecl()) : nullptr;
    if (variable != nullptr) body_.counted.emplace(variable, loop);
  }

  void called(const FunctionDecl* function, const Stmt* at) {
    if (const std::string reason = why_not_called(function, thread_counts_, context_); !reason.empty())
      refuse(reason, at);
    if (context_.getLangOpts().CPlusPlus) return;
    if (is_local(function) && function->getDefinition() == nullptr)
      refuse("it calls " + function->getNameAsString() + ", which its function declares", at);
    if (function_ != nullptr && function->getCanonicalDecl() == function_->getCanonicalDecl() &&
        function_->getPreviousDecl() == nullptr)
      refuse("it calls " + function->getNameAsString() + ", which is not declared before", at);
  }

  // What the reference is a part of, without parentheses.
  const Stmt* user(std::size_t& up) const {
    do ++up;
    while (up < way_.size() && isa<ParenExpr>(way_[way_.size() - 1 - up]));
    return up < way_.size() ? way_[way_.size() - 1 - up] : nullptr;
  }

  void note_use(const VarDecl* variable, const DeclRefExpr* reference) {
    usage& use = body_.uses[variable];
    use.places.push_back(reference->getLocation());
    std::size_t up = 0;
    const Stmt* user_of = user(up);
    const auto* cast_of = dyn_cast_or_null<ImplicitCastExpr>(user_of);
    if (cast_of == nullptr || cast_of->getCastKind() != CK_ArrayToPointerDecay) use.is_array_as_pointer = false;
    const bool is_read = (cast_of != nullptr && cast_of->getCastKind() == CK_LValueToRValue) ||
                         isa_and_nonnull<UnaryExprOrTypeTraitExpr>(user_of);
    if (!is_read) use.is_only_read = false;
  }

  void read_atomic(OMPAtomicDirective* directive) {
    bool is_update = true;
    for (const OMPClause* clause : directive->clauses()) {
      switch (clause->getClauseKind()) {
        case llvm::omp::OMPC_update:
        case llvm::omp::OMPC_relaxed: break;
        default: is_update = false;
      }
    }
    const Stmt* statement = directive->getAssociatedStmt();
    while (const auto* region = dyn_cast<CapturedStmt>(statement)) statement = region->getCapturedStmt();
    if (const auto* cleanups = dyn_cast<ExprWithCleanups>(statement)) statement = cleanups->getSubExpr();
    if (!is_update) refuse("it has an omp atomic other than a relaxed update", directive);
    atomic_update update{directive, 0, 0, {}, {}, "", false};
    const Expr* changed = nullptr;
    if (const auto* unary = dyn_cast<UnaryOperator>(statement); unary != nullptr && unary->isIncrementDecrementOp()) {
      update.target = unary->getSubExpr()->getSourceRange();
      update.op = unary->isIncrementOp() ? "+" : "-";
      changed = unary->getSubExpr();
    } else if (const auto* binary = dyn_cast<CompoundAssignOperator>(statement)) {
      update.target = binary->getLHS()->getSourceRange();
      update.operand = binary->getRHS()->getSourceRange();
      update.op = BinaryOperator::getOpcodeStr(BinaryOperator::getOpForCompoundAssignment(binary->getOpcode())).str();
      changed = binary->getLHS();
    } else if (const auto* assigned = dyn_cast<BinaryOperator>(statement); assigned != nullptr) {
      const auto* made = dyn_cast<BinaryOperator>(assigned->getRHS()->IgnoreParenImpCasts());
      if (made == nullptr) refuse("it has an omp atomic of a form that is not known", directive);
      const auto text = [&](const Expr* part) { return file_.text_of(part->IgnoreParens()->getSourceRange()); };
      update.target = assigned->getLHS()->getSourceRange();
      update.operand_first = text(made->getRHS()) == text(assigned->getLHS());
      if (!update.operand_first && text(made->getLHS()) != text(assigned->getLHS()))
        refuse("it has an omp atomic of a form that is not known", directive);
      update.operand = (update.operand_first ? made->getLHS() : made->getRHS())->getSourceRange();
      update.op = BinaryOperator::getOpcodeStr(made->getOpcode()).str();
      changed = assigned->getLHS();
    } else {
      refuse("it has an omp atomic of a form that is not known", directive);
    }
    const QualType type = changed->getType();
    const Type* number = type.getNonReferenceType().getCanonicalType().getTypePtr();
    const bool fits = number->isIntegerType() || number->isSpecificBuiltinType(BuiltinType::Double) ||
                      number->isSpecificBuiltinType(BuiltinType::Float);
    if (changed->refersToBitField()) refuse("it has an omp atomic of a bit-field", directive);
    if (!fits) refuse("it has an omp atomic of a type that is neither an integer, nor float, nor double", directive);
    const std::optional<std::size_t> begin = file_.offset(directive->getBeginLoc()), end = file_.end_of(statement);
    if (directive->getBeginLoc().isMacroID() || !begin || !end) refuse("its omp atomic is made by a macro", directive);
    update.begin = file_.line_start(*begin);
    update.end = *end;
    body_.atomics.push_back(update);
  }

  loop_body& body_;
  const FunctionDecl* function_;
  const std::set<const ValueDecl*>& thread_counts_;
  const source_file& file_;
  const ASTContext& context_;
  std::vector<const Stmt*> way_;
};

}  // namespace

loop_body read_body(const Stmt* body, const FunctionDecl* function, const std::set<const ValueDecl*>& thread_counts,
                    const source_file& file, const ASTContext& context) {
  loop_body result;
  reader(result, function, thread_counts, file, context).TraverseStmt(const_cast<Stmt*>(body));
  for (const VarDecl* own : result.declared) result.counted.erase(own);
  return result;
}

}  // namespace mpi2pure
