// How much memory there is for a program that asks before it starts: C11 and C++17.
#ifndef AVAILABLE_MEMORY_H
#define AVAILABLE_MEMORY_H

#include <stdio.h>

// The number in a file of one line; `none` where there is none ("max").
static inline double number_in_file(const char* path, double none) {
  FILE* const file = fopen(path, "r");
  double number = 0;
  const int found = file != NULL && fscanf(file, "%lf", &number) == 1;
  if (file != NULL) fclose(file);
  return found ? number : none;
}

// Bytes that the processes of this machine, or of this control group, may still have; 1e300 where nobody says.
static inline double available_bytes(void) {
  double bytes = 1e300;
  FILE* const file = fopen("/proc/meminfo", "r");
  char line[256];
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    double kib = 0;
    if (sscanf(line, "MemAvailable: %lf kB", &kib) == 1) bytes = kib * 1024;
  }
  if (file != NULL) fclose(file);
  const double limit = number_in_file("/sys/fs/cgroup/memory.max", 1e300);
  const double left = limit - number_in_file("/sys/fs/cgroup/memory.current", 0);
  return left < bytes ? (left > 0 ? left : 0) : bytes;
}

#endif
