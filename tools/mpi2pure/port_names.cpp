// Which tokens of a program are names of MPI, and what becomes of them: port_passes.hpp.
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

#include "mpi2pure/port_passes.hpp"
#include "mpi2pure/source.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

// Which tokens of the program name something of MPI's, and which something of its own that has such a name.
class resolver : public RecursiveASTVisitor<resolver> {
 public:
  resolver(const port_unit& unit, const names& table, ported& result) : unit_(unit), table_(table), result_(result) {}

  std::map<spelled, bool> uses;
  std::set<std::string> of_mpi;      // What mpi.h declares.
  std::set<std::string> of_program;  // What the program declares under such a name.

  bool shouldWalkTypesOfTypeLocs() const { return true; }

  bool VisitNamedDecl(NamedDecl* decl) {
    if (!decl->getDeclName().isIdentifier() || !may_be_mpi(decl->getName())) return true;
    const std::string name = decl->getName().str();
    if (unit_.is_mpi(decl->getLocation())) of_mpi.insert(name);
    if (!unit_.is_program(decl->getLocation())) return true;
    const NamedDecl* first = cast<NamedDecl>(decl->getCanonicalDecl());
    if (first != decl && unit_.is_mpi(first->getLocation())) {
      if (const std::optional<place> at = unit_.place_of(decl->getLocation()))
        result_.leave(*at, "the program has a " + name +
                               " of its own, in place of MPI's: Pure is not called by that "
                               "name; `purerun --stats` and `--trace` count calls");
    } else {
      of_program.insert(name);
    }
    uses[unit_.spelling(decl->getLocation())] = false;
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr* named) { return note(named->getLocation(), named->getDecl()); }
  bool VisitMemberExpr(MemberExpr* named) { return note(named->getMemberLoc(), named->getMemberDecl()); }
  bool VisitTypedefTypeLoc(TypedefTypeLoc type) { return note(type.getNameLoc(), type.getTypedefNameDecl()); }
  bool VisitTagTypeLoc(TagTypeLoc type) { return note(type.getNameLoc(), type.getDecl()); }
  bool VisitOverloadExpr(OverloadExpr* named) {
    for (const NamedDecl* one : named->decls()) note(named->getNameLoc(), one);
    return true;
  }
  bool VisitDesignatedInitExpr(DesignatedInitExpr* list) {
    for (const DesignatedInitExpr::Designator& one : list->designators()) {
      if (one.isFieldDesignator() && one.getField() != nullptr) note(one.getFieldLoc(), one.getField());
    }
    return true;
  }

  // MPI_Op_create's function is named without a cast: pure/mpi_names.h makes one of Pure's of it.
  bool VisitCallExpr(CallExpr* call) {
    const FunctionDecl* callee = call->getDirectCallee();
    if (callee == nullptr || callee->getDeclName().isIdentifier() == 0 || !unit_.is_mpi(callee->getLocation()))
      return true;
    if (callee->getName() != "MPI_Op_create" || call->getNumArgs() != 3) return true;
    const Expr* given = call->getArg(0);
    const auto* named = dyn_cast<DeclRefExpr>(without_casts(given));
    const std::optional<place> at = unit_.place_of(call->getBeginLoc());
    if (!at) return true;
    if (named == nullptr || !isa<FunctionDecl>(named->getDecl())) {
      result_.leave(*at, "the operator's function is not named here: call pure_op_create with a pure_user_function");
      return true;
    }
    const SourceLocation begin = given->getBeginLoc(), end = named->getLocation();
    if (begin == end) return true;
    if (begin.isMacroID() || end.isMacroID()) {
      result_.leave(*at, "the operator's function is cast by a macro: name it without a cast");
      return true;
    }
    const std::optional<place> from = unit_.place_of(begin);
    const std::size_t length = unit_.spelling(end).second - unit_.spelling(begin).second;
    if (from && unit_.text_of(unit_.spelling(begin).first).substr(from->offset, length).find('/') == std::string::npos)
      erased_[unit_.spelling(begin)] = length;
    return true;
  }
  const std::map<spelled, std::size_t>& erased() const { return erased_; }

 private:
  static const Expr* without_casts(const Expr* given) {
    given = given->IgnoreParenCasts();
    const auto* address = dyn_cast<UnaryOperator>(given);
    return address != nullptr && address->getOpcode() == UO_AddrOf ? address->getSubExpr()->IgnoreParenCasts() : given;
  }

  bool note(SourceLocation location, const NamedDecl* decl) {
    if (decl == nullptr || !decl->getDeclName().isIdentifier() || !may_be_mpi(decl->getName())) return true;
    const bool is_mpis = unit_.is_mpi(decl->getCanonicalDecl()->getLocation());
    if (is_mpis) of_mpi.insert(decl->getName().str());
    const SourceManager& sources = unit_.sources();
    if (is_mpis && unit_.is_program(location) && sources.isWrittenInScratchSpace(sources.getSpellingLoc(location))) {
      const FileID file = sources.getFileID(sources.getExpansionLoc(location));
      result_.leave(unit_.place_at(file, sources.getFileOffset(sources.getExpansionLoc(location))),
                    "a macro puts the name " + decl->getName().str() + " together: write it out" + hint(*decl));
      return true;
    }
    uses[unit_.spelling(location)] = is_mpis;
    return true;
  }
  std::string hint(const NamedDecl& decl) const {
    const twin found = table_.of(decl.getName().str());
    return found.name.empty() ? "" : " (" + found.name + ")";
  }

  const port_unit& unit_;
  const names& table_;
  ported& result_;
  std::map<spelled, std::size_t> erased_;
};

// Goes through the tokens of a file.
class renamer {
 public:
  renamer(const port_unit& unit, const preprocessed& seen, const resolver& known, const names& table, ported& result)
      : unit_(unit), seen_(seen), known_(known), table_(table), result_(result) {}

  void file(FileID id) {
    const SourceManager& sources = unit_.sources();
    const std::string text = unit_.text_of(id);
    std::vector<std::pair<std::size_t, std::size_t>> skipped;
    for (const SourceRange& range : seen_.skipped) {
      const auto [file, begin] = sources.getDecomposedLoc(range.getBegin());
      if (file == id) skipped.emplace_back(begin, sources.getDecomposedLoc(range.getEnd()).second);
    }
    Lexer lexer(sources.getLocForStartOfFile(id), unit_.language(), text.data(), text.data(),
                text.data() + text.size());
    Token token;
    std::string directive;  // In which the token is.
    bool is_hash = false, is_after_text = false;
    std::set<std::size_t> reported;
    for (lexer.LexFromRawLexer(token); token.isNot(tok::eof); lexer.LexFromRawLexer(token)) {
      if (token.isAtStartOfLine()) directive.clear();
      if (is_after_text && token.is(tok::raw_identifier) && !token.hasLeadingSpace() && !token.isAtStartOfLine() &&
          !unit_.language().CPlusPlus11)  // There, it would be the suffix of the text.
        result_.replace(unit_.place_at(id, sources.getFileOffset(token.getLocation())), 0, " ", false);
      is_after_text = tok::isStringLiteral(token.getKind());
      if (token.is(tok::hash) && token.isAtStartOfLine()) {
        is_hash = true;
        continue;
      }
      const std::string word = token.is(tok::raw_identifier) ? token.getRawIdentifier().str() : "";
      if (is_hash && directive.empty()) directive = word.empty() ? "?" : word;
      is_hash = false;
      if (!may_be_mpi(word)) continue;
      const spelled at{id, static_cast<unsigned>(sources.getFileOffset(token.getLocation()))};
      const auto in = std::find_if(skipped.begin(), skipped.end(), [&](const auto& range) {
        return range.first < at.second && at.second < range.second;
      });
      if (in == skipped.end())
        look_at(at, word, directive);
      else if (table_.knows(word) && known_.of_program.count(word) == 0 && reported.insert(in->first).second)
        result_.leave(unit_.place_at(id, at.second),
                      word +
                          ", and what else is in this branch, is left out with these flags: translate it with flags "
                          "that take it");
    }
  }

 private:
  bool is_of_mpi(const std::string& word) const {
    return known_.of_mpi.count(word) != 0 || seen_.mpi_macros.count(word) != 0;
  }
  bool is_of_program(const std::string& word) const {
    return known_.of_program.count(word) != 0 || seen_.program_macros.count(word) != 0;
  }

  void look_at(const spelled& at, const std::string& word, const std::string& directive) {
    const place where = unit_.place_at(at.first, at.second);
    auto found = known_.uses.find(at);
    if (found == known_.uses.end()) {
      found = seen_.uses.find(at);
      if (found == seen_.uses.end()) {
        if (!is_of_mpi(word)) return;
        if (is_of_program(word))
          return result_.leave(where, "the program and mpi.h both have a " + word +
                                          ", and nothing tells which one this is: rename the program's");
      } else if (!found->second) {
        return;
      }
    } else if (!found->second) {
      return;
    }
    if (!directive.empty() && directive != "define" && directive != "include") {
      return result_.leave(where, "#" + directive + " asks for " + word + ", which pure.h does not have as a macro");
    }
    const twin becomes = table_.of(word);
    if (becomes.name.empty())
      return result_.leave(where, word + " has no twin" + (becomes.remark.empty() ? "" : ": " + becomes.remark));
    result_.replace(where, word.size(), becomes.name, true);
  }

  const port_unit& unit_;
  const preprocessed& seen_;
  const resolver& known_;
  const names& table_;
  ported& result_;
};

// Where the file would include what declares the word.
edit include_of_word(ASTContext& context, const port_unit& unit, FileID file) {
  const source_file source(context, file);
  std::size_t first = source.text().size();
  for (const Decl* one : context.getTranslationUnitDecl()->decls()) {
    if (one->isImplicit() || unit.sources().getFileID(unit.sources().getExpansionLoc(one->getBeginLoc())) != file)
      continue;
    first = std::min(first, source.offset(one->getBeginLoc()).value_or(first));
  }
  return source.include_of({"mpi.h", "pure/mpi_names.h", "pure/rank_local.h"},
                           std::string("#include <pure/rank_local.h>") + source.newline(), first,
                           file != unit.sources().getMainFileID());
}

}  // namespace

void port_names(ASTContext& context, const port_unit& unit, const preprocessed& seen, const names& table,
                ported& result) {
  resolver known(unit, table, result);
  known.TraverseDecl(context.getTranslationUnitDecl());
  for (const std::string member : {"MPI_SOURCE", "MPI_TAG", "MPI_ERROR"}) known.of_mpi.insert(member);
  renamer renames(unit, seen, known, table, result);
  for (const FileID file : unit.files()) {
    renames.file(file);
    result.add_file(unit.path_of(file), unit.text_of(file), include_of_word(context, unit, file));
  }
  for (const auto& [at, length] : known.erased()) result.replace(unit.place_at(at.first, at.second), length, "", false);
  for (const preprocessed::inclusion& one : seen.inclusions) {
    const std::optional<place> at = unit.place_of(one.name);
    const std::string path = one.file->getName().str();
    if (!at || path.compare(path.rfind('/') + 1, std::string::npos, "mpi.h") != 0) continue;
    if (unit.is_program(unit.sources().translateFile(one.file)))
      result.leave(*at, "this mpi.h is the program's own: compile with that of an MPI");
    else
      result.replace(*at, one.length, "<pure/mpi_names.h>", false);
  }
}

}  // namespace mpi2pure
