/* The other file of globals.c. */
#include "globals.h"

static int file_static = 11; /* of the same name as the one in globals.c */
int of_other_file = 12;
int* pointer_to_file_static = &file_static;
int many[MANY];
int* const last_of_many = many + MANY - 1;
struct node ring[3] = {{&ring[1], 1}, {&ring[2], 2}, {&ring[0], 3}};
int overridden = 13;
int in_set_of_other_file __attribute__((section("own_set"))) = 14;
__attribute__((visibility("hidden"))) int hidden = 15;

int count_of_other_file(void) {
  static int calls;
  return ++calls;
}
int count_hidden(int more) { return hidden += more; }

static int chosen_value = 16;
static int chosen_body(void) { return chosen_value++; }
static int (*choose(void))(void) { return chosen_body; }
int chosen(void) __attribute__((ifunc("choose")));
int (*chosen_by_other_file(void))(void) { return chosen; }
