// The casts that C++ wants, where C has none: port_passes.hpp.
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Lex/Lexer.h>

#include "mpi2pure/port_passes.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

class caster : public RecursiveASTVisitor<caster> {
 public:
  caster(ASTContext& context, const port_unit& unit, ported& result)
      : context_(context), unit_(unit), result_(result) {}

  // In a macro the type may be another one each time: it is that of what is assigned to.
  bool VisitBinaryOperator(BinaryOperator* sets) {
    const auto* cast = dyn_cast<ImplicitCastExpr>(sets->getRHS());
    if (sets->getOpcode() != BO_Assign || cast == nullptr || !wants_cast(cast)) return true;
    const SourceManager& sources = unit_.sources();
    bool is_in_macro = false;
    const std::optional<place> at = unit_.begin_of(cast->getSubExpr()->getBeginLoc(), is_in_macro);
    if (!at || !is_in_macro) return true;
    const SourceLocation from = in_macro(sets->getLHS()->getBeginLoc()), to = in_macro(sets->getLHS()->getEndLoc());
    const unsigned begin = sources.getFileOffset(from);
    const unsigned end = sources.getFileOffset(Lexer::getLocForEndOfToken(to, 0, sources, context_.getLangOpts()));
    if (sources.getFileID(from) != sources.getFileID(to) || !unit_.place_of(from) ||
        unit_.place_of(from)->file != at->file || end <= begin)
      return true;
    const std::string left = unit_.text_of(sources.getFileID(from)).substr(begin, end - begin);
    result_.replace(*at, 0, "(__typeof__(" + left + "))", false);
    done_.insert(cast);
    return true;
  }

  bool VisitImplicitCastExpr(ImplicitCastExpr* cast) {
    if (!wants_cast(cast) || done_.count(cast) != 0) return true;
    const Expr* given = cast->getSubExpr();
    const SourceManager& sources = unit_.sources();
    const std::string type = cast->getType().getUnqualifiedType().getAsString(PrintingPolicy(context_.getLangOpts()));
    const Expr* inner = given->IgnoreParenImpCasts();
    const bool is_whole = isa<CallExpr>(inner) || isa<IntegerLiteral>(given) || isa<DeclRefExpr>(inner) ||
                          isa<MemberExpr>(inner) || isa<ArraySubscriptExpr>(inner) || isa<ParenExpr>(given);
    bool is_in_macro = false;
    const std::optional<place> at = unit_.begin_of(given->getBeginLoc(), is_in_macro);
    const SourceLocation end = Lexer::makeFileCharRange(CharSourceRange::getTokenRange(given->getSourceRange()),
                                                        sources, context_.getLangOpts())
                                   .getEnd();
    if (!at || type.find('(') != std::string::npos || (!is_whole && (is_in_macro || end.isInvalid()))) {
      const SourceLocation place = sources.getExpansionLoc(given->getBeginLoc());
      result_.leave(unit_.place_at(sources.getFileID(place), sources.getFileOffset(place)),
                    "C++ wants a cast to " + type + " here: write it");
      return true;
    }
    result_.replace(*at, 0, "(" + type + ")" + (is_whole ? "" : "("), false);
    if (!is_whole) result_.replace(*unit_.place_of(end), 0, ")", false);
    return true;
  }

 private:
  bool wants_cast(const ImplicitCastExpr* cast) const {
    const Expr* given = cast->getSubExpr();
    const QualType from = given->getType(), to = cast->getType();
    if (cast->getCastKind() == CK_IntegralCast && to->isEnumeralType())
      return !is_of_enumeration(given, to) && unit_.is_program(given->getBeginLoc());
    return cast->getCastKind() == CK_BitCast && from->isVoidPointerType() && to->isPointerType() &&
           !to->isVoidPointerType() && unit_.is_program(given->getBeginLoc()) &&
           given->isNullPointerConstant(context_, Expr::NPC_ValueDependentIsNull) == Expr::NPCK_NotNull;
  }
  // In C, an enumeration's constants are of type int.
  bool is_of_enumeration(const Expr* given, QualType enumeration) const {
    given = given->IgnoreParenImpCasts();
    if (const auto* chosen = dyn_cast<ConditionalOperator>(given))
      return is_of_enumeration(chosen->getTrueExpr(), enumeration) &&
             is_of_enumeration(chosen->getFalseExpr(), enumeration);
    const auto* named = dyn_cast<DeclRefExpr>(given);
    const auto* constant = named != nullptr ? dyn_cast<EnumConstantDecl>(named->getDecl()) : nullptr;
    if (constant == nullptr) return context_.hasSameUnqualifiedType(given->getType(), enumeration);
    return cast<EnumDecl>(constant->getDeclContext())->getCanonicalDecl() ==
           enumeration->castAs<EnumType>()->getDecl()->getCanonicalDecl();
  }
  // Where the macro's own text has what it is given.
  SourceLocation in_macro(SourceLocation location) const {
    const SourceManager& sources = unit_.sources();
    while (location.isMacroID() && sources.isMacroArgExpansion(location))
      location = sources.getImmediateExpansionRange(location).getBegin();
    return sources.getSpellingLoc(location);
  }

  ASTContext& context_;
  const port_unit& unit_;
  ported& result_;
  std::set<const ImplicitCastExpr*> done_;
};

}  // namespace

void port_casts(ASTContext& context, const port_unit& unit, ported& result) {
  if (context.getLangOpts().CPlusPlus) return;
  caster(context, unit, result).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace mpi2pure
