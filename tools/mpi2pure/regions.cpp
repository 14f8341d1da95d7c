// Parallel regions of several loops. Loops that are shared one after the other keep all that the barriers between them
// promise. What else a region does, each of its threads would do: so it may be only what can be done once as well.
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

#include "mpi2pure/called.hpp"
#include "mpi2pure/plan.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

class region_reader {
 public:
  region_reader(region& found, const surroundings& around) : found_(found), around_(around) {}

  void read(const Stmt* statement) {
    if (statement == nullptr || isa<NullStmt>(statement) || isa<OMPBarrierDirective>(statement)) return;
    if (const auto* block = dyn_cast<CompoundStmt>(statement)) {
      for (const Stmt* part : block->body()) read(part);
    } else if (const auto* captured = dyn_cast<CapturedStmt>(statement)) {
      read(captured->getCapturedStmt());
    } else if (isa<OMPForDirective>(statement) || isa<OMPForSimdDirective>(statement)) {
      found_.loops.push_back(cast<OMPExecutableDirective>(statement));
    } else if (const auto* directive = dyn_cast<OMPExecutableDirective>(statement)) {
      const std::string name = llvm::omp::getOpenMPDirectiveName(directive->getDirectiveKind()).str();
      throw refusal{"its parallel region has omp " + name, statement};
    } else if (const auto* declares = dyn_cast<DeclStmt>(statement)) {
      for (const Decl* one : declares->decls()) declared(one, statement);
    } else if (const auto* branch = dyn_cast<IfStmt>(statement)) {
      harmless(branch->getCond(), statement);
      if (branch->getInit() != nullptr || branch->getConditionVariable() != nullptr)
        throw refusal{"its parallel region declares something in an if", statement};
      read(branch->getThen());
      read(branch->getElse());
    } else if (const auto* loop = dyn_cast<ForStmt>(statement)) {
      repeated(*loop);
    } else {
      names_no_thread(statement, statement);  // The better reason, if there is one.
      throw refusal{"its parallel region does more than loops", statement};
    }
  }

 private:
  // What can be done by all threads or by one: it changes nothing, and is the same for all.
  void harmless(const Expr* expression, const Stmt* at) {
    if (expression == nullptr) return;
    names_no_thread(expression, at);
    if (!changes_nothing(expression, around_.context)) throw refusal{"its parallel region does more than loops", at};
  }

  void names_no_thread(const Stmt* statement, const Stmt* at) {
    if (statement == nullptr) return;
    if (const auto* reference = dyn_cast<DeclRefExpr>(statement)) {
      std::string reason;
      if (const auto* variable = dyn_cast<VarDecl>(reference->getDecl())) reason = why_not_named(variable);
      if (const auto* function = dyn_cast<FunctionDecl>(reference->getDecl()))
        reason = why_not_called(function, around_.thread_counts, around_.context);
      if (!reason.empty()) throw refusal{"in its parallel region " + reason, at};
    }
    for (const Stmt* part : statement->children()) names_no_thread(part, at);
  }

  void declared(const Decl* one, const Stmt* at) {
    const auto* variable = dyn_cast<VarDecl>(one);
    if (variable == nullptr) return;
    if (variable->isStaticLocal() ||
        (variable->hasInit() && isa<CXXConstructExpr>(variable->getInit()->IgnoreImplicit())))
      throw refusal{"its parallel region makes '" + variable->getNameAsString() + "'", at};
    harmless(variable->getInit(), at);
    found_.declared.insert(variable);
  }

  // A loop that each thread does, around those which they share: with a variable of its own.
  void repeated(const ForStmt& loop) {
    const auto* start = dyn_cast_or_null<DeclStmt>(loop.getInit());
    if (start == nullptr || !start->isSingleDecl() || loop.getConditionVariable() != nullptr)
      throw refusal{"its parallel region has a loop whose variable is not its own", &loop};
    declared(start->getSingleDecl(), &loop);
    harmless(loop.getCond(), &loop);
    const auto* step = dyn_cast_or_null<UnaryOperator>(loop.getInc());
    const auto* stepped = step != nullptr ? dyn_cast<DeclRefExpr>(step->getSubExpr()->IgnoreParens()) : nullptr;
    if (stepped == nullptr || stepped->getDecl() != start->getSingleDecl() || !step->isIncrementDecrementOp())
      throw refusal{"its parallel region has a loop that is not a simple one", &loop};
    read(loop.getBody());
  }

  region& found_;
  const surroundings& around_;
};

void collect(const Stmt* statement, std::vector<const OMPExecutableDirective*>& loops) {
  if (statement == nullptr) return;
  if (isa<OMPForDirective>(statement) || isa<OMPForSimdDirective>(statement))
    loops.push_back(cast<OMPExecutableDirective>(statement));
  if (const auto* captured = dyn_cast<CapturedStmt>(statement)) return collect(captured->getCapturedStmt(), loops);
  for (const Stmt* part : statement->children()) collect(part, loops);
}

}  // namespace

std::vector<const OMPExecutableDirective*> loops_in(const Stmt* statement) {
  std::vector<const OMPExecutableDirective*> loops;
  collect(statement, loops);
  return loops;
}

region read_region(const OMPParallelDirective& directive, const surroundings& around) {
  region found;
  read_clauses(directive, around.file, around.context, found.clauses);
  if (!found.clauses.condition.empty()) throw refusal{"its parallel region has the clause if"};
  region_reader(found, around).read(directive.getAssociatedStmt());
  return found;
}

}  // namespace mpi2pure
