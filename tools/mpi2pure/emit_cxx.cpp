// C++: the loop's body stays where it is, and is that of a lambda or of the loop below the pragma.
#include <algorithm>

#include "mpi2pure/emit.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

bool is_reduced(const loop_plan& plan, const VarDecl* variable) {
  return std::any_of(plan.clauses.reductions.begin(), plan.clauses.reductions.end(),
                     [&](const reduction& one) { return one.variable == variable; });
}

bool is_counted(const loop_plan& plan, const VarDecl* variable) {
  return std::any_of(plan.levels.begin(), plan.levels.end(),
                     [&](const loop_level& one) { return one.variable == variable; });
}

// What is only read is copied, so that the compiler sees that nothing changes it.
bool is_copied(const loop_plan& plan, const VarDecl* variable, const usage& use) {
  const QualType type = variable->getType();
  return variable->hasLocalStorage() && use.is_only_read && !type->isDependentType() && !type->isReferenceType() &&
         type->isScalarType() && !type.isVolatileQualified() && !variable->isUsableInConstantExpressions(plan.context);
}

std::string captures(const loop_plan& plan) {
  std::vector<std::string> names;
  for (const auto& [variable, use] : plan.body.uses) {
    if (is_reduced(plan, variable) || is_counted(plan, variable)) continue;
    const auto& first = plan.clauses.first_privates;
    const bool is_first = std::find(first.begin(), first.end(), variable) != first.end();
    if (is_first && !variable->hasLocalStorage()) continue;
    if (is_first || (!plan.clauses.is_private(variable) && is_copied(plan, variable, use)))
      names.push_back(variable->getNameAsString());
  }
  std::sort(names.begin(), names.end());  // Not by where Clang keeps them.
  std::string text = "[&";
  for (const std::string& name : names) text += ", " + name;
  return text + "]";
}

void refuse_what_no_lambda_has(const loop_plan& plan) {
  if (!plan.context.getLangOpts().CPlusPlus11) throw refusal{"a task needs C++11"};
  for (const VarDecl* variable : plan.clauses.first_privates) {
    if (!variable->hasLocalStorage() && variable->getType()->isArrayType())
      throw refusal{"'" + variable->getNameAsString() + "' is firstprivate, and a static array"};
  }
  for (const auto* list : {&plan.clauses.privates, &plan.clauses.last_privates}) {
    for (const VarDecl* variable : *list) {
      const QualType type = variable->getType().getNonReferenceType();
      if (type->isVariablyModifiedType())
        throw refusal{"'" + variable->getNameAsString() + "' is private, and has a length that is not a constant"};
      if (list == &plan.clauses.last_privates && (type->isArrayType() || is_counted(plan, variable)))
        throw refusal{"'" + variable->getNameAsString() + "' is lastprivate, and no plain variable"};
    }
  }
}

std::string type_of(const loop_plan& plan, const VarDecl* variable, const std::string& name) {
  QualType type = variable->getType().getNonReferenceType();
  if (!type->isDependentType() && type->getContainedAutoType() != nullptr) type = type.getCanonicalType();
  return declaration(type, name, plan.context);
}

// What the chunk has of its own.
void write_privates(code& to, const loop_plan& plan) {
  const auto& first = plan.clauses.first_privates;
  for (const auto* list : {&plan.clauses.privates, &plan.clauses.last_privates}) {
    for (const VarDecl* variable : *list) {
      if (is_counted(plan, variable) || std::find(first.begin(), first.end(), variable) != first.end()) continue;
      const bool is_number = list == &plan.clauses.last_privates && variable->getType()->isArithmeticType();
      to << type_of(plan, variable, variable->getNameAsString()) + (is_number ? " = 0;" : ";");
    }
  }
  for (const VarDecl* variable : first) {  // Of a lambda's captures are only those of the function.
    const std::string name = variable->getNameAsString();
    if (!variable->hasLocalStorage()) to << type_of(plan, variable, name) + " = pure_first_" + name + ";";
  }
  for (const reduction& one : plan.clauses.reductions) {
    const std::string name = one.variable->getNameAsString();
    to << type_of(plan, one.variable, name) + " = pure_into.pure_" + name + ";";
  }
}

void write_head(code& to, const loop_plan& plan) {
  to.directive(std::string("#ifdef ") + guard_macro);
  to << "{";
  to.deeper();
  write_counts(to, plan);
  write_uses(to, plan);
  for (const VarDecl* variable : plan.clauses.last_privates) {
    const std::string name = variable->getNameAsString();
    to << "auto* const pure_last_" + name + " = &" + name + ";";
  }
  for (const VarDecl* variable : plan.clauses.first_privates) {
    const std::string name = variable->getNameAsString();
    if (!variable->hasLocalStorage()) to << "const auto& pure_first_" + name + " = " + name + ";";
  }
  std::string parameters = "(size_t pure_first, size_t pure_last";
  if (!plan.clauses.reductions.empty()) {
    std::string fields, values;
    for (const reduction& one : plan.clauses.reductions) {
      fields += type_of(plan, one.variable, "pure_" + one.variable->getNameAsString()) + "; ";
      values += (values.empty() ? "" : ", ") + neutral(one);
    }
    to << "struct pure_values { " + fields + "} pure_value = {" + values + "};";
    parameters += ", pure_values& pure_into";
  }
  const bool changes = !plan.clauses.first_privates.empty();
  to << "auto pure_body = " + captures(plan) + parameters + ")" + (changes ? " mutable" : "") + " {";
  to.deeper();
  write_privates(to, plan);
  open_loop(to, plan);
  to.directive("#else");
}

void write_for(code& to, const loop_plan& plan) {
  to << "pure_loop_body* const pure_chunk = [](size_t pure_first, size_t pure_last, void* pure_context) {";
  to.deeper();
  to << "auto pure_own = *static_cast<decltype(pure_body)*>(pure_context);";
  to << "pure_own(pure_first, pure_last);";
  to.back();
  to << "};";
  const std::string options = write_options(to, plan);
  const std::string& condition = plan.clauses.condition;
  to << (condition.empty() ? "" : "if (" + condition + ") ") +
            "pure_parallel_for(pure_count, pure_chunk, &pure_body, " + options + ");";
  if (!condition.empty()) to << "else pure_body(0, pure_count);";
}

void write_reduce(code& to, const loop_plan& plan) {
  to << "pure_reduce_body* const pure_chunk = [](size_t pure_first, size_t pure_last, void* pure_sum, void* pure_context) {";
  to.deeper();
  to << "auto pure_own = *static_cast<decltype(pure_body)*>(pure_context);";
  to << "pure_own(pure_first, pure_last, *static_cast<pure_values*>(pure_sum));";
  to.back();
  to << "};";
  to << "pure_combine* const pure_join = [](void* pure_left, const void* pure_right, void*) {";
  to.deeper();
  to << "pure_values& pure_into = *static_cast<pure_values*>(pure_left);";
  to << "const pure_values& pure_from = *static_cast<const pure_values*>(pure_right);";
  for (const reduction& one : plan.clauses.reductions) {
    const std::string field = "pure_" + one.variable->getNameAsString();
    to << combined(one, "pure_into." + field, "pure_from." + field);
  }
  to.back();
  to << "};";
  if (!plan.clauses.condition.empty()) {
    to << "if (!(" + plan.clauses.condition + ")) pure_body(0, pure_count, pure_value);";
    to << "else";
    to.deeper();
  }
  to << "if (pure_parallel_reduce(pure_count, &pure_value, sizeof pure_value, pure_chunk, pure_join, &pure_body, NULL) != 0)";
  to << "  abort();";
  if (!plan.clauses.condition.empty()) to.back();
  for (const reduction& one : plan.clauses.reductions) {
    const std::string name = one.variable->getNameAsString();
    to << combined(one, name, "pure_value.pure_" + name);
  }
}

void write_tail(code& to, const loop_plan& plan) {
  to.deeper();
  to.deeper();
  if (plan.levels.back().step != "1") to.deeper();
  if (plan.levels.size() > 1) to.deeper();
  close_loop(to, plan);
  for (const VarDecl* variable : plan.clauses.last_privates) {
    const std::string name = variable->getNameAsString();
    to << "if (pure_last == pure_count) *pure_last_" + name + " = " + name + ";";
  }
  for (const reduction& one : plan.clauses.reductions) {
    const std::string name = one.variable->getNameAsString();
    to << "pure_into.pure_" + name + " = " + name + ";";
  }
  to.back();
  to << "};";
  if (plan.clauses.reductions.empty())
    write_for(to, plan);
  else
    write_reduce(to, plan);
  to.back();
  to << "}";
}

// #endif between the loop's header and its body.
edit end_of_header(const loop_plan& plan) {
  const source_file& file = plan.file;
  const std::size_t line = file.line_start(plan.body_begin);
  const std::string newline = file.newline();
  if (file.text().find_first_not_of(" \t", line) == plan.body_begin) return {line, 0, "#endif" + newline};
  std::size_t blank = plan.body_begin;
  while (blank > line && (file.text()[blank - 1] == ' ' || file.text()[blank - 1] == '\t')) --blank;
  return {blank, plan.body_begin - blank, newline + "#endif" + newline + file.indentation(plan.body_begin)};
}

void add_atomic(const loop_plan& plan, const atomic_update& update, std::vector<edit>& edits) {
  const std::optional<std::string> target = plan.file.text_of(update.target);
  const std::optional<std::string> operand = update.operand.isValid() ? plan.file.text_of(update.operand)
                                                                      : std::optional<std::string>("");
  if (!target || !operand) throw refusal{"its omp atomic is made by a macro", update.directive};
  const std::string newline = plan.file.newline();
  const std::size_t begin = complete_begin(plan.file, update.begin, update.end);
  edits.push_back({begin, 0,
                   std::string("#ifdef ") + guard_macro + newline + atomic_text(plan, update, *target, *operand) +
                       "#else" + newline});
  edits.push_back(behind(plan.file, update.end, "#endif" + newline));
}

}  // namespace

std::vector<edit> emit_cxx(const loop_plan& plan) {
  refuse_what_no_lambda_has(plan);
  const std::string newline = plan.file.newline();
  code head(plan.file, plan.loop_begin);
  write_head(head, plan);
  std::vector<edit> edits{{plan.begin, 0, head.text()}, end_of_header(plan)};
  for (const atomic_update& update : plan.body.atomics) add_atomic(plan, update, edits);
  code tail(plan.file, plan.loop_begin);
  tail.directive(std::string("#ifdef ") + guard_macro);
  write_tail(tail, plan);
  if (plan.body_end == plan.end) {
    edits.push_back(behind(plan.file, plan.end, tail.directive("#endif").text()));
  } else {  // Braces of collapsed loops.
    edits.push_back(behind(plan.file, plan.body_end, tail.directive("#else").text()));
    edits.push_back(behind(plan.file, plan.end, "#endif" + newline));
  }
  return edits;
}

}  // namespace mpi2pure
