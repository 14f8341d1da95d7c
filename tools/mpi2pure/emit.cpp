#include "mpi2pure/emit.hpp"

#include <algorithm>

namespace mpi2pure {

code::code(const source_file& file, std::size_t beside)
    : indentation_(file.indentation(beside)),
      step_(indentation_.find('\t') != std::string::npos ? "\t" : "  "),
      newline_(file.newline()) {}

code& code::operator<<(const std::string& line) {
  text_ += indentation_;
  for (unsigned step = 0; step < depth_; ++step) text_ += step_;
  text_ += line + newline_;
  return *this;
}

code& code::directive(const std::string& line) {
  text_ += line + newline_;
  return *this;
}

code& code::as_it_is(const std::string& text) {
  text_ += text;
  return *this;
}

edit behind(const source_file& file, std::size_t offset, const std::string& lines) {
  const std::string& text = file.text();
  const std::size_t end = file.line_end(offset);
  std::string rest = text.substr(offset, end - offset);
  rest.erase(0, std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  const std::size_t closed = rest.rfind("/*", 0) == 0 ? rest.find("*/") : std::string::npos;
  const bool is_comment = rest.rfind("//", 0) == 0 ||
                          (closed != std::string::npos &&
                           rest.find_first_not_of(" \t\r\n", closed + 2) == std::string::npos);
  const std::string newline = file.newline();
  if (!rest.empty() && !is_comment) {
    const std::size_t word = text.find_first_not_of(" \t", offset);
    return {offset, word - offset, newline + lines + file.indentation(offset)};
  }
  const bool ends_with_line = end > 0 && text[end - 1] == '\n';
  return {end, 0, ends_with_line ? lines : newline + lines};
}

// Whether there is nothing but directives, comments and blanks.
static bool has_no_code(const source_file& file, std::size_t begin, std::size_t end) {
  std::string rest;
  std::size_t at = begin;
  for (const directive& one : file.directives()) {
    if (one.begin < begin || one.begin >= end) continue;
    rest += file.text().substr(at, one.begin - at);
    at = one.end;
  }
  rest += file.text().substr(std::min(at, end), end - std::min(at, end));
  for (std::size_t place = 0; (place = rest.find_first_not_of(" \t\r\n", place)) != std::string::npos;) {
    const bool is_line = rest.compare(place, 2, "//") == 0, is_block = rest.compare(place, 2, "/*") == 0;
    if (!is_line && !is_block) return false;
    const std::size_t close = is_line ? rest.find('\n', place) : rest.find("*/", place);
    if (close == std::string::npos) return is_line;
    place = close + (is_line ? 1 : 2);
  }
  return true;
}

std::size_t complete_begin(const source_file& file, std::size_t begin, std::size_t end) {
  const auto& directives = file.directives();
  for (bool moved = true; moved;) {
    moved = false;
    for (const conditional& one : file.conditionals()) {
      const std::size_t opens = directives[one.opens].begin, closes = directives[one.closes].begin;
      if (!(opens < begin && begin < closes && closes < end)) continue;
      if (!has_no_code(file, opens, directives[one.closes].end))
        throw refusal{"an #if begins before it, and has other code"};
      begin = opens;
      moved = true;
    }
  }
  for (const conditional& one : file.conditionals()) {
    const std::size_t opens = directives[one.opens].begin, closes = directives[one.closes].begin;
    const bool crosses = opens >= begin && opens < end && closes >= end;
    const bool turns = opens < begin && std::any_of(one.turns.begin(), one.turns.end(), [&](std::size_t number) {
                         return directives[number].begin >= begin && directives[number].begin < end;
                       });
    if (crosses || turns) throw refusal{"an #if begins or ends in the middle of it"};
  }
  return begin;
}

std::string converted(const loop_plan& plan, const std::string& type, const std::string& expression) {
  if (plan.context.getLangOpts().CPlusPlus) return "static_cast<" + type + ">(" + expression + ")";
  const bool is_name = std::all_of(expression.begin(), expression.end(),
                                   [](unsigned char c) { return isalnum(c) != 0 || c == '_'; });
  return "(" + type + ")" + (is_name ? expression : "(" + expression + ")");
}

static std::string suffix(const loop_plan& plan, std::size_t number) {
  return plan.levels.size() == 1 ? "" : "_" + std::to_string(number);
}

static void write_count(code& to, const loop_plan& plan, std::size_t number) {
  const loop_level& level = plan.levels[number];
  const std::string end = suffix(plan, number), lower = "pure_lower" + end, upper = "pure_upper" + end;
  const bool knows_type = !level.compared_type.empty();
  const bool is_cxx = plan.context.getLangOpts().CPlusPlus;
  const std::string constant = level.is_iterator && !is_cxx ? "" : "const ";
  const std::string type = knows_type ? level.compared_type : "auto";
  const std::string start = knows_type && !level.lower_needs_cast ? level.lower
                                                                  : converted(plan, level.type, level.lower);
  to << constant + (knows_type ? type : level.type) + " " + lower + " = " + start + ";";
  to << constant + type + " " + upper + " = " + level.upper + ";";
  if (level.step != "1") to << "const size_t pure_step" + end + " = " + converted(plan, "size_t", level.step) + ";";
  const std::string from = level.goes_down ? upper : lower, until = level.goes_down ? lower : upper;
  const std::string span = level.is_iterator
                               ? converted(plan, "size_t", until + " - " + from)
                               : converted(plan, "size_t", until) + " - " + converted(plan, "size_t", from);
  const bool is_closed = level.relation == loop_level::less_equal || level.relation == loop_level::greater_equal;
  std::string count = span;
  if (level.step != "1") count = "(" + span + (is_closed ? "" : " - 1") + ") / pure_step" + end;
  if (is_closed || level.step != "1") count += " + 1";
  if (level.relation != loop_level::not_equal)
    count = from + (is_closed ? " <= " : " < ") + until + " ? " + count + " : 0";
  to << "const size_t pure_count" + end + " = " + count + ";";
}

void write_counts(code& to, const loop_plan& plan) {
  std::string product;
  for (std::size_t number = 0; number < plan.levels.size(); ++number) {
    write_count(to, plan, number);
    product += (number == 0 ? "" : " * ") + ("pure_count" + suffix(plan, number));
  }
  if (plan.levels.size() > 1) to << "const size_t pure_count = " + product + ";";
}

void write_uses(code& to, const loop_plan& plan) {
  std::vector<const clang::VarDecl*> unused = plan.clauses.privates;
  for (const loop_level& level : plan.levels) {
    if (!level.is_declared_here) unused.push_back(level.variable);
  }
  std::string uses;
  for (const clang::VarDecl* variable : unused) {
    if (variable->getType().isVolatileQualified() || variable->isStaticDataMember()) continue;
    uses += (uses.empty() ? "(void)" : ", (void)") + variable->getNameAsString();
  }
  if (!uses.empty()) to << uses + ";";
}

// What the variable is at an index of its loop.
static std::string at_index(const loop_plan& plan, std::size_t number, const std::string& index) {
  const loop_level& level = plan.levels[number];
  const std::string sign = level.goes_down ? " - " : " + ", lower = "pure_lower" + suffix(plan, number);
  if (level.is_iterator) return lower + sign + converted(plan, "ptrdiff_t", index);
  const std::string distance = level.step == "1" ? index : index + " * pure_step" + suffix(plan, number);
  return converted(plan, level.type, converted(plan, "size_t", lower) + sign + distance);
}

// The loop of one level over its indices first, ..., last - 1.
static void open_level(code& to, const loop_plan& plan, std::size_t number, const std::string& first,
                       const std::string& last) {
  const loop_level& level = plan.levels[number];
  const std::string name = level.variable->getNameAsString();
  const std::string simd = "#pragma omp simd" + plan.clauses.simd_clauses;
  if (level.step != "1") {
    if (plan.clauses.is_simd) to.directive(simd);
    to << "for (size_t pure_number = " + first + "; pure_number < " + last + "; ++pure_number) {";
    to.deeper();
    to << level.type + " " + name + " = " + at_index(plan, number, "pure_number") + ";";
    return;
  }
  const std::string constant = level.is_iterator && !plan.context.getLangOpts().CPlusPlus ? "" : "const ";
  to << constant + level.type + " pure_end = " + at_index(plan, number, last) + ";";
  if (plan.clauses.is_simd) to.directive(simd);
  const char* relation = level.is_iterator ? " != " : level.goes_down ? " > " : " < ";
  to << "for (" + level.type + " " + name + " = " + at_index(plan, number, first) + "; " + name + relation +
            "pure_end; " + (level.goes_down ? "--" : "++") + name + ")";
}

void open_loop(code& to, const loop_plan& plan) {
  const std::size_t inner = plan.levels.size() - 1;
  if (inner == 0) return open_level(to, plan, 0, "pure_first", "pure_last");
  const std::string columns = "pure_count" + suffix(plan, inner);
  to << "for (size_t pure_index = pure_first; pure_index < pure_last;) {";
  to.deeper();
  if (inner > 1) to << "size_t pure_row = pure_index / " + columns + ";";
  for (std::size_t number = inner; number-- > 0;) {
    const std::string count = "pure_count" + suffix(plan, number);
    const std::string row = inner > 1 ? "pure_row" : "pure_index / " + columns;
    const std::string index = number == 0 ? row : "pure_row % " + count;
    const loop_level& level = plan.levels[number];
    to << level.type + " " + level.variable->getNameAsString() + " = " + at_index(plan, number, "(" + index + ")") +
              ";";
    if (number > 0) to << "pure_row /= " + count + ";";
  }
  to << "const size_t pure_from = pure_index % " + columns + ";";
  to << "const size_t pure_left = pure_last - pure_index;";
  to << "const size_t pure_until = pure_left < " + columns + " - pure_from ? pure_from + pure_left : " + columns + ";";
  to << "pure_index += pure_until - pure_from;";
  open_level(to, plan, inner, "pure_from", "pure_until");
}

void close_loop(code& to, const loop_plan& plan) {
  if (plan.levels.back().step != "1") {
    to.back();
    to << "}";
  }
  if (plan.levels.size() > 1) {
    to.back();
    to << "}";
  }
}

std::string write_options(code& to, const loop_plan& plan) {
  if (plan.clauses.chunk.empty() || !plan.clauses.reductions.empty()) return "NULL";
  to << "const pure_loop_options pure_options = {" + converted(plan, "size_t", plan.clauses.chunk) + ", NULL, 0};";
  return "&pure_options";
}

std::string combined(const reduction& reduces, const std::string& into, const std::string& value) {
  if (reduces.op == "min") return "if (" + value + " < " + into + ") " + into + " = " + value + ";";
  if (reduces.op == "max") return "if (" + into + " < " + value + ") " + into + " = " + value + ";";
  return into + " = " + into + " " + reduces.op + " " + value + ";";
}

std::string neutral(const reduction& reduces) {
  return reduces.is_idempotent() ? reduces.variable->getNameAsString() : reduces.op == "*" ? "1" : "0";
}

std::string atomic_text(const loop_plan& plan, const atomic_update& update, const std::string& target,
                        const std::string& operand) {
  code to(plan.file, update.end);
  const std::string value = operand.empty() ? "1" : "pure_operand";
  to << "{";
  to.deeper();
  to << "__typeof__(" + target + ")* const pure_target = &(" + target + ");";
  if (!operand.empty()) to << "const __typeof__(" + operand + ") pure_operand = " + operand + ";";
  to << "__typeof__(" + target + ") pure_old, pure_new;";
  to << "__atomic_load(pure_target, &pure_old, __ATOMIC_RELAXED);";
  to << "do {";
  to.deeper();
  to << "pure_new = " +
            (update.operand_first ? value + " " + update.op + " pure_old" : "pure_old " + update.op + " " + value) +
            ";";
  to.back();
  to << "} while (!__atomic_compare_exchange(pure_target, &pure_old, &pure_new, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));";
  to.back();
  to << "}";
  return to.text();
}

}  // namespace mpi2pure
