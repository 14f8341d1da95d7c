// The name of a function, out of what the linker shows; and stacks of this program itself, whose frames are known.
#include "hang/stack_text.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pure::core {
namespace {

TEST(own_name, is_without_result_template_arguments_and_parameters) {
  EXPECT_EQ(own_name("main"), "main");
  EXPECT_EQ(own_name("pure_recv_msg(void*, long, pure_call_site)"), "pure_recv_msg");
  EXPECT_EQ(own_name("ns::solver::step(pure::core::communicator&) const"), "ns::solver::step");
  EXPECT_EQ(own_name("void sort<pure::core::item*>(pure::core::item*)"), "sort");
  EXPECT_EQ(own_name("int pure::detail::call_on_rank<main::{lambda(pure::comm)#1}>(void*, pure::core::communicator&)"),
            "pure::detail::call_on_rank");
  EXPECT_EQ(own_name("main::{lambda(pure::core::communicator&)#1}::operator()(pure::core::communicator&) const"),
            "main::{lambda(pure::core::communicator&)#1}::operator()");
  EXPECT_EQ(own_name("std::function<int (pure::core::rank_context&)>::operator()(pure::core::rank_context&) const"),
            "std::function");
  EXPECT_EQ(own_name("pure::core::(anonymous namespace)::futex(std::atomic<unsigned int>&, int)"),
            "pure::core::(anonymous namespace)::futex");
  EXPECT_EQ(own_name("decltype(auto) ns::with<int>(int)"), "ns::with");
  EXPECT_EQ(own_name(""), "");
}

void* here() { return __builtin_return_address(0); }

TEST(stack, of_a_crash_keeps_its_order_and_every_frame_up_to_the_program_s) {
  std::vector<void*> frames{here(), here()};
  const std::string lines = lines_of_crash(frames);
  std::size_t count = 0;
  for (std::size_t at = lines.find("stack_of_a_crash"); at != std::string::npos;
       at = lines.find("stack_of_a_crash", at + 1))
    ++count;
  EXPECT_GE(count, 2U) << lines;
  EXPECT_EQ(lines_of_crash({}), "");
}

}  // namespace
}  // namespace pure::core
