/* The executable of a process that loads a program for each of its ranks (src/loader/loaded_program.hpp): its main is
 * run by every rank.
 *
 * The program's code finds its thread-local variables right below the thread pointer. There lies this executable's own
 * block, in each thread: the pad, the only thread-local variable that it may have. purerun makes it longer for programs
 * that need more. */
extern void pure_take_program(char** argv);
extern int pure_run_program(int argc, char** argv);

#ifdef PURE_LAUNCHER_OF_PURE_H
char pure_main_runs_on_every_rank; /* as pure.h has it */
#endif

__attribute__((used, aligned(64), tls_model("local-exec"))) static __thread char pad[4096];

__attribute__((constructor)) static void before_main(int argc, char** argv) {
  (void)argc;
  pure_take_program(argv);
}

int main(int argc, char** argv) { return pure_run_program(argc, argv); }
