// An exception of a function of the program, an operator or a callback of attributes, comes through frames of this
// library, which catch it. It is thrown by the program's runtime for C++, and the frames ask this library's own (which is linked
// statically): its unwinder has to have begun before, for the sizes of registers are known to it from then on, and it
// aborts where it is asked for them earlier. When the library is loaded, by one thread.
#include <unwind.h>

namespace pure::core {

namespace {

__attribute__((constructor)) void begin_unwinder() {
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
}

}  // namespace

}  // namespace pure::core
