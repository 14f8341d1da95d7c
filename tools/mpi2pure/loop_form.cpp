#include "mpi2pure/loop_form.hpp"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

namespace mpi2pure {

using namespace clang;

std::string declaration(QualType type, const std::string& name, const ASTContext& context) {
  PrintingPolicy policy(context.getLangOpts());
  policy.SuppressUnwrittenScope = true;
  std::string text = name;
  type.getAsStringInternal(text, policy);
  return text;
}

namespace {

// A number's type: by the name that it has in the source if this is one for all to use, or by the language's.
std::string number_type(QualType type, const ASTContext& context) {
  type = type.getNonReferenceType().getUnqualifiedType();
  const auto* alias = dyn_cast<TypedefType>(type.getTypePtr());
  const bool is_for_all = alias != nullptr && alias->getDecl()->getDeclContext()->isTranslationUnit();
  return declaration(is_for_all || type->isDependentType() || !type->isBuiltinType() ? type : type.getCanonicalType(),
                     "", context);
}

std::string source_of(const Expr* expression, const source_file& file) {
  const std::optional<std::string> text = file.text_of(expression->getSourceRange());
  if (!text) throw refusal{"a part of its header is made by a macro"};
  return *text;
}

const VarDecl* variable_of(const Expr* expression) {
  const auto* reference = dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
  return reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
}

// left OPERATOR right, as the language or a class has it.
struct operation {
  const Expr* left;
  const Expr* right;
  BinaryOperatorKind kind;
};

std::optional<operation> operation_of(const Stmt* statement) {
  const auto* expression = dyn_cast_or_null<Expr>(statement);
  if (expression == nullptr) return std::nullopt;
  if (const auto* cleanups = dyn_cast<ExprWithCleanups>(expression)) expression = cleanups->getSubExpr();
  expression = expression->IgnoreParenImpCasts();
  if (const auto* binary = dyn_cast<BinaryOperator>(expression))
    return operation{binary->getLHS(), binary->getRHS(), binary->getOpcode()};
  const auto* call = dyn_cast<CXXOperatorCallExpr>(expression);
  if (call == nullptr || call->getNumArgs() != 2) return std::nullopt;
  if (call->getOperator() == OO_PlusPlus || call->getOperator() == OO_MinusMinus) return std::nullopt;
  return operation{call->getArg(0), call->getArg(1), BinaryOperator::getOverloadedOpcode(call->getOperator())};
}

void read_start(const ForStmt& loop, loop_level& level, const Expr*& lower, const source_file& file,
                const ASTContext& context) {
  if (const auto* declares = dyn_cast_or_null<DeclStmt>(loop.getInit())) {
    level.variable = declares->isSingleDecl() ? dyn_cast<VarDecl>(declares->getSingleDecl()) : nullptr;
    lower = level.variable != nullptr ? level.variable->getInit() : nullptr;
    level.is_declared_here = true;
  } else if (const std::optional<operation> assigned = operation_of(loop.getInit())) {
    level.variable = assigned->kind == BO_Assign ? variable_of(assigned->left) : nullptr;
    lower = assigned->right;
    level.is_declared_here = false;
  }
  if (level.variable == nullptr || lower == nullptr) throw refusal{"its header does not start one variable"};
  const QualType type = level.variable->getType().getNonReferenceType();
  if (level.variable->getType()->isReferenceType() && level.is_declared_here)
    throw refusal{"its variable is a reference"};
  level.is_iterator = type->isPointerType() || type->isRecordType();
  if (level.is_iterator && context.getLangOpts().CPlusPlus) {
    level.type = "auto";
  } else if (type->isDependentType() || type->getContainedAutoType() != nullptr) {
    if (type->isDependentType() && type->getContainedAutoType() != nullptr)
      throw refusal{"the type of its variable depends on a template"};
    level.type = declaration(type->isDependentType() ? type : type.getCanonicalType(), "", context);
  } else {
    level.type = number_type(type, context);
  }
  const Expr* plain = lower->IgnoreImplicit();
  if (const auto* list = dyn_cast<InitListExpr>(plain); list != nullptr && list->getNumInits() == 1)
    plain = list->getInit(0);
  level.lower = source_of(plain, file);
}

void read_end(const ForStmt& loop, loop_level& level, const ASTContext& context, const source_file& file) {
  std::optional<operation> compared = operation_of(loop.getCond());
  if (!compared && isa_and_nonnull<CXXRewrittenBinaryOperator>(loop.getCond()->IgnoreParenImpCasts())) {
    const auto rewritten = cast<CXXRewrittenBinaryOperator>(loop.getCond()->IgnoreParenImpCasts())->getDecomposedForm();
    compared = operation{rewritten.LHS, rewritten.RHS, rewritten.Opcode};
  }
  if (!compared) throw refusal{"its condition compares nothing"};
  BinaryOperatorKind kind = compared->kind;
  const Expr *own = compared->left, *bound = compared->right;
  if (variable_of(own) != level.variable) {
    std::swap(own, bound);
    kind = kind == BO_LT ? BO_GT : kind == BO_GT ? BO_LT : kind == BO_LE ? BO_GE : kind == BO_GE ? BO_LE : kind;
  }
  if (variable_of(own) != level.variable) throw refusal{"its condition does not compare its variable"};
  switch (kind) {
    case BO_LT: level.relation = loop_level::less; break;
    case BO_LE: level.relation = loop_level::less_equal; break;
    case BO_GT: level.relation = loop_level::greater; break;
    case BO_GE: level.relation = loop_level::greater_equal; break;
    case BO_NE: level.relation = loop_level::not_equal; break;
    default: throw refusal{"its condition is none of <, <=, >, >= and !="};
  }
  level.upper = source_of(bound->IgnoreImplicit(), file);
  const QualType type = own->getType();
  if (!type->isDependentType() && !bound->getType()->isDependentType())
    level.compared_type = level.is_iterator && context.getLangOpts().CPlusPlus ? "auto" : number_type(type, context);
  level.lower_needs_cast = !level.is_iterator && !type->isDependentType() &&
                           !context.hasSameUnqualifiedType(type.getNonReferenceType(),
                                                           level.variable->getType().getNonReferenceType());
}

// ++, --, +=, -=, i = i + c
void read_step(const ForStmt& loop, loop_level& level, const source_file& file, const ASTContext& context) {
  const Stmt* step = loop.getInc();
  if (const auto* cleanups = dyn_cast_or_null<ExprWithCleanups>(step)) step = cleanups->getSubExpr();
  bool subtracts = false;
  const Expr* by = nullptr;
  if (const auto* unary = dyn_cast_or_null<UnaryOperator>(step)) {
    subtracts = unary->isDecrementOp();
  } else if (const auto* call = dyn_cast_or_null<CXXOperatorCallExpr>(step);
             call != nullptr && (call->getOperator() == OO_PlusPlus || call->getOperator() == OO_MinusMinus)) {
    subtracts = call->getOperator() == OO_MinusMinus;
  } else if (std::optional<operation> made = operation_of(step)) {
    by = made->right;
    subtracts = made->kind == BO_SubAssign;
    if (made->kind == BO_Assign) {
      made = operation_of(made->right);
      if (!made) throw refusal{"the step of its header is not a constant one"};
      by = variable_of(made->left) == level.variable ? made->right : made->left;
      subtracts = made->kind == BO_Sub;
    }
  } else {
    throw refusal{"its header has no step"};
  }
  level.goes_down = level.relation == loop_level::greater || level.relation == loop_level::greater_equal;
  level.step = "1";
  if (by == nullptr) {
    if (level.relation == loop_level::not_equal) level.goes_down = subtracts;
    return;
  }
  Expr::EvalResult value;
  if (!by->isValueDependent() && by->EvaluateAsInt(value, context)) {
    const bool is_negative = value.Val.getInt().isSigned() && value.Val.getInt().isNegative();
    if (level.relation == loop_level::not_equal) level.goes_down = is_negative != subtracts;
    if (value.Val.getInt() == 1 || (is_negative && -value.Val.getInt() == 1)) return;
  } else if (level.relation == loop_level::not_equal) {
    throw refusal{"its header has !=, and a step that is not a constant"};
  }
  const std::string text = source_of(by->IgnoreImplicit(), file);
  level.step = subtracts == level.goes_down ? text : "-(" + text + ")";
}

const Stmt* inner_loop(const Stmt* body) {
  while (const auto* block = dyn_cast<CompoundStmt>(body)) {
    if (block->size() != 1) return body;
    body = block->body_front();
  }
  return body;
}

// Whether an expression of the header names one of the outer loops' variables.
bool mentions(const Stmt* statement, const std::vector<loop_level>& outer) {
  if (statement == nullptr) return false;
  if (const auto* reference = dyn_cast<DeclRefExpr>(statement)) {
    for (const loop_level& level : outer) {
      if (reference->getDecl() == level.variable) return true;
    }
  }
  for (const Stmt* part : statement->children()) {
    if (mentions(part, outer)) return true;
  }
  return false;
}

}  // namespace

std::vector<loop_level> read_loops(const Stmt* statement, unsigned depth, const source_file& file,
                                   const ASTContext& context) {
  std::vector<loop_level> levels;
  for (unsigned number = 0; number < depth; ++number) {
    if (isa_and_nonnull<CXXForRangeStmt>(statement)) throw refusal{"it is a range-based loop"};
    const auto* loop = dyn_cast_or_null<ForStmt>(statement);
    if (loop == nullptr || loop->getCond() == nullptr) throw refusal{"it is not in OpenMP's canonical form"};
    if (loop->getBeginLoc().isMacroID()) throw refusal{"the loop is made by a macro"};
    loop_level level{};
    const Expr* lower = nullptr;
    read_start(*loop, level, lower, file, context);
    read_end(*loop, level, context, file);
    read_step(*loop, level, file, context);
    level.body = loop->getBody();
    if (mentions(lower, levels) || mentions(loop->getCond(), levels) || mentions(loop->getInc(), levels))
      throw refusal{"the loops that it collapses are not rectangular"};
    if (level.is_iterator && depth > 1) throw refusal{"it collapses loops of pointers or iterators"};
    if (level.is_iterator && level.step != "1") throw refusal{"a pointer or an iterator makes steps of more than one"};
    levels.push_back(level);
    statement = inner_loop(loop->getBody());
  }
  return levels;
}

}  // namespace mpi2pure
