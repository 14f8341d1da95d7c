#include "mpi2pure/macros.hpp"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Lex/MacroInfo.h>
#include <clang/Lex/Token.h>

#include <algorithm>

namespace mpi2pure {

using namespace clang;

namespace {

class watcher : public PPCallbacks {
 public:
  explicit watcher(macro_events& events) : events_(events) {}

  void MacroDefined(const Token& name, const MacroDirective*) override {
    events_.changes.emplace_back(name.getIdentifierInfo()->getName().str(), name.getLocation());
  }

  void MacroUndefined(const Token& name, const MacroDefinition&, const MacroDirective*) override {
    events_.changes.emplace_back(name.getIdentifierInfo()->getName().str(), name.getLocation());
  }

  void MacroExpands(const Token& name, const MacroDefinition& definition, SourceRange range,
                    const MacroArgs*) override {
    const MacroInfo* info = definition.getMacroInfo();
    const bool has_hash = info != nullptr && std::any_of(info->tokens_begin(), info->tokens_end(), [](const Token& t) {
                            return t.isOneOf(tok::hash, tok::hashhash, tok::hashat);
                          });
    events_.uses.push_back({range, name.getIdentifierInfo()->getName().str(), has_hash});
  }

  void SourceRangeSkipped(SourceRange range, SourceLocation) override { events_.skipped.push_back(range); }

 private:
  macro_events& events_;
};

}  // namespace

std::unique_ptr<PPCallbacks> watch_macros(macro_events& events) { return std::make_unique<watcher>(events); }

}  // namespace mpi2pure
