// What the start of a job has to say about ThreadSanitizer, for whoever reads its reports.
#pragma once

namespace pure::core {

/// Warns on stderr, once in the life of a process, if the program was built with -fsanitize=thread and the library was
/// not. `speaks`: whether this process is the one of its job that does.
void warn_of_thread_sanitizer(bool speaks);

}  // namespace pure::core
