// The environment of this process, as far as it may be trusted. Every read of it in the library goes through here.
//
// A program that runs with more rights than whoever started it (set-user-ID, set-group-ID, file capabilities: the
// kernel says so by AT_SECURE) must not be led by that person's variables: they name files to write, libraries to load
// and descriptors to write to. To Pure its environment is empty. So are the variables of MPI launchers: such a program
// is a job of its own.
//
// Any thread, while none changes the environment.
#pragma once

#include <string_view>

namespace pure::core {

/// Whether the environment counts for nothing.
bool is_environment_ignored() noexcept;

/// From now on the library reads the environment as it is now, whatever libc's is: that may be lent to a rank
/// (libc/environment_state.hpp). Before there are ranks.
void keep_environment();

/// "NAME=VALUE" strings that end with a null pointer.
const char* const* environment() noexcept;

/// The value of one variable; null: there is none.
const char* environment_variable(const char* name) noexcept;

/// Where the environment counts for nothing, removes the variables of a library that is about to be called and does not
/// look whether it may trust them.
void hide_ignored_variables(std::string_view prefix);

}  // namespace pure::core
