// Attributes that programs attach to windows (MPI 4.1, 7.7). Part of pure.h.
//
// A key is one of the rank that has made it; a value is a pointer, and belongs to this rank's handle of the window.
// Local. pure_win_get_attr (pure/windows.h) gives values as *(void**)value. Errors: PURE_ERR_KEYVAL for a key that is
// none, or one of the window's own attributes; PURE_ERR_WIN; PURE_ERR_OTHER where a callback does not return
// PURE_SUCCESS: then the value stays, and so does a window that was to be freed.
#ifndef PURE_WINDOW_ATTRIBUTES_H
#define PURE_WINDOW_ATTRIBUTES_H

#include <pure.h>

enum pure_win : std::uint64_t;  // pure/windows.h

enum : int { PURE_KEYVAL_INVALID = -1 };

/// How a value is copied: never called, for no function makes a window of a window. As MPI has it.
typedef int pure_win_copy_attr_function(pure_win from, int keyval, void* extra_state, void* value, void* copy,
                                        int* flag);
/// Called by pure_win_delete_attr, by pure_win_set_attr for the value that was there, and by pure_win_free, in the
/// reverse order of setting, before it waits for the other ranks. Not for windows that are left at the end of the job.
typedef int pure_win_delete_attr_function(pure_win win, int keyval, void* value, void* extra_state);

inline constexpr pure_win_copy_attr_function* PURE_WIN_NULL_COPY_FN = nullptr;
inline constexpr pure_win_delete_attr_function* PURE_WIN_NULL_DELETE_FN = nullptr;
/// Copies the pointer.
PURE_API int PURE_WIN_DUP_FN(pure_win from, int keyval, void* extra_state, void* value, void* copy, int* flag);

PURE_API int pure_win_create_keyval(pure_win_copy_attr_function* copy, pure_win_delete_attr_function* remove,
                                    int* keyval, void* extra_state, pure_call_site site = pure_call_site::current());
/// The key's values stay, and are deleted as if nothing had been said. *keyval is then PURE_KEYVAL_INVALID.
PURE_API int pure_win_free_keyval(int* keyval, pure_call_site site = pure_call_site::current());
PURE_API int pure_win_set_attr(pure_win win, int keyval, void* value, pure_call_site site = pure_call_site::current());
PURE_API int pure_win_delete_attr(pure_win win, int keyval, pure_call_site site = pure_call_site::current());

#endif  // PURE_WINDOW_ATTRIBUTES_H
