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

  bool VisitImplicitCastExpr(ImplicitCastExpr* cast) {
    const Expr* given = cast->getSubExpr();
    const QualType from = given->getType(), to = cast->getType();
    if (cast->getCastKind() != CK_BitCast || !from->isVoidPointerType() || !to->isPointerType() ||
        to->isVoidPointerType() || !unit_.is_program(given->getBeginLoc()))
      return true;
    if (given->isNullPointerConstant(context_, Expr::NPC_ValueDependentIsNull) != Expr::NPCK_NotNull) return true;
    const std::optional<place> at = unit_.place_of(given->getBeginLoc());
    if (!at) return true;
    const std::string type = to.getUnqualifiedType().getAsString(PrintingPolicy(context_.getLangOpts()));
    const SourceManager& sources = unit_.sources();
    const SourceLocation end = Lexer::getLocForEndOfToken(sources.getSpellingLoc(given->getEndLoc()), 0, sources,
                                                          context_.getLangOpts());
    const bool is_whole = isa<CallExpr>(given->IgnoreParens()) || isa<DeclRefExpr>(given->IgnoreParenImpCasts()) ||
                          isa<MemberExpr>(given->IgnoreParenImpCasts()) || isa<ParenExpr>(given);
    if (given->getBeginLoc().isMacroID() || type.find('(') != std::string::npos || (!is_whole && end.isInvalid())) {
      if (!is_whole || type.find('(') != std::string::npos || !is_macro_call(given)) {
        result_.leave(unit_.place_at(sources.getFileID(sources.getExpansionLoc(given->getBeginLoc())),
                                     sources.getFileOffset(sources.getExpansionLoc(given->getBeginLoc()))),
                      "C++ wants a cast to " + type + " here: write it");
        return true;
      }
      bool is_in_macro = false;
      const std::optional<place> before = unit_.begin_of(given->getBeginLoc(), is_in_macro);
      if (before) result_.replace(*before, 0, "(" + type + ")", false);
      return true;
    }
    result_.replace(*at, 0, "(" + type + ")" + (is_whole ? "" : "("), false);
    if (!is_whole) result_.replace(*unit_.place_of(end), 0, ")", false);
    return true;
  }

 private:
  // Whether the macro's text is this expression, from its first token to its last, or has it as a whole call.
  bool is_macro_call(const Expr* given) const {
    return isa<CallExpr>(given->IgnoreParens());
  }

  ASTContext& context_;
  const port_unit& unit_;
  ported& result_;
};

}  // namespace

void port_casts(ASTContext& context, const port_unit& unit, ported& result) {
  if (context.getLangOpts().CPlusPlus) return;
  caster(context, unit, result).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace mpi2pure
