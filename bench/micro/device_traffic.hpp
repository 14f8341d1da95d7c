// The byte counters of network devices, by which a run over TCP shows which way its messages went.
#pragma once

#include <cstdio>
#include <string>

namespace bench {

/// What a network device has sent and received, in bytes, as the namespace of this process has it.
inline long bytes_through(const std::string& device) {
  long sum = 0;
  if (std::FILE* const file = std::fopen("/proc/net/dev", "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      char name[64];
      long received = 0;
      long sent = 0;
      // After the bytes come packets and errors: the bytes that were sent are the ninth number.
      if (std::sscanf(line, " %63[^:]: %ld %*d %*d %*d %*d %*d %*d %*d %ld", name, &received, &sent) == 3 &&
          device == name) {
        sum = received + sent;
      }
    }
    std::fclose(file);
  }
  return sum;
}

}  // namespace bench
