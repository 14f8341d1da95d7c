// Error classes, codes and their texts (MPI 5.0, 9.4 and 9.5).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/program_state.hpp"

namespace pure::core::mpi {

namespace {

struct class_text {
  int error_class;
  const char* text;
};
constexpr std::array class_texts{
    class_text{constants::success, "no error"},
    class_text{constants::err_buffer, "the buffer is wrong"},
    class_text{constants::err_count, "the count is wrong"},
    class_text{constants::err_type, "the datatype is wrong"},
    class_text{constants::err_tag, "the tag is wrong"},
    class_text{constants::err_comm, "the communicator is wrong"},
    class_text{constants::err_rank, "the rank is wrong"},
    class_text{constants::err_request, "the request is wrong"},
    class_text{constants::err_root, "the root is wrong"},
    class_text{constants::err_group, "the group is wrong"},
    class_text{constants::err_op, "the operator is wrong, or not defined for the datatype"},
    class_text{constants::err_topology, "the topology is wrong"},
    class_text{constants::err_dims, "the dimensions are wrong"},
    class_text{constants::err_arg, "an argument is wrong"},
    class_text{constants::err_unknown, "an unknown error"},
    class_text{constants::err_truncate, "the message is longer than the receive buffer"},
    class_text{constants::err_other, "another error"},
    class_text{constants::err_intern, "an internal error"},
    class_text{constants::err_pending, "the request is neither complete nor failed"},
    class_text{constants::err_in_status, "the error is in the status"},
    class_text{constants::err_access, "permission denied"},
    class_text{constants::err_amode, "the access mode is wrong"},
    class_text{constants::err_assert, "the assertion is wrong"},
    class_text{constants::err_bad_file, "the name of the file is wrong"},
    class_text{constants::err_base, "the base address is wrong"},
    class_text{constants::err_conversion, "a conversion of data has failed"},
    class_text{constants::err_disp, "the displacement is wrong"},
    class_text{constants::err_dup_datarep, "the data representation is defined already"},
    class_text{constants::err_file_exists, "the file exists"},
    class_text{constants::err_file_in_use, "the file is in use"},
    class_text{constants::err_file, "the file handle is wrong"},
    class_text{constants::err_info_key, "the key is too long, or empty"},
    class_text{constants::err_info_nokey, "the info object has no such key"},
    class_text{constants::err_info_value, "the value is too long, or empty"},
    class_text{constants::err_info, "the info object is wrong"},
    class_text{constants::err_io, "an error of input or output"},
    class_text{constants::err_keyval, "the key of attributes is wrong"},
    class_text{constants::err_locktype, "the type of lock is wrong"},
    class_text{constants::err_name, "there is no such service"},
    class_text{constants::err_no_mem, "there is not so much memory"},
    class_text{constants::err_not_same, "an argument is not the same on all processes"},
    class_text{constants::err_no_space, "there is no space left"},
    class_text{constants::err_no_such_file, "there is no such file"},
    class_text{constants::err_port, "the port is wrong"},
    class_text{constants::err_quota, "the quota is exceeded"},
    class_text{constants::err_read_only, "the file or file system can only be read"},
    class_text{constants::err_rma_attach, "memory cannot be attached"},
    class_text{constants::err_rma_conflict, "accesses to a window exclude each other"},
    class_text{constants::err_rma_range, "memory that is not in the window"},
    class_text{constants::err_rma_shared, "memory that cannot be shared"},
    class_text{constants::err_rma_sync, "wrong synchronization of a window"},
    class_text{constants::err_service, "the service is not published"},
    class_text{constants::err_size, "the size is wrong"},
    class_text{constants::err_spawn, "processes cannot be spawned"},
    class_text{constants::err_unsupported_datarep, "the data representation is not supported"},
    class_text{constants::err_unsupported_operation, "the operation is not supported"},
    class_text{constants::err_win, "the window is wrong"},
    class_text{constants::err_rma_flavor, "the window is of another flavor"},
    class_text{constants::err_proc_aborted, "a peer process has aborted"},
    class_text{constants::err_value_too_large, "a value does not fit"},
    class_text{constants::err_session, "the session is wrong"},
    class_text{constants::err_errhandler, "the error handler is wrong"},
    class_text{constants::err_abi, "an error of the binary interface"},
    class_text{constants::t_err_cannot_init, "the tool interface cannot be initialized"},
    class_text{constants::t_err_not_accessible, "it cannot be accessed"},
    class_text{constants::t_err_not_initialized, "the tool interface is not initialized"},
    class_text{constants::t_err_not_supported, "it is not supported"},
    class_text{constants::t_err_memory, "there is not so much memory"},
    class_text{constants::t_err_invalid, "an argument is wrong"},
    class_text{constants::t_err_invalid_index, "the index is wrong"},
    class_text{constants::t_err_invalid_item, "the item index is wrong"},
    class_text{constants::t_err_invalid_session, "the session is wrong"},
    class_text{constants::t_err_invalid_handle, "the handle is wrong"},
    class_text{constants::t_err_invalid_name, "the name is wrong"},
    class_text{constants::t_err_out_of_handles, "there are no more handles"},
    class_text{constants::t_err_out_of_sessions, "there are no more sessions"},
    class_text{constants::t_err_cvar_set_not_now, "the variable cannot be set now"},
    class_text{constants::t_err_cvar_set_never, "the variable cannot be set"},
    class_text{constants::t_err_pvar_no_write, "the variable cannot be written"},
    class_text{constants::t_err_pvar_no_startstop, "the variable cannot be started or stopped"},
    class_text{constants::t_err_pvar_no_atomic, "the variable cannot be read and reset at once"},
};

const char* text_of_class(int error_class) noexcept {
  for (const class_text& each : class_texts) {
    if (each.error_class == error_class) return each.text;
  }
  return nullptr;
}

/// What the program has added: these functions may be called by any thread, and before MPI_Init. A class is a code,
/// too.
class added_errors {
 public:
  static constexpr int first = constants::err_lastcode + 1;

  int add_class() { return add(std::nullopt); }
  /// Null: there is no such class.
  std::optional<int> add_code(int of_class) {
    if (text_of_class(of_class) == nullptr && !is_class(of_class)) return std::nullopt;
    return add(of_class);
  }
  [[nodiscard]] bool is_class(int code) const {
    const auto found = all_.find(code);
    return found != all_.end() && !found->second.of_class;
  }
  [[nodiscard]] bool has(int code) const { return all_.contains(code); }
  /// Of a code that it has.
  [[nodiscard]] int class_of(int code) const { return all_.at(code).of_class.value_or(code); }
  std::string& text_of(int code) { return all_.at(code).text; }
  [[nodiscard]] bool has_codes(int of_class) const {
    return std::any_of(all_.begin(), all_.end(), [&](const auto& each) { return each.second.of_class == of_class; });
  }
  void remove(int code) { all_.erase(code); }
  [[nodiscard]] int last_used() const noexcept { return last_used_; }

  std::mutex lock;  // for whoever calls

 private:
  struct added {
    std::optional<int> of_class;  // none: it is one
    std::string text;
  };

  int add(std::optional<int> of_class) {
    int code = first;
    while (all_.contains(code)) ++code;
    all_[code].of_class = of_class;
    last_used_ = std::max(last_used_, code);
    return code;
  }

  std::map<int, added> all_;
  int last_used_ = constants::err_lastcode;
};

added_errors& errors_of_program() {
  static program_state<added_errors> all;
  return all.here();
}

/// use(added), while no other thread changes it.
template <class Use>
decltype(auto) with_added(Use use) {
  added_errors& all = errors_of_program();
  const std::lock_guard guard(all.lock);
  return use(all);
}

[[noreturn]] void throw_no_code(const call& by, int code, const char* what) {
  throw_error(by, constants::err_arg, fmt::format("{} is no {} that the program has added", code, what));
}

/// A text is removed first (MPI 5.0, 9.5).
void require_no_text(const call& by, added_errors& all, int code) {
  if (!all.text_of(code).empty()) throw_error(by, constants::err_arg, fmt::format("{} has a text", code));
}

}  // namespace

int last_used_code() {
  return with_added([](added_errors& all) { return all.last_used(); });
}

void bodies::Error_class(const call& by, int errorcode, int* errorclass) {
  if (text_of_class(errorcode) != nullptr) {
    *errorclass = errorcode;
    return;
  }
  with_added([&](added_errors& all) {
    if (!all.has(errorcode)) throw_no_code(by, errorcode, "code of MPI's, nor one");
    *errorclass = all.class_of(errorcode);
  });
}

void bodies::Error_string(const call& by, int errorcode, char* string, int* resultlen) {
  if (const char* const text = text_of_class(errorcode); text != nullptr)
    return give_text(string, resultlen, text, constants::max_error_string);
  with_added([&](added_errors& all) {
    if (!all.has(errorcode)) throw_no_code(by, errorcode, "code of MPI's, nor one");
    give_text(string, resultlen, all.text_of(errorcode), constants::max_error_string);
  });
}

void bodies::Add_error_class(const call&, int* errorclass) {
  *errorclass = with_added([](added_errors& all) { return all.add_class(); });
}

void bodies::Add_error_code(const call& by, int errorclass, int* errorcode) {
  const std::optional<int> made = with_added([&](added_errors& all) { return all.add_code(errorclass); });
  if (!made) throw_error(by, constants::err_arg, fmt::format("{} is no error class", errorclass));
  *errorcode = *made;
}

void bodies::Add_error_string(const call& by, int errorcode, const char* string) {
  with_added([&](added_errors& all) {
    if (!all.has(errorcode)) throw_no_code(by, errorcode, "code or class");
    all.text_of(errorcode) = string;
  });
}

void bodies::Remove_error_class(const call& by, int errorclass) {
  with_added([&](added_errors& all) {
    if (!all.is_class(errorclass)) throw_no_code(by, errorclass, "class");
    if (all.has_codes(errorclass)) throw_error(by, constants::err_arg, fmt::format("class {} has codes", errorclass));
    require_no_text(by, all, errorclass);
    all.remove(errorclass);
  });
}

void bodies::Remove_error_code(const call& by, int errorcode) {
  with_added([&](added_errors& all) {
    if (!all.has(errorcode) || all.is_class(errorcode)) throw_no_code(by, errorcode, "code");
    require_no_text(by, all, errorcode);
    all.remove(errorcode);
  });
}

void bodies::Remove_error_string(const call& by, int errorcode) {
  with_added([&](added_errors& all) {
    if (!all.has(errorcode)) throw_no_code(by, errorcode, "code or class");
    all.text_of(errorcode).clear();
  });
}

}  // namespace pure::core::mpi
