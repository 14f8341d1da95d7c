// Info objects of pure.h: keys and values, as hints (MPI 4.1, chapter 10). Part of pure.h.
//
// A handle of the rank that has made it; local. Errors: PURE_ERR_INFO for a handle, a key or a value that is none.
#ifndef PURE_INFO_H
#define PURE_INFO_H

#include <pure.h>

enum pure_info : std::uint64_t { PURE_INFO_NULL = 0 };

PURE_API int pure_info_create(pure_info* info, pure_call_site site = pure_call_site::current());
/// Replaces the value of a key that is there.
PURE_API int pure_info_set(pure_info info, const char* key, const char* value,
                           pure_call_site site = pure_call_site::current());
/// *value: null if there is no such key; valid until the key is set or deleted, or info is freed.
PURE_API int pure_info_get(pure_info info, const char* key, const char** value,
                           pure_call_site site = pure_call_site::current());
/// Errors: PURE_ERR_INFO, if there is no such key.
PURE_API int pure_info_delete(pure_info info, const char* key, pure_call_site site = pure_call_site::current());
PURE_API int pure_info_get_nkeys(pure_info info, int* count, pure_call_site site = pure_call_site::current());
/// 0 <= n < the number of keys, which are in alphabetic order.
PURE_API int pure_info_get_nthkey(pure_info info, int n, const char** key,
                                  pure_call_site site = pure_call_site::current());
PURE_API int pure_info_dup(pure_info info, pure_info* made, pure_call_site site = pure_call_site::current());
PURE_API int pure_info_free(pure_info* info, pure_call_site site = pure_call_site::current());

#endif  // PURE_INFO_H
