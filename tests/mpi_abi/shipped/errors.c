/* Errors and limits (constants.c). */
#include "checked.h"

static int handled, code_of_handler;
static MPI_Comm comm_of_handler;
static void handle(MPI_Comm* comm, int* code, ...) {
  ++handled;
  comm_of_handler = *comm;
  code_of_handler = *code;
}

void errors(void) {
  static const struct {
    int code;
    const char* name;
  } all[] = {CLASSES};
  size_t i;
  char text[MPI_MAX_ERROR_STRING];
  int length, class, code, own_class, own_code, *last, flag;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL, found;
  MPI_Comm made;
  for (i = 0; i < sizeof all / sizeof *all; ++i) {
    class = -1;
    CHECK_OF(all[i].name, MPI_Error_class(all[i].code, &class) == MPI_SUCCESS && class == all[i].code);
    CHECK_OF(all[i].name,
             MPI_Error_string(all[i].code, text, &length) == MPI_SUCCESS && length == (int)strlen(text) && length > 0);
    if (all[i].code == MPI_SUCCESS) continue;
    handled = 0;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_set_errhandler(made, handler);
    MPI_Comm_call_errhandler(made, all[i].code);
    CHECK_OF(all[i].name, handled == 1 && code_of_handler == all[i].code && comm_of_handler == made);
    CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(handler)) == handler);
    CHECK(MPI_Comm_get_errhandler(made, &found) == MPI_SUCCESS && found == handler);
    MPI_Errhandler_free(&found);
    CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS && handler == MPI_ERRHANDLER_NULL);
    MPI_Comm_free(&made);
  }
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &found);
  CHECK(found == MPI_ERRORS_RETURN);
  code = MPI_Send(&code, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_RANK);
  code = MPI_Send(&code, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_COUNT);
  code = MPI_Send(&code, 1, MPI_INT, 0, -7, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TAG);
  code = MPI_Send(&code, 1, MPI_DATATYPE_NULL, 0, 0, MPI_COMM_WORLD);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TYPE);
  code = MPI_Send(&code, 1, MPI_INT, 0, 0, MPI_COMM_NULL);
  CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_COMM);
  CHECK(MPI_Add_error_class(&own_class) == MPI_SUCCESS && own_class > MPI_ERR_LASTCODE);
  CHECK(MPI_Add_error_code(own_class, &own_code) == MPI_SUCCESS && own_code > MPI_ERR_LASTCODE);
  CHECK(MPI_Add_error_string(own_code, "a program's own") == MPI_SUCCESS);
  CHECK(MPI_Error_class(own_code, &class) == MPI_SUCCESS && class == own_class);
  CHECK(MPI_Error_string(own_code, text, &length) == MPI_SUCCESS && strcmp(text, "a program's own") == 0);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag) == MPI_SUCCESS && flag);
  {
    MPI_Status status;
    MPI_Request request;
    int two[2] = {1, 2}, got = 0;
    MPI_Isend(two, 2, MPI_INT, rank, 21, MPI_COMM_WORLD, &request);
    code = MPI_Recv(&got, 1, MPI_INT, rank, 21, MPI_COMM_WORLD, &status);
    CHECK(MPI_Error_class(code, &class) == MPI_SUCCESS && class == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

/* ---- limits: what is written ends where the header says ---- */

void limits(void) {
  char text[16 + (MPI_MAX_LIBRARY_VERSION_STRING > MPI_MAX_ERROR_STRING ? MPI_MAX_LIBRARY_VERSION_STRING
                                                                        : MPI_MAX_ERROR_STRING)];
  char name[MPI_MAX_OBJECT_NAME], key[MPI_MAX_INFO_KEY + 1];
  int length = -1, major = -1, minor = -1, keys = -1, i;
  MPI_Info info = MPI_INFO_NULL;
#define IS_BOUNDED(call, limit)                                                                   \
  do {                                                                                            \
    memset(text, 'x', sizeof text);                                                               \
    CHECK(call == MPI_SUCCESS && length < (limit) && text[length] == '\0' && text[limit] == 'x'); \
  } while (0)
  IS_BOUNDED(MPI_Get_library_version(text, &length), MPI_MAX_LIBRARY_VERSION_STRING);
  IS_BOUNDED(MPI_Get_processor_name(text, &length), MPI_MAX_PROCESSOR_NAME);
  IS_BOUNDED(MPI_Error_string(MPI_ERR_TRUNCATE, text, &length), MPI_MAX_ERROR_STRING);
  memset(name, 'n', sizeof name);
  name[sizeof name - 1] = '\0';
  CHECK(MPI_Comm_set_name(MPI_COMM_SELF, name) == MPI_SUCCESS);
  IS_BOUNDED(MPI_Comm_get_name(MPI_COMM_SELF, text, &length), MPI_MAX_OBJECT_NAME);
  CHECK(strcmp(text, name) == 0);
  CHECK(MPI_Get_version(&major, &minor) == MPI_SUCCESS && major == MPI_VERSION && minor == MPI_SUBVERSION);
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_f2c(MPI_Info_c2f(info)) == info);
  CHECK(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_NULL)) == MPI_INFO_NULL &&
        MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)) == MPI_INFO_ENV);
  for (i = 0; i + 1 < MPI_MAX_INFO_KEY; ++i) key[i] = 'k';
  key[MPI_MAX_INFO_KEY - 1] = '\0';
  CHECK(MPI_Info_set(info, key, "value") == MPI_SUCCESS && MPI_Info_get_nkeys(info, &keys) == MPI_SUCCESS && keys == 1);
  memset(text, 'x', sizeof text);
  CHECK(MPI_Info_get_nthkey(info, 0, text) == MPI_SUCCESS && strcmp(text, key) == 0);
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS && info == MPI_INFO_NULL);
}
