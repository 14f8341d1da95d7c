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
    class_text{MPI_SUCCESS, "no error"},
    class_text{MPI_ERR_BUFFER, "the buffer is wrong"},
    class_text{MPI_ERR_COUNT, "the count is wrong"},
    class_text{MPI_ERR_TYPE, "the datatype is wrong"},
    class_text{MPI_ERR_TAG, "the tag is wrong"},
    class_text{MPI_ERR_COMM, "the communicator is wrong"},
    class_text{MPI_ERR_RANK, "the rank is wrong"},
    class_text{MPI_ERR_REQUEST, "the request is wrong"},
    class_text{MPI_ERR_ROOT, "the root is wrong"},
    class_text{MPI_ERR_GROUP, "the group is wrong"},
    class_text{MPI_ERR_OP, "the operator is wrong, or not defined for the datatype"},
    class_text{MPI_ERR_TOPOLOGY, "the topology is wrong"},
    class_text{MPI_ERR_DIMS, "the dimensions are wrong"},
    class_text{MPI_ERR_ARG, "an argument is wrong"},
    class_text{MPI_ERR_UNKNOWN, "an unknown error"},
    class_text{MPI_ERR_TRUNCATE, "the message is longer than the receive buffer"},
    class_text{MPI_ERR_OTHER, "another error"},
    class_text{MPI_ERR_INTERN, "an internal error"},
    class_text{MPI_ERR_PENDING, "the request is neither complete nor failed"},
    class_text{MPI_ERR_IN_STATUS, "the error is in the status"},
    class_text{MPI_ERR_ACCESS, "permission denied"},
    class_text{MPI_ERR_AMODE, "the access mode is wrong"},
    class_text{MPI_ERR_ASSERT, "the assertion is wrong"},
    class_text{MPI_ERR_BAD_FILE, "the name of the file is wrong"},
    class_text{MPI_ERR_BASE, "the base address is wrong"},
    class_text{MPI_ERR_CONVERSION, "a conversion of data has failed"},
    class_text{MPI_ERR_DISP, "the displacement is wrong"},
    class_text{MPI_ERR_DUP_DATAREP, "the data representation is defined already"},
    class_text{MPI_ERR_FILE_EXISTS, "the file exists"},
    class_text{MPI_ERR_FILE_IN_USE, "the file is in use"},
    class_text{MPI_ERR_FILE, "the file handle is wrong"},
    class_text{MPI_ERR_INFO_KEY, "the key is too long, or empty"},
    class_text{MPI_ERR_INFO_NOKEY, "the info object has no such key"},
    class_text{MPI_ERR_INFO_VALUE, "the value is too long, or empty"},
    class_text{MPI_ERR_INFO, "the info object is wrong"},
    class_text{MPI_ERR_IO, "an error of input or output"},
    class_text{MPI_ERR_KEYVAL, "the key of attributes is wrong"},
    class_text{MPI_ERR_LOCKTYPE, "the type of lock is wrong"},
    class_text{MPI_ERR_NAME, "there is no such service"},
    class_text{MPI_ERR_NO_MEM, "there is not so much memory"},
    class_text{MPI_ERR_NOT_SAME, "an argument is not the same on all processes"},
    class_text{MPI_ERR_NO_SPACE, "there is no space left"},
    class_text{MPI_ERR_NO_SUCH_FILE, "there is no such file"},
    class_text{MPI_ERR_PORT, "the port is wrong"},
    class_text{MPI_ERR_QUOTA, "the quota is exceeded"},
    class_text{MPI_ERR_READ_ONLY, "the file or file system can only be read"},
    class_text{MPI_ERR_RMA_ATTACH, "memory cannot be attached"},
    class_text{MPI_ERR_RMA_CONFLICT, "accesses to a window exclude each other"},
    class_text{MPI_ERR_RMA_RANGE, "memory that is not in the window"},
    class_text{MPI_ERR_RMA_SHARED, "memory that cannot be shared"},
    class_text{MPI_ERR_RMA_SYNC, "wrong synchronization of a window"},
    class_text{MPI_ERR_SERVICE, "the service is not published"},
    class_text{MPI_ERR_SIZE, "the size is wrong"},
    class_text{MPI_ERR_SPAWN, "processes cannot be spawned"},
    class_text{MPI_ERR_UNSUPPORTED_DATAREP, "the data representation is not supported"},
    class_text{MPI_ERR_UNSUPPORTED_OPERATION, "the operation is not supported"},
    class_text{MPI_ERR_WIN, "the window is wrong"},
    class_text{MPI_ERR_RMA_FLAVOR, "the window is of another flavor"},
    class_text{MPI_ERR_PROC_ABORTED, "a peer process has aborted"},
    class_text{MPI_ERR_VALUE_TOO_LARGE, "a value does not fit"},
    class_text{MPI_ERR_SESSION, "the session is wrong"},
    class_text{MPI_ERR_ERRHANDLER, "the error handler is wrong"},
    class_text{MPI_ERR_ABI, "an error of the binary interface"},
    class_text{MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialized"},
    class_text{MPI_T_ERR_NOT_ACCESSIBLE, "it cannot be accessed"},
    class_text{MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialized"},
    class_text{MPI_T_ERR_NOT_SUPPORTED, "it is not supported"},
    class_text{MPI_T_ERR_MEMORY, "there is not so much memory"},
    class_text{MPI_T_ERR_INVALID, "an argument is wrong"},
    class_text{MPI_T_ERR_INVALID_INDEX, "the index is wrong"},
    class_text{MPI_T_ERR_INVALID_ITEM, "the item index is wrong"},
    class_text{MPI_T_ERR_INVALID_SESSION, "the session is wrong"},
    class_text{MPI_T_ERR_INVALID_HANDLE, "the handle is wrong"},
    class_text{MPI_T_ERR_INVALID_NAME, "the name is wrong"},
    class_text{MPI_T_ERR_OUT_OF_HANDLES, "there are no more handles"},
    class_text{MPI_T_ERR_OUT_OF_SESSIONS, "there are no more sessions"},
    class_text{MPI_T_ERR_CVAR_SET_NOT_NOW, "the variable cannot be set now"},
    class_text{MPI_T_ERR_CVAR_SET_NEVER, "the variable cannot be set"},
    class_text{MPI_T_ERR_PVAR_NO_WRITE, "the variable cannot be written"},
    class_text{MPI_T_ERR_PVAR_NO_STARTSTOP, "the variable cannot be started or stopped"},
    class_text{MPI_T_ERR_PVAR_NO_ATOMIC, "the variable cannot be read and reset at once"},
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
  static constexpr int first = MPI_ERR_LASTCODE + 1;

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
  int last_used_ = MPI_ERR_LASTCODE;
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
  throw_error(by, MPI_ERR_ARG, fmt::format("{} is no {} that the program has added", code, what));
}

/// A text is removed first (MPI 5.0, 9.5).
void require_no_text(const call& by, added_errors& all, int code) {
  if (!all.text_of(code).empty()) throw_error(by, MPI_ERR_ARG, fmt::format("{} has a text", code));
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
    return give_text(string, resultlen, text, MPI_MAX_ERROR_STRING);
  with_added([&](added_errors& all) {
    if (!all.has(errorcode)) throw_no_code(by, errorcode, "code of MPI's, nor one");
    give_text(string, resultlen, all.text_of(errorcode), MPI_MAX_ERROR_STRING);
  });
}

void bodies::Add_error_class(const call&, int* errorclass) {
  *errorclass = with_added([](added_errors& all) { return all.add_class(); });
}

void bodies::Add_error_code(const call& by, int errorclass, int* errorcode) {
  const std::optional<int> made = with_added([&](added_errors& all) { return all.add_code(errorclass); });
  if (!made) throw_error(by, MPI_ERR_ARG, fmt::format("{} is no error class", errorclass));
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
    if (all.has_codes(errorclass)) throw_error(by, MPI_ERR_ARG, fmt::format("class {} has codes", errorclass));
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
