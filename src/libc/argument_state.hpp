// Where getopt has come to (argument_replacements.cpp). The program's thread that reads its arguments.
#pragma once

namespace pure::core {

struct argument_state {
  enum class order {
    permuted,     // what is no option is moved behind the options
    first_stops,  // what is no option ends them
    all_in_turn   // what is no option is the argument of an option with the code 1
  };

  bool is_begun = false;
  order way = order::permuted;
  char* rest = nullptr;  // of an element with several short options: those to come. Null or empty: the next element
  int skipped_from = 0;  // [skipped_from, skipped_to): elements passed over that are no options, to be moved behind the
  int skipped_to = 0;    // options that came after them
  char* argument = nullptr;  // what optarg and optopt will say after the call. libc has them apart from the variables:
  int option = 0;            // what a program writes into those is lost with the next call
};

}  // namespace pure::core
