// What a loop's body in C uses of the function around it, as fields of a struct that its copy is given.
#pragma once

#include <string>
#include <vector>

#include "mpi2pure/emit.hpp"

namespace mpi2pure {

struct captured {
  std::string name;        // Of the field.
  std::string field;       // What declares it in the struct; empty: it has no field.
  std::string initial;     // What the call puts there.
  std::string local;       // What declares it in the body's function.
  std::string after_call;  // A statement that fills in the field: of an array.
};

class c_captures {
 public:
  explicit c_captures(const loop_plan& plan) : plan_(plan) {}
  // Throws refusal.
  void all();

  const std::vector<captured>& fields() const { return fields_; }
  // Where the body's text has to name a field: of what is captured by its address.
  const std::vector<edit>& rewritten() const { return rewritten_; }
  bool is_used(const clang::VarDecl* variable) const;

 private:
  std::string declare(clang::QualType type, const std::string& name) const;
  std::string declare_with_lengths(clang::QualType type, const std::string& name, const std::string& element);
  void refuse_local_type(clang::QualType type, const clang::VarDecl* variable) const;
  void capture(const clang::VarDecl* variable, const usage& use);
  void capture_by_address(const clang::VarDecl* variable, const usage& use);
  void capture_array(const clang::VarDecl* variable);
  void add_private(const clang::VarDecl* variable);

  const loop_plan& plan_;
  std::vector<captured> fields_;
  std::vector<edit> rewritten_;
};

}  // namespace mpi2pure
