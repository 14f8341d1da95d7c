// Numbers and pointers that are only read are captured as they are, so that the copied text needs no change; arrays as
// pointers to their first elements, under their names, too; all else by its address, and the text says (*pure_name).
#include "mpi2pure/c_captures.hpp"

#include <algorithm>

namespace mpi2pure {

using namespace clang;

static bool holds(const std::vector<const VarDecl*>& list, const VarDecl* variable) {
  return std::find(list.begin(), list.end(), variable) != list.end();
}

bool c_captures::is_used(const VarDecl* variable) const {
  return plan_.body.uses.count(variable) != 0 || plan_.body.globals.count(variable) != 0;
}

std::string c_captures::declare(QualType type, const std::string& name) const {
  return declaration(type, name, plan_.context);
}

// A type whose arrays have lengths that are known when the program runs: these are fields of their own.
std::string c_captures::declare_with_lengths(QualType type, const std::string& name, const std::string& element) {
  if (!type->isVariablyModifiedType()) return declare(type, name);
  if (const auto* pointer = type->getAs<PointerType>()) {
    const QualType pointee = pointer->getPointeeType();
    const bool is_array = pointee->isArrayType() || pointee->isFunctionType();
    return declare_with_lengths(pointee, is_array ? "(*" + name + ")" : "*" + name, "(" + element + ")[0]");
  }
  const ArrayType* array = plan_.context.getAsArrayType(type);
  if (array == nullptr) throw refusal{"it uses a type whose length is known only when the program runs"};
  std::string length;
  if (const auto* constant = dyn_cast<ConstantArrayType>(array)) {
    length = std::to_string(constant->getSize().getZExtValue());
  } else {
    const std::string field = "pure_length_" + std::to_string(fields_.size());
    fields_.push_back({field, "size_t " + field, "sizeof(" + element + ") / sizeof((" + element + ")[0])", "", ""});
    length = "pure_at->" + field;
  }
  return declare_with_lengths(array->getElementType(), name + "[" + length + "]", "(" + element + ")[0]");
}

void c_captures::refuse_local_type(QualType type, const VarDecl* variable) const {
  const Type* plain = type.getCanonicalType().getTypePtr();
  while (plain->isPointerType() || plain->isArrayType()) plain = plain->getPointeeOrArrayElementType();
  const TagDecl* tag = plain->getAsTagDecl();
  const auto* alias = type->getAs<TypedefType>();
  if ((tag != nullptr && tag->getParentFunctionOrMethod() != nullptr) ||
      (alias != nullptr && alias->getDecl()->getParentFunctionOrMethod() != nullptr) ||
      (tag != nullptr && !tag->hasNameForLinkage()))
    throw refusal{"the type of '" + variable->getNameAsString() + "' has no name outside of its function"};
}

void c_captures::capture_array(const VarDecl* variable) {
  const std::string name = variable->getNameAsString();
  const QualType element = plan_.context.getAsArrayType(variable->getType())->getElementType();
  const bool has_lengths = element->isVariablyModifiedType();
  const std::string pointer = element->isArrayType() ? "(*" + name + ")" : "*" + name;
  const std::string local = declare_with_lengths(element, pointer, name + "[0]");
  if (has_lengths)
    fields_.push_back({name, "void *" + name, "(void *)" + name, local + " = pure_at->" + name + ";", ""});
  else
    fields_.push_back({name, local, name, local + " = pure_at->" + name + ";", ""});
}

void c_captures::capture_by_address(const VarDecl* variable, const usage& use) {
  const std::string name = variable->getNameAsString();
  if (variable->getStorageClass() == SC_Register) throw refusal{"'" + name + "' is a register variable"};
  if (variable->getType()->isVariablyModifiedType())
    throw refusal{"the size or the address of '" + name + "' is taken, whose length is not a constant"};
  const bool is_array = variable->getType()->isArrayType();
  const std::string declared = declare(variable->getType(), is_array ? "(*pure_" + name + ")" : "*pure_" + name);
  fields_.push_back({"pure_" + name, declared, "&" + name, declared + " = pure_at->pure_" + name + ";", ""});
  const SourceManager& sources = plan_.context.getSourceManager();
  for (const SourceLocation place : use.places) {
    if (place.isMacroID() && !sources.isMacroArgExpansion(place))
      throw refusal{"'" + name + "' is named by the text of a macro"};
    const SourceLocation spelled = sources.getSpellingLoc(place);
    const std::optional<std::size_t> at = plan_.file.offset(spelled);
    if (!at || *at < plan_.body_begin || *at >= plan_.body_end)
      throw refusal{"'" + name + "' is named by the text of a macro"};
    for (const macro_events::use& macro : plan_.macros.uses) {
      const std::optional<std::size_t> first = plan_.file.offset(macro.range.getBegin());
      const std::optional<std::size_t> last = plan_.file.offset(macro.range.getEnd());
      if (macro.has_hash && first && last && *first <= *at && *at <= *last)
        throw refusal{"'" + name + "' stands in " + macro.name + "(), which uses its text"};
    }
    rewritten_.push_back({*at, name.size(), "(*pure_" + name + ")"});
  }
}

void c_captures::capture(const VarDecl* variable, const usage& use) {
  const QualType type = variable->getType();
  const std::string name = variable->getNameAsString();
  refuse_local_type(type, variable);
  if (type->isArrayType() && use.is_array_as_pointer && !isa<DecayedType>(type.getTypePtr()))
    return capture_array(variable);
  const bool is_plain = type->isScalarType() || type->isAnyComplexType();
  if (!is_plain || !use.is_only_read || type.isVolatileQualified() || type->isAtomicType())
    return capture_by_address(variable, use);
  QualType plain = type;  // Of a parameter, what it is, not as what it is written.
  if (const auto* decayed = dyn_cast<DecayedType>(type.getTypePtr()))
    plain = plan_.context.getQualifiedType(decayed->getDecayedType(), type.getQualifiers());
  plain.removeLocalConst();
  const bool has_lengths = plain->isVariablyModifiedType();
  const std::string local = declare_with_lengths(plain, name, name);
  if (has_lengths)
    fields_.push_back({name, "void *" + name, "(void *)" + name, local + " = pure_at->" + name + ";", ""});
  else
    fields_.push_back({name, local, name, local + " = pure_at->" + name + ";", ""});
}

void c_captures::add_private(const VarDecl* variable) {
  const std::string name = variable->getNameAsString();
  const QualType type = variable->getType();
  const bool is_array = type->isArrayType();
  refuse_local_type(type, variable);
  if (type->isVariablyModifiedType())
    throw refusal{"'" + name + "' is private, and has a length that is not a constant"};
  QualType own = type;
  own.removeLocalConst();
  if (!holds(plan_.clauses.first_privates, variable)) {
    const bool is_number = holds(plan_.clauses.last_privates, variable) && own->isArithmeticType();
    fields_.push_back({"", "", "", declare(own, name) + (is_number ? " = 0;" : ";"), ""});
  } else if (is_array) {
    fields_.push_back({name, declare(own, name), "",
                       declare(own, name) + "; memcpy(" + name + ", pure_at->" + name + ", sizeof " + name + ");",
                       "memcpy(pure_context." + name + ", " + name + ", sizeof " + name + ");"});
  } else {
    fields_.push_back({name, declare(own, name), name, declare(own, name) + " = pure_at->" + name + ";", ""});
  }
  if (!holds(plan_.clauses.last_privates, variable)) return;
  if (is_array) throw refusal{"'" + name + "' is lastprivate, and no plain variable"};
  fields_.push_back({"pure_last_" + name, declare(own, "*pure_last_" + name), "&" + name, "", ""});
}

void c_captures::all() {
  for (std::size_t number = 0; number < plan_.levels.size(); ++number) {
    const loop_level& level = plan_.levels[number];
    const std::string end = plan_.levels.size() == 1 ? "" : "_" + std::to_string(number);
    const auto add = [&](const std::string& type, const std::string& name) {
      const std::string local = type + (level.is_iterator ? " " : " const ") + name + end;
      fields_.push_back(
          {name + end, type + " " + name + end, name + end, local + " = pure_at->" + name + end + ";", ""});
    };
    add(level.compared_type, "pure_lower");
    if (level.step != "1") add("size_t", "pure_step");
    if (number > 0) add("size_t", "pure_count");
  }
  if (!plan_.clauses.last_privates.empty())
    fields_.push_back({"pure_count", "size_t pure_count", "pure_count", "", ""});

  std::vector<const VarDecl*> own;
  for (const auto* list : {&plan_.clauses.privates, &plan_.clauses.first_privates, &plan_.clauses.last_privates}) {
    for (const VarDecl* variable : *list) {
      const bool counts = std::any_of(plan_.levels.begin(), plan_.levels.end(),
                                      [&](const loop_level& one) { return one.variable == variable; });
      if (counts && holds(plan_.clauses.last_privates, variable))
        throw refusal{"'" + variable->getNameAsString() + "' is lastprivate, and no plain variable"};
      if (!counts && is_used(variable) && !holds(own, variable)) own.push_back(variable);
    }
  }
  for (const VarDecl* variable : own) add_private(variable);

  std::vector<std::pair<const VarDecl*, const usage*>> uses;
  for (const auto& [variable, use] : plan_.body.uses) {
    const auto is_it = [variable = variable](const auto& one) { return one.variable == variable; };
    if (plan_.clauses.is_private(variable) ||
        std::any_of(plan_.clauses.reductions.begin(), plan_.clauses.reductions.end(), is_it) ||
        std::any_of(plan_.levels.begin(), plan_.levels.end(), is_it))
      continue;
    uses.emplace_back(variable, &use);
  }
  // In the order of the source, not of where Clang keeps them.
  std::sort(uses.begin(), uses.end(), [](const auto& a, const auto& b) {
    return a.first->getLocation().getRawEncoding() < b.first->getLocation().getRawEncoding();
  });
  for (const auto& [variable, use] : uses) capture(variable, *use);
}

}  // namespace mpi2pure
