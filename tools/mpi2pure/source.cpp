#include "mpi2pure/source.hpp"

#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace mpi2pure {

using namespace clang;

source_file::source_file(const ASTContext& context, FileID id) : context_(context), id_(id) {
  const SourceManager& sources = context.getSourceManager();
  text_ = sources.getBufferData(id).str();
  const FileEntry* entry = sources.getFileEntryForID(id);
  path_ = entry != nullptr ? entry->tryGetRealPathName().str() : "";
  const std::size_t end = text_.find('\n');
  newline_ = end != std::string::npos && end > 0 && text_[end - 1] == '\r' ? "\r\n" : "\n";
  read_directives();
}

std::optional<std::size_t> source_file::offset(SourceLocation location) const {
  const SourceManager& sources = context_.getSourceManager();
  if (location.isInvalid()) return std::nullopt;
  const auto [file, at] = sources.getDecomposedLoc(sources.getExpansionLoc(location));
  if (file != id_) return std::nullopt;
  return at;
}

std::optional<std::size_t> source_file::end_offset(SourceLocation location) const {
  const SourceManager& sources = context_.getSourceManager();
  if (location.isInvalid()) return std::nullopt;
  const SourceLocation last = sources.getExpansionRange(location).getEnd();
  const auto [file, at] = sources.getDecomposedLoc(last);
  if (file != id_) return std::nullopt;
  return at + Lexer::MeasureTokenLength(last, sources, context_.getLangOpts());
}

unsigned source_file::line(std::size_t offset) const {
  return static_cast<unsigned>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n')) +
         1;
}

std::size_t source_file::line_start(std::size_t offset) const {
  const std::size_t found = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
  return found == std::string::npos ? 0 : found + 1;
}

std::size_t source_file::line_end(std::size_t offset) const {
  const std::size_t found = text_.find('\n', offset);
  return found == std::string::npos ? text_.size() : found + 1;
}

std::string source_file::indentation(std::size_t offset) const {
  const std::size_t start = line_start(offset);
  return text_.substr(start, std::min(text_.find_first_not_of(" \t", start), text_.size()) - start);
}

std::optional<std::string> source_file::text_of(SourceRange range) const {
  const SourceManager& sources = context_.getSourceManager();
  const CharSourceRange whole = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(range), sources,
                                                         context_.getLangOpts());
  if (whole.isInvalid() || sources.getFileID(whole.getBegin()) != id_) return std::nullopt;
  return Lexer::getSourceText(whole, sources, context_.getLangOpts()).str();
}

// Whether the statement's last token is before the semicolon that ends it.
static bool needs_semicolon(const Stmt* statement) {
  if (const auto* loop = dyn_cast<ForStmt>(statement)) return needs_semicolon(loop->getBody());
  if (const auto* loop = dyn_cast<CXXForRangeStmt>(statement)) return needs_semicolon(loop->getBody());
  if (const auto* loop = dyn_cast<WhileStmt>(statement)) return needs_semicolon(loop->getBody());
  if (const auto* label = dyn_cast<LabelStmt>(statement)) return needs_semicolon(label->getSubStmt());
  if (const auto* marked = dyn_cast<AttributedStmt>(statement)) return needs_semicolon(marked->getSubStmt());
  if (const auto* branch = dyn_cast<IfStmt>(statement))
    return needs_semicolon(branch->getElse() != nullptr ? branch->getElse() : branch->getThen());
  if (const auto* branch = dyn_cast<SwitchStmt>(statement)) return needs_semicolon(branch->getBody());
  if (const auto* region = dyn_cast<CapturedStmt>(statement)) return needs_semicolon(region->getCapturedStmt());
  if (const auto* omp = dyn_cast<OMPExecutableDirective>(statement))
    return omp->hasAssociatedStmt() && needs_semicolon(omp->getAssociatedStmt());
  return !isa<CompoundStmt>(statement) && !isa<NullStmt>(statement) && !isa<DeclStmt>(statement) &&
         !isa<CXXTryStmt>(statement);
}

// OpenMP's own directives end with their pragma: what is meant is the statement below.
static const Stmt* last_part(const Stmt* statement) {
  for (;;) {
    const Stmt* part = nullptr;
    if (const auto* loop = dyn_cast<ForStmt>(statement)) part = loop->getBody();
    if (const auto* omp = dyn_cast<OMPExecutableDirective>(statement))
      part = omp->hasAssociatedStmt() ? omp->getAssociatedStmt() : nullptr;
    if (const auto* region = dyn_cast<CapturedStmt>(statement)) part = region->getCapturedStmt();
    if (part == nullptr) return statement;
    statement = part;
  }
}

std::optional<std::size_t> source_file::end_of(const Stmt* statement) const {
  const std::optional<std::size_t> end = end_offset(last_part(statement)->getEndLoc());
  if (!end || !needs_semicolon(statement)) return end;
  const SourceManager& sources = context_.getSourceManager();
  const SourceLocation last = sources.getExpansionRange(last_part(statement)->getEndLoc()).getEnd();
  const SourceLocation behind = Lexer::findLocationAfterToken(last, tok::semi, sources, context_.getLangOpts(),
                                                              /*SkipTrailing=*/false);
  return behind.isInvalid() ? std::nullopt : offset(behind);
}

std::size_t source_file::end_of_pragma(std::size_t offset) const {
  for (;;) {
    const std::size_t end = line_end(offset);
    std::size_t last = end;
    while (last > offset && (text_[last - 1] == '\n' || text_[last - 1] == '\r')) --last;
    if (end == text_.size() || last == offset || text_[last - 1] != '\\') return end;
    offset = end;
  }
}

void source_file::read_directives() {
  Lexer lexer(context_.getSourceManager().getLocForStartOfFile(id_), context_.getLangOpts(), text_.data(), text_.data(),
              text_.data() + text_.size());
  std::vector<std::size_t> open;
  Token token;
  for (lexer.LexFromRawLexer(token); token.isNot(tok::eof);) {
    if (token.isNot(tok::hash) || !token.isAtStartOfLine()) {
      lexer.LexFromRawLexer(token);
      continue;
    }
    const SourceManager& sources = context_.getSourceManager();
    const std::size_t begin = line_start(sources.getFileOffset(token.getLocation()));
    directive found{directive::other, "", "", begin, end_of_pragma(begin)};
    lexer.LexFromRawLexer(token);
    if (token.is(tok::raw_identifier) && !token.isAtStartOfLine()) {
      found.name = token.getRawIdentifier().str();
      const std::size_t behind = sources.getFileOffset(token.getLocation()) + token.getLength();
      const std::size_t word = text_.find_first_not_of(" \t", behind);
      if (word != std::string::npos && word < found.end)
        found.word = text_.substr(word, text_.find_first_of(" \t\r\n/", word) - word);
      if (found.name == "if" || found.name == "ifdef" || found.name == "ifndef") found.kind = directive::opens;
      if (found.name == "else" || found.name.compare(0, 4, "elif") == 0) found.kind = directive::turns;
      if (found.name == "endif") found.kind = directive::closes;
      if (found.name == "include") {
        found.kind = directive::includes;
        found.word = text_.substr(word, found.end - word);
      }
    }
    directives_.push_back(found);
    const std::size_t number = directives_.size() - 1;
    if (found.kind == directive::opens) {
      open.push_back(conditionals_.size());
      conditionals_.push_back({number, number, {}});
    }
    if (found.kind == directive::turns && !open.empty()) conditionals_[open.back()].turns.push_back(number);
    if (found.kind == directive::closes && !open.empty()) {
      conditionals_[open.back()].closes = number;
      open.pop_back();
    }
  }
}

bool source_file::has_its_twin(std::size_t offset) const {
  return std::any_of(conditionals_.begin(), conditionals_.end(), [&](const conditional& one) {
    const directive& opens = directives_[one.opens];
    return (opens.name == "ifdef" || opens.name == "ifndef") && opens.word == guard_macro && opens.begin < offset &&
           offset < directives_[one.closes].end;
  });
}

edit source_file::include_of(const std::vector<std::string>& headers, const std::string& lines, std::size_t otherwise,
                             bool is_header) const {
  std::optional<std::size_t> behind;
  std::size_t depth = 0, least = is_header ? 1 : 0;  // A header's guard is around all of it.
  if (directives_.empty() || directives_.front().name != "ifndef") least = 0;
  for (const directive& one : directives_) {
    if (one.kind == directive::includes && std::any_of(headers.begin(), headers.end(), [&](const std::string& header) {
          return one.word.find(header) != std::string::npos;
        }))
      return {0, 0, ""};
    if (one.kind == directive::opens) ++depth;
    if (one.kind == directive::closes) --depth;
    if (one.kind == directive::includes && depth <= least && one.begin < otherwise) behind = one.end;
  }
  return {behind.value_or(line_start(otherwise)), 0, lines};
}

edit source_file::include_of_tasks(std::size_t otherwise, bool is_header) const {
  const std::string end = newline_;
  return include_of({"pure/tasks.h"},
                    std::string("#ifdef ") + guard_macro + end + "#include <pure/tasks.h>" + end + "#endif" + end,
                    otherwise, is_header);
}

}  // namespace mpi2pure
