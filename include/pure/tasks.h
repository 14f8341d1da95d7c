/* Loops whose iterations ranks that wait may take over, for C11 and C++17: what <pure/parallel.hpp> is for C++20.
 *
 *     static void body(size_t first, size_t last, void* context) {
 *       struct mesh* m = context;
 *       for (size_t i = first; i < last; ++i) m->next[i] = work(m->old[i]);
 *     }
 *     pure_parallel_for(m->cells, body, m, NULL);
 *
 * For programs of mpi.h, compiled by purecc or purecxx (mpicc, mpicxx), and part of pure.h. A program that includes it
 * also builds with any other MPI, or with none: take a copy of this one file along. Where the library that the program
 * runs with has no tasks, loops run in place, with the same results, and with the same bits of a reduction.
 *
 * What holds for all calls. The calling rank works itself; ranks of its process that wait in a message or a collective
 * take chunks meanwhile (Psota and Solar-Lezama, PPoPP '24, 3.2 and 4.3). A call returns when all is done, each part
 * exactly once, by whatever rank, in any order; what the body has written, the caller sees. So parts must be
 * independent of each other. The function and `context` are the caller's, and with them the globals that the function
 * names, also where each rank has its own. Of the thread that runs a part are thread-local variables, errno, the
 * locale, and what libc keeps for a rank (the sequence of rand, the place of strtok); rounding, flushing and the other
 * modes of floating-point arithmetic are the caller's, the flags of its exceptions are not.
 *
 * In the body every call of MPI or Pure is an error, but for these: another loop, reduction or task runs in place. It
 * may not leave by longjmp; a C++ exception ends the job. Only a rank's own thread shares its work: what another thread
 * of the program calls, and what is called before MPI_Init or after MPI_Finalize, is done in place.
 *
 * The results are 0, or an error: by default it prints what happened and ends the job (pure_set_errhandler of pure.h).
 */
#ifndef PURE_TASKS_H
#define PURE_TASKS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a loop is cut into chunks; all zero, or NULL for the whole: by measurement, as pure::chunking does. */
typedef struct pure_loop_options {
  size_t chunk;         /* Iterations of a chunk, but for the last; 0: by measurement, about 20 us. */
  const void* data;     /* Index i writes element i of this array: what is shared is cut at its cache lines. Or NULL. */
  size_t element_bytes; /* Of an element of `data`. */
} pure_loop_options;

/* Does indices first, ..., last - 1; never none. */
typedef void pure_loop_body(size_t first, size_t last, void* context);
/* The same for a reduction: adds their values to *value. */
typedef void pure_reduce_body(size_t first, size_t last, void* value, void* context);
/* *left becomes `left` combined with `right`, in this order; associative, at least up to rounding. */
typedef void pure_combine(void* left, const void* right, void* context);

/* The paper's persistent task: a function, cut into pure_task_chunks() chunks, which may be executed again and again.
 * first_chunk and last_chunk are both done. */
typedef struct pure_task {
  void (*body)(unsigned first_chunk, unsigned last_chunk, void* per_execution, void* context);
  void* context;
} pure_task;

/* A program of pure.h is linked with them, any other one asks when it runs (a weak symbol is null where there is none).
 */
#if defined(PURE_H) || defined(PURE_TASKS_OF_LIBRARY)
#define PURE_TASKS_FUNCTION __attribute__((visibility("default")))
#else
#define PURE_TASKS_FUNCTION __attribute__((weak))
#endif

/* body(first, last, context) for parts that cover 0, ..., count - 1. `options` are read before it returns. At most
 * 2^63 - 1 iterations. Errors: PURE_ERR_ARG. */
PURE_TASKS_FUNCTION int pure_parallel_for(size_t count, pure_loop_body* body, void* context,
                                          const pure_loop_options* options);

/* *result, of `bytes` bytes, comes in as what changes nothing (0 of a sum), and goes out as the reduction of all
 * indices. The same bits whoever computes what, for any number of ranks: the indices are cut into blocks whose length
 * depends only on their number (at most 1024), or is options->chunk; each block begins as a copy of *result, aligned as
 * memory of malloc, to which the body adds it in one call; the blocks are combined from the first to the last. Memory
 * is needed for all blocks. Errors: PURE_ERR_ARG, PURE_ERR_NO_MEM. */
PURE_TASKS_FUNCTION int pure_parallel_reduce(size_t count, void* result, size_t bytes, pure_reduce_body* body,
                                             pure_combine* combine, void* context, const pure_loop_options* options);

/* Does all chunks of the task; each call of the body gets per_execution. Errors: PURE_ERR_ARG. */
PURE_TASKS_FUNCTION int pure_task_execute(const pure_task* task, void* per_execution);

/* How many chunks the calling rank's tasks have: the setting PURE_MAX_TASK_CHUNKS. 1 where nothing is shared. */
PURE_TASKS_FUNCTION unsigned pure_task_chunks(void);

/* The indices *first, ..., *last - 1 of `count` items for which such chunks stand, both included; *first == *last:
 * none. Chunks begin at multiples of 64 bytes of an array of elements of that size; 0: of one that need not be cut at
 * cache lines, in parts that differ by at most one. Inside or outside of a body. */
PURE_TASKS_FUNCTION void pure_task_items(size_t count, size_t element_bytes, unsigned first_chunk, unsigned last_chunk,
                                         size_t* first, size_t* last);

/* ---- in place ---- */

#if !defined(PURE_H) && !defined(PURE_TASKS_OF_LIBRARY)

/* What pure.h calls PURE_ERR_ARG and PURE_ERR_NO_MEM. */
enum { PURE_TASKS_ERR_ARG = 9, PURE_TASKS_ERR_NO_MEM = 25 };

static inline int pure_in_place_for(size_t count, pure_loop_body* body, void* context,
                                    const pure_loop_options* options) {
  const size_t most = options != NULL && options->chunk != 0 ? options->chunk : count;
  if (body == NULL || count > SIZE_MAX / 2) return PURE_TASKS_ERR_ARG;
  for (size_t first = 0; first < count; first += most) {
    body(first, most < count - first ? first + most : count, context);
    if (most >= count - first) break;
  }
  return 0;
}

static inline int pure_in_place_reduce(size_t count, void* result, size_t bytes, pure_reduce_body* body,
                                       pure_combine* combine, void* context, const pure_loop_options* options) {
  if (body == NULL || combine == NULL || result == NULL || bytes == 0 || count > SIZE_MAX / 2)
    return PURE_TASKS_ERR_ARG;
  if (count == 0) return 0;
  const size_t length = options != NULL && options->chunk != 0 ? options->chunk : (count - 1) / 1024 + 1;
  void* const none = malloc(bytes);
  void* const value = malloc(bytes);
  if (none == NULL || value == NULL) {
    free(none);
    free(value);
    return PURE_TASKS_ERR_NO_MEM;
  }
  memcpy(none, result, bytes);
  for (size_t first = 0; first < count;) {
    const size_t last = length < count - first ? first + length : count;
    memcpy(value, none, bytes);
    body(first, last, value, context);
    combine(result, value, context);
    first = last;
  }
  free(none);
  free(value);
  return 0;
}

static inline int pure_in_place_execute(const pure_task* task, void* per_execution) {
  if (task == NULL || task->body == NULL) return PURE_TASKS_ERR_ARG;
  task->body(0, 0, per_execution, task->context);
  return 0;
}

static inline void pure_in_place_items(size_t count, size_t* first, size_t* last) {
  *first = 0;
  *last = count;
}

#define pure_parallel_for(...) \
  (pure_parallel_for != NULL ? (pure_parallel_for)(__VA_ARGS__) : pure_in_place_for(__VA_ARGS__))
#define pure_parallel_reduce(...) \
  (pure_parallel_reduce != NULL ? (pure_parallel_reduce)(__VA_ARGS__) : pure_in_place_reduce(__VA_ARGS__))
#define pure_task_execute(...) \
  (pure_task_execute != NULL ? (pure_task_execute)(__VA_ARGS__) : pure_in_place_execute(__VA_ARGS__))
#define pure_task_chunks() (pure_task_chunks != NULL ? (pure_task_chunks)() : 1U)
#define pure_task_items(count, element_bytes, first_chunk, last_chunk, first, last)                        \
  (pure_task_items != NULL ? (pure_task_items)(count, element_bytes, first_chunk, last_chunk, first, last) \
                           : pure_in_place_items(count, first, last))

#endif

#ifdef __cplusplus
}
#endif

#endif /* PURE_TASKS_H */
