// C: the loop's body is copied to a function before the one in which it stands. What that declares comes along in a
// struct: numbers and pointers that are only read as they are, so that the copied text needs no change; arrays as
// pointers to their first elements, under their names, too; all else by its address, and the text says (*name).
#include <algorithm>

#include "mpi2pure/emit.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

struct c_names {
  std::string context;  // struct pure_f_1
  std::string body;     // pure_f_1_body
  std::string value;    // struct pure_f_1_value
  std::string combine;
};

struct captured {
  std::string name;        // Of the field.
  std::string field;       // Its declaration in the struct.
  std::string initial;     // What the call puts there.
  std::string local;       // What declares it in the body's function.
  std::string after_call;  // A statement that fills in the field: of an array.
};

bool contains_word(const std::string& text, const std::string& word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) {
    const std::size_t end = at + word.size();
    if (end == text.size() || (!isalnum(static_cast<unsigned char>(text[end])) && text[end] != '_')) return true;
  }
  return false;
}

c_names choose_names(const loop_plan& plan, unsigned number) {
  for (;; ++number) {
    const std::string base = "pure_" + plan.function->getNameAsString() + "_" + std::to_string(number);
    if (contains_word(plan.file.text(), base)) continue;
    return {"struct " + base, base + "_body", "struct " + base + "_value", base + "_combine"};
  }
}

class emitter {
 public:
  explicit emitter(const loop_plan& plan) : plan_(plan) {}
  std::vector<edit> all(unsigned number);

 private:
  std::string declare(QualType type, const std::string& name) const { return declaration(type, name, plan_.context); }
  bool has(const std::vector<const VarDecl*>& list, const VarDecl* variable) const {
    return std::find(list.begin(), list.end(), variable) != list.end();
  }
  bool is_used(const VarDecl* variable) const {
    return plan_.body.uses.count(variable) != 0 || plan_.body.globals.count(variable) != 0;
  }

  std::string declare_with_lengths(QualType type, const std::string& name, const std::string& element);
  void refuse_local_type(QualType type, const VarDecl* variable) const;
  void capture(const VarDecl* variable, const usage& use);
  void capture_by_address(const VarDecl* variable, const usage& use);
  void capture_array(const VarDecl* variable);
  void add_private(const VarDecl* variable);
  void capture_all();
  void check_macros() const;
  std::string text_between(std::size_t begin, std::size_t end) const;
  std::string body_text() const;
  std::string outlined() const;
  std::string call() const;
  void write_reduce(code& to) const;
  std::size_t place_before_function() const;

  const loop_plan& plan_;
  c_names names_;
  std::vector<captured> captured_;
  std::vector<edit> rewritten_;  // Of the body's text.
};

// A type whose arrays have lengths that are known when the program runs: these are fields of their own.
std::string emitter::declare_with_lengths(QualType type, const std::string& name, const std::string& element) {
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
    const std::string field = "pure_length_" + std::to_string(captured_.size());
    captured_.push_back({field, "size_t " + field, "sizeof(" + element + ") / sizeof((" + element + ")[0])", "", ""});
    length = "pure_at->" + field;
  }
  return declare_with_lengths(array->getElementType(), name + "[" + length + "]", "(" + element + ")[0]");
}

void emitter::refuse_local_type(QualType type, const VarDecl* variable) const {
  const Type* plain = type.getCanonicalType().getTypePtr();
  while (plain->isPointerType() || plain->isArrayType()) plain = plain->getPointeeOrArrayElementType();
  const TagDecl* tag = plain->getAsTagDecl();
  const auto* alias = type->getAs<TypedefType>();
  if ((tag != nullptr && tag->getParentFunctionOrMethod() != nullptr) ||
      (alias != nullptr && alias->getDecl()->getParentFunctionOrMethod() != nullptr) ||
      (tag != nullptr && !tag->hasNameForLinkage()))
    throw refusal{"the type of '" + variable->getNameAsString() + "' has no name outside of its function"};
}

void emitter::capture_array(const VarDecl* variable) {
  const std::string name = variable->getNameAsString();
  const QualType element = plan_.context.getAsArrayType(variable->getType())->getElementType();
  const bool has_lengths = element->isVariablyModifiedType();
  const std::string pointer = element->isArrayType() ? "(*" + name + ")" : "*" + name;
  const std::string local = declare_with_lengths(element, pointer, name + "[0]");
  if (has_lengths)
    captured_.push_back({name, "void *" + name, "(void *)" + name, local + " = pure_at->" + name + ";", ""});
  else
    captured_.push_back({name, local, name, local + " = pure_at->" + name + ";", ""});
}

void emitter::capture_by_address(const VarDecl* variable, const usage& use) {
  const std::string name = variable->getNameAsString();
  if (variable->getStorageClass() == SC_Register) throw refusal{"'" + name + "' is a register variable"};
  if (variable->getType()->isVariablyModifiedType())
    throw refusal{"the size or the address of '" + name + "' is taken, whose length is not a constant"};
  const bool is_array = variable->getType()->isArrayType();
  const std::string declared = declare(variable->getType(), is_array ? "(*pure_" + name + ")" : "*pure_" + name);
  captured_.push_back({"pure_" + name, declared, "&" + name, declared + " = pure_at->pure_" + name + ";", ""});
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

void emitter::capture(const VarDecl* variable, const usage& use) {
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
    captured_.push_back({name, "void *" + name, "(void *)" + name, local + " = pure_at->" + name + ";", ""});
  else
    captured_.push_back({name, local, name, local + " = pure_at->" + name + ";", ""});
}

void emitter::add_private(const VarDecl* variable) {
  const std::string name = variable->getNameAsString();
  const QualType type = variable->getType();
  const bool is_array = type->isArrayType();
  refuse_local_type(type, variable);
  if (type->isVariablyModifiedType())
    throw refusal{"'" + name + "' is private, and has a length that is not a constant"};
  QualType own = type;
  own.removeLocalConst();
  if (!has(plan_.clauses.first_privates, variable)) {
    const bool is_number = has(plan_.clauses.last_privates, variable) && own->isArithmeticType();
    captured_.push_back({"", "", "", declare(own, name) + (is_number ? " = 0;" : ";"), ""});
  } else if (is_array) {
    captured_.push_back({name, declare(own, name), "",
                         declare(own, name) + "; memcpy(" + name + ", pure_at->" + name + ", sizeof " + name + ");",
                         "memcpy(pure_context." + name + ", " + name + ", sizeof " + name + ");"});
  } else {
    captured_.push_back({name, declare(own, name), name, declare(own, name) + " = pure_at->" + name + ";", ""});
  }
  if (!has(plan_.clauses.last_privates, variable)) return;
  if (is_array) throw refusal{"'" + name + "' is lastprivate, and no plain variable"};
  captured_.push_back({"pure_last_" + name, declare(own, "*pure_last_" + name), "&" + name, "", ""});
}

void emitter::capture_all() {
  for (std::size_t number = 0; number < plan_.levels.size(); ++number) {
    const loop_level& level = plan_.levels[number];
    const std::string end = plan_.levels.size() == 1 ? "" : "_" + std::to_string(number);
    const auto add = [&](const std::string& type, const std::string& name) {
      const std::string local = type + (level.is_iterator ? " " : " const ") + name + end;
      captured_.push_back(
          {name + end, type + " " + name + end, name + end, local + " = pure_at->" + name + end + ";", ""});
    };
    add(level.compared_type, "pure_lower");
    if (level.step != "1") add("size_t", "pure_step");
    if (number > 0) add("size_t", "pure_count");
  }
  if (!plan_.clauses.last_privates.empty())
    captured_.push_back({"pure_count", "size_t pure_count", "pure_count", "", ""});

  std::vector<const VarDecl*> own;
  for (const auto* list : {&plan_.clauses.privates, &plan_.clauses.first_privates, &plan_.clauses.last_privates}) {
    for (const VarDecl* variable : *list) {
      const bool counts = std::any_of(plan_.levels.begin(), plan_.levels.end(),
                                      [&](const loop_level& one) { return one.variable == variable; });
      if (counts && has(plan_.clauses.last_privates, variable))
        throw refusal{"'" + variable->getNameAsString() + "' is lastprivate, and no plain variable"};
      if (!counts && is_used(variable) && !has(own, variable)) own.push_back(variable);
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

// The copy stands before the function: what its macros meant must not have changed in between, and what other flags
// would make of the body is not known.
void emitter::check_macros() const {
  const std::size_t from = place_before_function();
  for (const SourceRange& skipped : plan_.macros.skipped) {
    const std::optional<std::size_t> at = plan_.file.offset(skipped.getBegin());
    if (at && *at >= plan_.body_begin && *at < plan_.body_end)
      throw refusal{"its body has an #if, whose other branch these flags do not show"};
  }
  for (const auto& [name, location] : plan_.macros.changes) {
    const std::optional<std::size_t> at = plan_.file.offset(location);
    if (!at || *at < from || *at >= plan_.end) continue;
    for (const macro_events::use& use : plan_.macros.uses) {
      const std::optional<std::size_t> used = plan_.file.offset(use.range.getBegin());
      if (use.name == name && used && *used >= plan_.body_begin && *used < plan_.body_end)
        throw refusal{"the macro " + name + " is defined in its function"};
    }
  }
}

std::string emitter::text_between(std::size_t begin, std::size_t end) const {
  std::vector<edit> inside;
  for (const edit& e : rewritten_) {
    if (e.offset < begin || e.offset >= end) continue;
    inside.push_back({e.offset - begin, e.length, e.text});
  }
  std::sort(inside.begin(), inside.end(), [](const edit& a, const edit& b) { return a.offset < b.offset; });
  inside.erase(std::unique(inside.begin(), inside.end()), inside.end());
  return with_edits(plan_.file.text().substr(begin, end - begin), inside);
}

std::string emitter::body_text() const {
  std::string text;
  std::size_t at = plan_.body_begin;
  std::vector<atomic_update> updates = plan_.body.atomics;
  std::sort(updates.begin(), updates.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (const atomic_update& update : updates) {
    const auto part = [&](SourceRange range) {
      const std::optional<std::size_t> first = plan_.file.offset(range.getBegin());
      const std::optional<std::size_t> last = plan_.file.end_offset(range.getEnd());
      if (!plan_.file.text_of(range) || !first || !last)
        throw refusal{"its omp atomic is made by a macro", update.directive};
      return text_between(*first, *last);
    };
    const std::string target = part(update.target), operand = update.operand.isValid() ? part(update.operand) : "";
    text += text_between(at, complete_begin(plan_.file, update.begin, update.end));
    text += atomic_text(plan_, update, target, operand);
    while (text.back() == '\n' || text.back() == '\r') text.pop_back();
    at = update.end;
  }
  return text + text_between(at, plan_.body_end);
}

std::string emitter::outlined() const {
  code to(plan_.file, place_before_function());
  const bool reduces = !plan_.clauses.reductions.empty();
  to.directive(std::string("#ifdef ") + guard_macro);
  to << names_.context + " {";
  for (const captured& one : captured_) {
    if (!one.field.empty()) to << "  " + one.field + ";";
  }
  to << "};";
  if (reduces) {
    to << names_.value + " {";
    for (const reduction& one : plan_.clauses.reductions)
      to << "  " + declare(one.variable->getType(), one.variable->getNameAsString()) + ";";
    to << "};";
    to << "static void " + names_.combine + "(void *pure_left, const void *pure_right, void *pure_context) {";
    to << "  " + names_.value + " *const pure_into = (" + names_.value + " *)pure_left;";
    to << "  const " + names_.value + " *const pure_from = (const " + names_.value + " *)pure_right;";
    to << "  (void)pure_context;";
    for (const reduction& one : plan_.clauses.reductions) {
      const std::string name = one.variable->getNameAsString();
      to << "  " + combined(one, "pure_into->" + name, "pure_from->" + name);
    }
    to << "}";
  }
  to << "static void " + names_.body + "(size_t pure_first, size_t pure_last, " + (reduces ? "void *pure_sum, " : "") +
            "void *pure_context) {";
  to.deeper();
  to << names_.context + " *const pure_at = (" + names_.context + " *)pure_context;";
  for (const captured& one : captured_) {
    if (!one.local.empty()) to << one.local;
  }
  for (const reduction& one : plan_.clauses.reductions) {
    const std::string name = one.variable->getNameAsString();
    to << declare(one.variable->getType(), name) + " = ((" + names_.value + " *)pure_sum)->" + name + ";";
  }
  open_loop(to, plan_);
  to.as_it_is(plan_.file.indentation(plan_.body_begin) + body_text() + plan_.file.newline());
  close_loop(to, plan_);
  for (const VarDecl* variable : plan_.clauses.last_privates) {
    const std::string name = variable->getNameAsString();
    if (is_used(variable))
      to << "if (pure_last == pure_at->pure_count) *pure_at->pure_last_" + name + " = " + name + ";";
  }
  for (const reduction& one : plan_.clauses.reductions) {
    const std::string name = one.variable->getNameAsString();
    to << "((" + names_.value + " *)pure_sum)->" + name + " = " + name + ";";
  }
  to.back();
  to << "}";
  return to.directive("#endif").text();
}

std::string emitter::call() const {
  code to(plan_.file, plan_.loop_begin);
  to.directive(std::string("#ifdef ") + guard_macro);
  to << "{";
  to.deeper();
  write_counts(to, plan_);
  to << names_.context + " pure_context;";
  for (const captured& one : captured_) {
    if (!one.initial.empty()) to << "pure_context." + one.name + " = " + one.initial + ";";
    if (!one.after_call.empty()) to << one.after_call;
  }
  const std::string& condition = plan_.clauses.condition;
  if (plan_.clauses.reductions.empty()) {
    const std::string options = write_options(to, plan_);
    to << (condition.empty() ? "" : "if (" + condition + ") ") + "pure_parallel_for(pure_count, " + names_.body +
              ", &pure_context, " + options + ");";
    if (!condition.empty()) to << "else " + names_.body + "(0, pure_count, &pure_context);";
  } else {
    write_reduce(to);
  }
  to.back();
  to << "}";
  return to.directive("#else").text();
}

void emitter::write_reduce(code& to) const {
  const std::string& condition = plan_.clauses.condition;
  to << names_.value + " pure_value;";
  for (const reduction& one : plan_.clauses.reductions)
    to << "pure_value." + one.variable->getNameAsString() + " = " + neutral(one) + ";";
  if (!condition.empty()) {
    to << "if (!(" + condition + ")) " + names_.body + "(0, pure_count, &pure_value, &pure_context);";
    to << "else";
    to.deeper();
  }
  to << "if (pure_parallel_reduce(pure_count, &pure_value, sizeof pure_value, " + names_.body + ", " + names_.combine +
            ", &pure_context, NULL) != 0)";
  to << "  abort();";
  if (!condition.empty()) to.back();
  for (const reduction& one : plan_.clauses.reductions) {
    const std::string name = one.variable->getNameAsString();
    to << combined(one, name, "pure_value." + name);
  }
}

std::size_t emitter::place_before_function() const {
  const source_file& file = plan_.file;
  const std::optional<std::size_t> begin = file.offset(plan_.function->getBeginLoc());
  if (!begin) throw refusal{"its function begins in another file"};
  std::size_t at = file.line_start(*begin);
  if (file.text().find_first_not_of(" \t", at) < *begin) throw refusal{"its function does not begin a line"};
  while (at > 0) {  // Over the comment that belongs to the function.
    const std::size_t line = file.line_start(at - 1);
    const std::string text = file.text().substr(line, at - line);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    if (first == std::string::npos) break;
    if (text.compare(first, 2, "//") == 0 && text[last] != '\\') {
      at = line;
    } else if (last > 0 && text.compare(last - 1, 2, "*/") == 0) {
      const std::size_t open = file.text().rfind("/*", line + last - 1);
      const std::size_t start = open == std::string::npos ? 0 : file.line_start(open);
      if (open == std::string::npos || file.text().find_first_not_of(" \t", start) != open) break;
      at = start;
    } else {
      break;
    }
  }
  // An attribute or a macro above belongs to the function, too.
  const std::size_t before = at == 0 ? std::string::npos : file.text().find_last_not_of(" \t\r\n", at - 1);
  const bool ends = before == std::string::npos || file.text()[before] == ';' || file.text()[before] == '}';
  const bool is_directive = std::any_of(file.directives().begin(), file.directives().end(),
                                        [&](const auto& one) { return one.begin <= before && before < one.end; });
  const bool is_comment = !ends && before > 0 && file.text().compare(before - 1, 2, "*/") == 0;
  const bool is_line_comment = !ends && file.text().find("//", file.line_start(before)) < before;
  if (!ends && !is_directive && !is_comment && !is_line_comment)
    throw refusal{"its function begins with what is not known here"};
  return at;
}

std::vector<edit> emitter::all(unsigned number) {
  names_ = choose_names(plan_, number);
  check_macros();
  capture_all();
  const std::string newline = plan_.file.newline();
  return {{place_before_function(), 0, outlined()},
          {plan_.begin, 0, call()},
          behind(plan_.file, plan_.end, "#endif" + newline)};
}

}  // namespace

std::vector<edit> emit_c(const loop_plan& plan, unsigned number) { return emitter(plan).all(number); }

}  // namespace mpi2pure
