#include "mpi2pure/plan.hpp"

#include <clang/AST/StmtCXX.h>

#include <algorithm>

namespace mpi2pure {

using namespace clang;

namespace {

const Stmt* loop_of(const OMPExecutableDirective& directive) {
  const Stmt* statement = directive.getAssociatedStmt();
  for (;;) {
    if (const auto* captured = dyn_cast_or_null<CapturedStmt>(statement))
      statement = captured->getCapturedStmt();
    else if (const auto* canonical = dyn_cast_or_null<OMPCanonicalLoop>(statement))
      statement = canonical->getLoopStmt();
    else
      return statement;
  }
}

void remove(std::vector<const VarDecl*>& list, const VarDecl* variable) {
  list.erase(std::remove(list.begin(), list.end(), variable), list.end());
}

// What each thread of the region has for itself, a chunk has.
void add_region(loop_clauses& clauses, const region& of, const loop_body& body) {
  const auto is_reduced = [&](const VarDecl* variable) {
    return std::any_of(clauses.reductions.begin(), clauses.reductions.end(),
                       [&](const reduction& one) { return one.variable == variable; });
  };
  const auto is_new = [&](const VarDecl* variable) {
    return !clauses.is_private(variable) && !is_reduced(variable) &&
           (body.uses.count(variable) != 0 || body.globals.count(variable) != 0);
  };
  loop_clauses own = clauses;
  for (const VarDecl* variable : of.clauses.privates) {
    if (is_new(variable)) own.privates.push_back(variable);
  }
  for (const VarDecl* variable : of.clauses.first_privates) {
    if (is_new(variable)) own.first_privates.push_back(variable);
  }
  for (const reduction& one : of.clauses.reductions) {
    if (is_new(one.variable)) own.reductions.push_back(one);
  }
  for (const auto& [variable, use] : body.uses) {
    const QualType type = variable->getType();
    if (of.declared.count(variable) == 0 || !is_new(variable) || use.is_only_read || type->isReferenceType() ||
        type.isConstQualified())
      continue;
    (variable->hasInit() ? own.first_privates : own.privates).push_back(variable);
  }
  clauses = own;
}

// In the order of the source, and what counts a loop is private anyway.
void settle(loop_clauses& clauses, const std::vector<loop_level>& levels) {
  for (const loop_level& level : levels) {
    remove(clauses.privates, level.variable);
    remove(clauses.first_privates, level.variable);
  }
  for (auto* list : {&clauses.privates, &clauses.first_privates, &clauses.last_privates}) {
    std::sort(list->begin(), list->end(), [](const VarDecl* a, const VarDecl* b) {
      return a->getLocation().getRawEncoding() < b->getLocation().getRawEncoding();
    });
  }
}

// In C and C++ the variable of an inner loop is shared, unless a clause says something else: threads would count each
// other's, and the program is right with one thread only.
void refuse_shared_counts(const loop_plan& plan) {
  for (const auto& [variable, loop] : plan.body.counted) {
    const auto is_its_own = [of = variable](const auto& one) { return one.variable == of; };
    if (plan.clauses.is_private(variable) || std::any_of(plan.levels.begin(), plan.levels.end(), is_its_own) ||
        std::any_of(plan.clauses.reductions.begin(), plan.clauses.reductions.end(), is_its_own))
      continue;
    const std::string name = variable->getNameAsString();
    throw refusal{"its iterations share '" + name + "', which a loop in it counts: declare " + name +
                      " in that loop, or add private(" + name + ")",
                  loop};
  }
}

// A chunk's loop that is simd has to know what the chunk has of its own.
void say_to_simd(loop_clauses& clauses) {
  if (!clauses.is_simd) return;
  for (const auto* list : {&clauses.privates, &clauses.first_privates}) {
    for (const VarDecl* variable : *list) {
      if (list == &clauses.first_privates) throw refusal{"it is simd, with firstprivate variables"};
      clauses.simd_clauses += " private(" + variable->getNameAsString() + ")";
    }
  }
  if (!clauses.last_privates.empty()) throw refusal{"it is simd, with lastprivate variables"};
  for (const reduction& one : clauses.reductions)
    clauses.simd_clauses += " reduction(" + one.op + ":" + one.variable->getNameAsString() + ")";
}

}  // namespace

std::vector<edit> edits_of_loop(const OMPExecutableDirective& directive, const region* of, const surroundings& around,
                                unsigned number) {
  const source_file& file = around.file;
  loop_plan plan{around.context, file, around.function, around.macros, {}, {}, {}, 0, 0, 0, 0, 0};
  read_clauses(directive, file, around.context, plan.clauses);
  plan.clauses.is_simd = isOpenMPSimdDirective(directive.getDirectiveKind());
  const Stmt* loop = loop_of(directive);
  plan.levels = read_loops(loop, plan.clauses.depth, file, around.context);
  const std::optional<std::size_t> pragma = file.offset(directive.getBeginLoc());
  const std::optional<std::size_t> loop_begin = file.offset(loop->getBeginLoc()), end = file.end_of(loop);
  const Stmt* body = plan.levels.back().body;
  const std::optional<std::size_t> body_begin = file.offset(body->getBeginLoc()), body_end = file.end_of(body);
  if (!pragma || !loop_begin || !end || !body_begin || !body_end) throw refusal{"a part of it is made by a macro"};
  plan.loop_begin = *loop_begin;
  plan.end = *end;
  plan.body_begin = *body_begin;
  plan.body_end = *body_end;
  plan.begin = complete_begin(file, file.line_start(*pragma), plan.end);
  plan.body = read_body(body, around.function, around.thread_counts, file, around.context);
  if (around.context.getLangOpts().CPlusPlus) complete_begin(file, plan.begin, plan.body_begin);
  if (of != nullptr) add_region(plan.clauses, *of, plan.body);
  refuse_shared_counts(plan);
  settle(plan.clauses, plan.levels);
  say_to_simd(plan.clauses);
  return around.context.getLangOpts().CPlusPlus ? emit_cxx(plan) : emit_c(plan, number);
}

}  // namespace mpi2pure
