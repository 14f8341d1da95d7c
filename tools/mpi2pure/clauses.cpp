#include "mpi2pure/clauses.hpp"

#include <clang/AST/DeclOpenMP.h>
#include <clang/AST/OpenMPClause.h>

#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace mpi2pure {

using namespace clang;

bool has(const std::vector<const VarDecl*>& variables, const VarDecl* variable) {
  return std::find(variables.begin(), variables.end(), variable) != variables.end();
}

namespace {

template <typename Clause>
void add_variables(const Clause& clause, const char* name, std::vector<const VarDecl*>& variables) {
  for (const Expr* listed : clause.varlists()) {
    const auto* reference = dyn_cast<DeclRefExpr>(listed->IgnoreParenImpCasts());
    const auto* variable = reference != nullptr ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
    if (variable == nullptr || isa<OMPCapturedExprDecl>(variable))
      throw refusal{std::string(name) + " names what is not a variable"};
    if (!has(variables, variable)) variables.push_back(variable);
  }
}

std::string operator_of(const OMPReductionClause& clause) {
  const DeclarationName name = clause.getNameInfo().getName();
  switch (name.getCXXOverloadedOperator()) {
    case OO_Plus:
    case OO_Minus: return "+";  // What is subtracted from each part is added up.
    case OO_Star: return "*";
    case OO_Amp: return "&";
    case OO_Pipe: return "|";
    case OO_Caret: return "^";
    case OO_AmpAmp: return "&&";
    case OO_PipePipe: return "||";
    default: break;
  }
  const std::string text = name.getAsString();
  if (text == "min" || text == "max") return text;
  throw refusal{"the reduction '" + text + "' is one of the program"};
}

void add_reductions(const OMPReductionClause& clause, std::vector<reduction>& reductions) {
  if (clause.getModifier() != OMPC_REDUCTION_unknown && clause.getModifier() != OMPC_REDUCTION_default)
    throw refusal{"its reduction has a modifier"};
  const std::string op = operator_of(clause);
  std::vector<const VarDecl*> variables;
  for (const Expr* listed : clause.varlists()) {
    if (listed->getType()->isArrayType() || !isa<DeclRefExpr>(listed->IgnoreParenImpCasts()))
      throw refusal{"it reduces an array"};
  }
  add_variables(clause, "reduction", variables);
  for (const VarDecl* variable : variables) {
    const QualType type = variable->getType().getNonReferenceType();
    if (type->isArrayType()) throw refusal{"it reduces an array"};
    if (!type->isDependentType() && !type->isArithmeticType() && !type->isAnyComplexType())
      throw refusal{"it reduces what is not a number"};
    if (type.isVolatileQualified() || type->isAtomicType()) throw refusal{"it reduces a volatile or atomic variable"};
    reductions.push_back({variable, op});
  }
}

// Of a clause that a macro makes: no text of the file has it as it is.
std::string printed(const Expr* value, const ASTContext& context) {
  value = value->IgnoreImplicit();
  if (const auto* named = dyn_cast<DeclRefExpr>(value)) {
    const auto* captured = dyn_cast<OMPCapturedExprDecl>(named->getDecl());
    if (captured != nullptr && captured->getInit() != nullptr) value = captured->getInit()->IgnoreImplicit();
  }
  std::string text;
  llvm::raw_string_ostream out(text);
  value->printPretty(out, nullptr, PrintingPolicy(context.getLangOpts()));
  out.flush();
  for (const char* part : {".capture_expr", "<unnamed", "(anonymous", "{", "\n"}) {
    if (text.find(part) != std::string::npos) throw refusal{"its clauses are made by a macro"};
  }
  return text;
}

void read_schedule(const OMPScheduleClause& clause, const source_file& file, const ASTContext& context,
                   loop_clauses& known) {
  if (clause.getChunkSize() == nullptr) return;
  if (clause.getBeginLoc().isMacroID()) {
    known.chunk = printed(clause.getChunkSize(), context);
    return;
  }
  // Clang may have moved the size to a variable of its own; the source says it all the same.
  const SourceLocation comma = const_cast<OMPScheduleClause&>(clause).getCommaLoc();  // Not const in Clang 14.
  const SourceLocation begin = comma.getLocWithOffset(1), end = clause.getEndLoc();
  const std::optional<std::size_t> first = file.offset(begin), last = file.offset(end);
  if (!first || !last || begin.isMacroID() || end.isMacroID()) throw refusal{"its schedule is made by a macro"};
  known.chunk = file.text().substr(*first, *last - *first);
  known.chunk.erase(0, known.chunk.find_first_not_of(" \t"));
}

void keep_for_simd(const OMPClause& clause, const source_file& file, loop_clauses& known) {
  const std::optional<std::string> text = file.text_of(SourceRange(clause.getBeginLoc(), clause.getEndLoc()));
  if (!text) throw refusal{"its clauses are made by a macro"};
  known.simd_clauses += " " + *text;
}

void read_clause(const OMPClause& clause, const source_file& file, const ASTContext& context, loop_clauses& known) {
  if (const auto* privates = dyn_cast<OMPPrivateClause>(&clause)) {
    add_variables(*privates, "private", known.privates);
  } else if (const auto* first = dyn_cast<OMPFirstprivateClause>(&clause)) {
    add_variables(*first, "firstprivate", known.first_privates);
  } else if (const auto* last = dyn_cast<OMPLastprivateClause>(&clause)) {
    if (last->getKind() == OMPC_LASTPRIVATE_conditional) throw refusal{"it has lastprivate(conditional: ...)"};
    add_variables(*last, "lastprivate", known.last_privates);
  } else if (const auto* reduces = dyn_cast<OMPReductionClause>(&clause)) {
    add_reductions(*reduces, known.reductions);
  } else if (const auto* schedule = dyn_cast<OMPScheduleClause>(&clause)) {
    read_schedule(*schedule, file, context, known);
  } else if (const auto* branch = dyn_cast<OMPIfClause>(&clause)) {
    if (branch->getNameModifier() == llvm::omp::OMPD_simd) return;
    if (branch->getBeginLoc().isMacroID()) {
      known.condition = printed(branch->getCondition(), context);
      return;
    }
    const std::optional<std::size_t> first = file.offset(branch->getColonLoc().isValid()
                                                             ? branch->getColonLoc().getLocWithOffset(1)
                                                             : branch->getLParenLoc().getLocWithOffset(1));
    const std::optional<std::size_t> last = file.offset(branch->getEndLoc());
    if (!first || !last || branch->getEndLoc().isMacroID()) throw refusal{"its if is made by a macro"};
    known.condition = file.text().substr(*first, *last - *first);
  }
}

}  // namespace

bool loop_clauses::is_private(const VarDecl* variable) const {
  return has(privates, variable) || has(first_privates, variable) || has(last_privates, variable);
}

void read_clauses(const OMPExecutableDirective& directive, const source_file& file, const ASTContext& context,
                  loop_clauses& known) {
  for (const OMPClause* clause : directive.clauses()) {
    if (clause->isImplicit() || clause->getBeginLoc().isInvalid()) continue;
    switch (clause->getClauseKind()) {
      case llvm::omp::OMPC_private:
      case llvm::omp::OMPC_firstprivate:
      case llvm::omp::OMPC_lastprivate:
      case llvm::omp::OMPC_reduction:
      case llvm::omp::OMPC_schedule:
      case llvm::omp::OMPC_if: read_clause(*clause, file, context, known); break;
      case llvm::omp::OMPC_collapse: {
        const Expr* depth = cast<OMPCollapseClause>(clause)->getNumForLoops();
        Expr::EvalResult value;
        if (depth->isValueDependent() || !depth->EvaluateAsInt(value, context))
          throw refusal{"its collapse depends on a template"};
        known.depth = static_cast<unsigned>(value.Val.getInt().getZExtValue());
        break;
      }
      case llvm::omp::OMPC_safelen:
      case llvm::omp::OMPC_simdlen:
      case llvm::omp::OMPC_aligned:
      case llvm::omp::OMPC_nontemporal: keep_for_simd(*clause, file, known); break;
      case llvm::omp::OMPC_default:
      case llvm::omp::OMPC_shared:
      case llvm::omp::OMPC_num_threads:
      case llvm::omp::OMPC_proc_bind:
      case llvm::omp::OMPC_order:
      case llvm::omp::OMPC_nowait: break;
      default: throw refusal{"it has the clause " + llvm::omp::getOpenMPClauseName(clause->getClauseKind()).str()};
    }
  }
}

}  // namespace mpi2pure
