// C: the loop's body is copied to a function before the one in which it stands, with a struct of what it uses of that.
#include <algorithm>

#include "mpi2pure/c_captures.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

struct c_names {
  std::string context;  // struct pure_f_1
  std::string body;     // pure_f_1_body
  std::string value;    // struct pure_f_1_value
  std::string combine;
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
  explicit emitter(const loop_plan& plan) : plan_(plan), captures_(plan) {}
  std::vector<edit> all(unsigned number);

 private:
  std::string declare(QualType type, const std::string& name) const { return declaration(type, name, plan_.context); }
  void check_macros() const;
  std::string text_between(std::size_t begin, std::size_t end) const;
  std::string body_text() const;
  std::string outlined() const;
  std::string call() const;
  void write_reduce(code& to) const;
  std::size_t place_before_function() const;

  const loop_plan& plan_;
  c_names names_;
  c_captures captures_;
};

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
  for (const edit& e : captures_.rewritten()) {
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
  for (const captured& one : captures_.fields()) {
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
  for (const captured& one : captures_.fields()) {
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
    if (captures_.is_used(variable))
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
  write_uses(to, plan_);
  to << names_.context + " pure_context;";
  for (const captured& one : captures_.fields()) {
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
  captures_.all();
  const std::string newline = plan_.file.newline();
  return {{place_before_function(), 0, outlined()},
          {plan_.begin, 0, call()},
          behind(plan_.file, plan_.end, "#endif" + newline)};
}

}  // namespace

std::vector<edit> emit_c(const loop_plan& plan, unsigned number) { return emitter(plan).all(number); }

}  // namespace mpi2pure
