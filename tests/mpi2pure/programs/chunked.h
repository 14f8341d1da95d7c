/* Chunks of three iterations, whatever they cost: short loops are shared, too. */
#ifndef CHUNKED_H
#define CHUNKED_H
#include <pure/tasks.h>

static inline int chunked_for(size_t count, pure_loop_body* body, void* context) {
  const pure_loop_options options = {3, NULL, 0};
  return pure_parallel_for(count, body, context, &options);
}
#undef pure_parallel_for
#define pure_parallel_for(count, body, context, options) ((void)(options), chunked_for(count, body, context))

#endif
