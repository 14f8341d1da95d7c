// Which variables ranks must not share, and who uses them: port_passes.hpp.
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtOpenMP.h>

#include <functional>

#include "mpi2pure/port_passes.hpp"

namespace mpi2pure {

using namespace clang;

namespace {

constexpr const char* of_openmp =
    "threads of OpenMP, or by chunks that other ranks run, each of which would have its own: give it to them as a reference "
    "or pointer, made before the region";
constexpr const char* of_threads =
    "a thread that the program starts, which would have its own: give it to the thread "
    "as an argument";
constexpr const char* of_templates =
    "a template argument or a constexpr object, which a variable of each rank cannot "
    "be: give its address when the program runs";

class finder : public RecursiveASTVisitor<finder> {
  using base = RecursiveASTVisitor<finder>;

 public:
  finder(ASTContext& context, const port_unit& unit, ported& result)
      : context_(context), unit_(unit), result_(result) {}

  bool VisitVarDecl(VarDecl* decl) {
    if (isa<ParmVarDecl>(decl) || !unit_.is_program(decl->getLocation())) return true;
    bool is_in_macro = false;
    const std::optional<place> begin = unit_.begin_of(decl->getInnerLocStart(), is_in_macro);
    if (!decl->hasGlobalStorage()) {
      if (is_in_macro && begin) result_.macro_begins(*begin, false);
      return true;
    }
    if (decl->hasAttr<OMPThreadPrivateDeclAttr>() || is_of_library(decl) || has_word(decl, ranks_share)) return true;
    const place at = unit_.place_at(file_of(decl->getLocation()), offset_of(decl->getLocation()));
    global_variable& known = result_.variable(key_of(decl));
    known.name = decl->getQualifiedNameAsString();
    known.declarations.insert(at);
    if (decl->isThisDeclarationADefinition() != VarDecl::DeclarationOnly || is_template_member(decl))
      known.is_defined = true;
    if (known.blamed.file.empty() || decl->isThisDeclarationADefinition() == VarDecl::Definition) known.blamed = at;
    known.is_wanted |= is_wanted(decl);
    note_reasons(decl, known);
    if (is_marked(decl)) return true;
    if (!begin) {
      known.reason = known.name + " is declared by a macro from outside of the tree: declare it without";
      return true;
    }
    result_.declare(known, is_in_macro ? *begin : at, *begin);
    if (is_in_macro) result_.macro_begins(*begin, true);
    return true;
  }

  // A function's name in a group of variables gets the word, too.
  bool VisitFunctionDecl(FunctionDecl* decl) {
    if (!unit_.is_program(decl->getLocation())) return true;
    bool is_in_macro = false;
    const std::optional<place> begin = unit_.begin_of(decl->getInnerLocStart(), is_in_macro);
    if (begin && is_in_macro) result_.macro_begins(*begin, false);
    if (!begin || is_in_macro || decl->isThisDeclarationADefinition()) return true;
    functions_begin_.insert(*begin);
    return true;
  }

  bool VisitDeclRefExpr(DeclRefExpr* named) {
    note_use(named->getDecl(), named->getLocation());
    return true;
  }
  bool VisitMemberExpr(MemberExpr* named) {
    note_use(named->getMemberDecl(), named->getMemberLoc());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr* made) {
    note_use(made->getConstructor(), made->getLocation());
    return true;
  }

  bool TraverseDecl(Decl* decl) {
    if (decl == nullptr) return true;
    // What neither is the program's nor has parts that are.
    if (decl->getDeclContext() != nullptr && decl->getDeclContext()->isTranslationUnit() &&
        !isa<LinkageSpecDecl>(decl) && !isa<NamespaceDecl>(decl) && !unit_.is_program(decl->getLocation()))
      return true;
    const FunctionDecl* function = decl->getAsFunction();
    if (function == nullptr) return base::TraverseDecl(decl);
    const std::string outer = function_;
    function_ = key_of(function);
    const bool goes_on = base::TraverseDecl(decl);
    function_ = outer;
    return goes_on;
  }

  bool TraverseStmt(Stmt* statement) {
    if (statement == nullptr) return true;
    const char* threads = nullptr;
    if (const auto* omp = dyn_cast<OMPExecutableDirective>(statement)) {
      if (isOpenMPParallelDirective(omp->getDirectiveKind()) || isOpenMPTaskingDirective(omp->getDirectiveKind()) ||
          isOpenMPTeamsDirective(omp->getDirectiveKind()) ||
          isOpenMPTargetExecutionDirective(omp->getDirectiveKind()) ||
          isOpenMPWorksharingDirective(omp->getDirectiveKind()))
        threads = of_openmp;
    } else if (const auto* call = dyn_cast<CallExpr>(statement)) {
      threads = threads_of(call->getDirectCallee());
      if (call->getDirectCallee() != nullptr && sets_handler(*call->getDirectCallee()))
        note_handler(call->getBeginLoc());
    } else if (const auto* made = dyn_cast<CXXConstructExpr>(statement)) {
      const CXXRecordDecl* record = made->getConstructor()->getParent();
      if (record->isInStdNamespace() && (record->getName() == "thread" || record->getName() == "jthread"))
        threads = of_threads;
    }
    return within(threads, [&] { return base::TraverseStmt(statement); });
  }
  bool TraverseTemplateArgumentLoc(const TemplateArgumentLoc& argument) {
    const bool is_value = argument.getArgument().getKind() == TemplateArgument::Expression;
    return within(is_value ? of_templates : nullptr, [&] { return base::TraverseTemplateArgumentLoc(argument); });
  }
  bool TraverseVarDecl(VarDecl* decl) {
    const std::string outer = initialized_;
    if (decl->hasGlobalStorage() && unit_.is_program(decl->getLocation())) initialized_ = key_of(decl);
    const bool goes_on = within(decl->isConstexpr() ? of_templates : nullptr,
                                [&] { return base::TraverseVarDecl(decl); });
    initialized_ = outer;
    return goes_on;
  }

  void finish() {
    for (const auto& [key, places] : begins_) {
      for (const place& at : places) {
        if (functions_begin_.count(at) != 0 && result_.variable(key).reason.empty())
          result_.variable(key).reason = result_.variable(key).name +
                                         " is declared together with a function: declare it by itself";
      }
    }
  }

 private:
  FileID file_of(SourceLocation location) const {
    return unit_.sources().getFileID(unit_.sources().getExpansionLoc(location));
  }
  unsigned offset_of(SourceLocation location) const {
    return unit_.sources().getFileOffset(unit_.sources().getExpansionLoc(location));
  }

  // One variable of the program has one key, in whichever file.
  std::string key_of(const VarDecl* decl) const {
    if (decl->hasExternalFormalLinkage() && !decl->isStaticLocal()) {
      if (const_cast<VarDecl*>(decl)->isLocalExternDecl()) {
        const DeclContext* around = decl->getDeclContext()->getEnclosingNamespaceContext();
        const auto* space = dyn_cast<NamespaceDecl>(around);
        return (space == nullptr ? "" : space->getQualifiedNameAsString() + "::") + decl->getName().str();
      }
      return decl->getQualifiedNameAsString();
    }
    const VarDecl* first = decl->getCanonicalDecl();
    return unit_.path_of(file_of(first->getLocation())) + ":" + std::to_string(offset_of(first->getLocation())) + ":" +
           first->getNameAsString();
  }
  std::string key_of(const FunctionDecl* function) const {
    const std::string name = function->getQualifiedNameAsString() + " " + function->getType().getAsString();
    if (function->hasExternalFormalLinkage())
      return context_.getLangOpts().CPlusPlus ? name : function->getNameAsString();
    return unit_.path_of(unit_.sources().getMainFileID()) + ":" + name;
  }

  static bool is_template_member(const VarDecl* decl) {
    return decl->isStaticDataMember() && decl->getDeclContext()->isDependentContext();
  }

  // errno, environ, optind and others, which the program declares once more.
  bool is_of_library(const VarDecl* decl) const {
    if (!unit_.is_program(decl->getCanonicalDecl()->getLocation())) return true;
    return decl->hasExternalStorage() && decl->getDeclContext()->getRedeclContext()->isTranslationUnit() &&
           (decl->getName() == "environ" || !remedy_for_library(decl->getName().str()).empty());
  }

  static bool has_word(const VarDecl* decl, const char* word) {
    for (const auto* one : decl->specific_attrs<AnnotateAttr>()) {
      if (one->getAnnotation() == word && !one->isInherited()) return true;
    }
    return false;
  }
  static bool is_marked(const VarDecl* decl) {
    return decl->getTSCSpec() != TSCS_unspecified || has_word(decl, rank_local);
  }

  bool is_wanted(const VarDecl* decl) const {
    if (decl->isConstexpr() || is_synchronization(decl->getType()) != nullptr) return false;
    const QualType type = decl->getType();
    const QualType element = context_.getBaseElementType(type);
    if (type->isReferenceType() || !element.isConstQualified()) return true;
    if (const auto* record = element->getAsCXXRecordDecl()) {
      if (record->hasDefinition() && record->hasMutableFields()) return true;
    }
    const Expr* value = decl->getInit();
    return decl->isStaticLocal() && value != nullptr && !value->isValueDependent() &&
           !value->isConstantInitializer(context_, false);
  }

  const char* is_synchronization(QualType type) const {
    const auto* record = context_.getBaseElementType(type)->getAsCXXRecordDecl();
    if (record == nullptr || !record->isInStdNamespace()) return nullptr;
    for (const char* one :
         {"atomic", "atomic_flag", "mutex", "recursive_mutex", "timed_mutex", "recursive_timed_mutex", "shared_mutex",
          "shared_timed_mutex", "once_flag", "condition_variable", "condition_variable_any"}) {
      if (record->getName() == one) return one;
    }
    return nullptr;
  }

  void note_reasons(const VarDecl* decl, global_variable& known) {
    if (const char* one = is_synchronization(decl->getType())) {
      known.is_wanted = true;
      if (!is_marked(decl))
        known.reason = known.name + " is a std::" + one + ", which all ranks of a process would share: put " +
                       ranks_share + " before it, if they shall, or " + rank_local;
    }
    if (decl->isImplicit() || isa<DecompositionDecl>(decl))
      known.reason = "a variable without a name of its own: name it";
    if (known.is_wanted && decl->hasGlobalStorage() && !decl->isStaticLocal() && decl->getInit() != nullptr &&
        calls_mpi(decl->getInit()))
      known.reason = known.name + " begins with what MPI says, before main: set it in main";
    bool is_in_macro = false;
    if (const std::optional<place> begin = unit_.begin_of(decl->getInnerLocStart(), is_in_macro))
      begins_[key_of(decl)].insert(*begin);
  }

  bool calls_mpi(const Stmt* part) const {
    if (const auto* call = dyn_cast_or_null<CallExpr>(part)) {
      const FunctionDecl* callee = call->getDirectCallee();
      if (callee != nullptr && unit_.is_mpi(callee->getLocation()) && may_be_mpi(callee->getNameAsString()))
        return true;
    }
    if (part == nullptr) return false;
    for (const Stmt* child : part->children()) {
      if (calls_mpi(child)) return true;
    }
    return false;
  }

  static const char* threads_of(const FunctionDecl* callee) {
    if (callee == nullptr || !callee->getDeclName().isIdentifier()) return nullptr;
    const StringRef name = callee->getName();
    if (name == "pthread_create" || name == "thrd_create") return of_threads;
    if (name == "async" && callee->isInStdNamespace()) return of_threads;
    return nullptr;
  }

  static bool sets_handler(const FunctionDecl& callee) {
    const std::string name = callee.getNameAsString();
    return name == "signal" || name == "sigaction" || name == "sigset";
  }
  void note_handler(SourceLocation location) {
    if (!unit_.is_program(location)) return;
    result_.leave(unit_.place_at(file_of(location), offset_of(location)),
                  std::string("the process has one handler of a signal, which runs in any rank's thread: what it tells "
                              "all ranks needs ") +
                      ranks_share + ", and std::atomic");
  }

  template <typename Function>
  bool within(const char* threads, const Function& function) {
    const char* const outer = threads_;
    if (threads != nullptr) threads_ = threads;
    const bool goes_on = function();
    threads_ = outer;
    return goes_on;
  }

  void note_use(const ValueDecl* decl, SourceLocation location) {
    if (decl == nullptr || !unit_.is_program(location)) return;
    if (const auto* function = dyn_cast<FunctionDecl>(decl)) {
      if (!unit_.is_program(function->getCanonicalDecl()->getLocation())) return note_library(decl, location);
      const std::string key = key_of(function->getTemplateInstantiationPattern() != nullptr
                                         ? function->getTemplateInstantiationPattern()
                                         : function);
      if (threads_ != nullptr && threads_ != of_templates)
        result_.function(key).threads = threads_;
      else if (!function_.empty())
        result_.function(function_).calls.insert(key);
      return;
    }
    const auto* variable = dyn_cast<VarDecl>(decl);
    if (variable == nullptr || !variable->hasGlobalStorage()) return;
    if (!unit_.is_program(variable->getCanonicalDecl()->getLocation())) return note_library(decl, location);
    const std::string key = key_of(variable);
    result_.variable(key).is_used = true;
    if (!initialized_.empty() && initialized_ != key) result_.variable(key).follow.insert(initialized_);
    if (threads_ == nullptr) {
      if (!function_.empty()) result_.function(function_).variables.insert(key);
      return;
    }
    global_variable& known = result_.variable(key);
    if (known.reason.empty()) {
      known.reason = variable->getQualifiedNameAsString() + " is used by " + threads_;
      known.blamed = unit_.place_at(file_of(location), offset_of(location));
    }
  }

  void note_library(const ValueDecl* decl, SourceLocation location) {
    if (!decl->getDeclName().isIdentifier() || !unit_.sources().isInSystemHeader(decl->getLocation())) return;
    const std::string name = decl->getName().str(), remedy = remedy_for_library(name);
    const DeclContext* around = decl->getDeclContext()->getRedeclContext();
    if (remedy.empty() || !around->isTranslationUnit() || !libraries_.insert({file_of(location), name}).second) return;
    result_.leave(unit_.place_at(file_of(location), offset_of(location)),
                  "all ranks of a process share what " + name + " keeps: " + remedy);
  }

  ASTContext& context_;
  const port_unit& unit_;
  ported& result_;
  std::string function_;     // In which the traversal is.
  std::string initialized_;  // The variable in whose initial value it is.
  const char* threads_ = nullptr;
  std::map<std::string, std::set<place>> begins_;
  std::set<place> functions_begin_;
  std::set<std::pair<FileID, std::string>> libraries_;  // What has been reported, once for a file.
};

}  // namespace

void port_globals(ASTContext& context, const port_unit& unit, ported& result) {
  finder found(context, unit, result);
  found.TraverseDecl(context.getTranslationUnitDecl());
  found.finish();
}

}  // namespace mpi2pure
