// For tests/errors/check.sh: messages of wrong types, and buffers that two operations have.
#include "check_case.hpp"

#include <array>
#include <cstdint>

namespace {

struct point {
  int x, y;
};
struct interval {
  int low, high;
};
enum class color : int { red };

void two_ints_to_1(pure::comm) {
  const int x[2] = {5, 6};
  pure_send_msg(x, 1, PURE_INT, 1, 7, world);
  pure_send_msg(x + 1, 1, PURE_INT, 1, 7, world);
}

const check_case type_cases[] = {
    {"type", one_int_to_1,
     [](pure::comm) {
       float x = 0;
       pure_recv_msg(&x, 1, PURE_FLOAT, 0, 7, world, PURE_STATUS_IGNORE);  //@ type.recv
     }},
    {"type_posted", answer_1,
     [](pure::comm) {
       float x = 0;
       pure_request request;
       pure_irecv_msg(&x, 1, PURE_FLOAT, PURE_ANY_SOURCE, PURE_ANY_TAG, world, &request);  //@ type_posted.recv
       say_so();
       wait_for(request);
     }},
    {"type_early",
     [](pure::comm) {
       const int x[2] = {1, 2};
       pure_send_msg(x, 2, PURE_INT, 1, 7, world);  //@ type_early.send
       pure_send_msg(x, 1, PURE_INT, 1, 8, world);
     },
     [](pure::comm) {
       std::uint32_t x[2];
       pure_recv_msg(x, 1, PURE_INT, 0, 8, world, PURE_STATUS_IGNORE);
       pure_recv_msg(x, 2, PURE_UINT32_T, 0, 7, world, PURE_STATUS_IGNORE);  //@ type_early.recv
     }},
    {"type_large",
     [](pure::comm) {
       const std::vector<double> x(many);
       pure_send_msg(x.data(), many, PURE_DOUBLE, 1, 7, world);  //@ type_large.send
     },
     [](pure::comm) {
       std::vector<std::int64_t> x(many);
       pure_recv_msg(x.data(), many, PURE_INT64_T, 0, 7, world, PURE_STATUS_IGNORE);  //@ type_large.recv
     }},
    {"type_synchronous",
     [](pure::comm) {
       const int x = 5;
       pure_ssend_msg(&x, 1, PURE_INT, 1, 7, world);  //@ type_synchronous.send
     },
     [](pure::comm) {
       unsigned char x[4];
       pure_recv_msg(x, 4, PURE_BYTE, 0, 7, world, PURE_STATUS_IGNORE);  //@ type_synchronous.recv
     }},
    {"type_matched", one_int_to_1,
     [](pure::comm) {
       float x = 0;
       pure_message message;
       pure_mprobe(0, 7, world, &message, PURE_STATUS_IGNORE);
       pure_mrecv_msg(&x, 1, PURE_FLOAT, &message, PURE_STATUS_IGNORE);  //@ type_matched.recv
     }},
    {"type_persistent", one_int_to_1,
     [](pure::comm) {
       float x = 0;
       pure_request request;
       pure_recv_init(&x, 1, PURE_FLOAT, 0, 7, world, &request);
       pure_start(&request);  //@ type_persistent.recv
       wait_for(request);
     }},
    {"type_exchange", one_int_to_1,
     [](pure::comm) {
       const int out = 1;
       float in = 0;
       const int to = PURE_PROC_NULL;
       pure_sendrecv_msg(&out, 1, PURE_INT, to, 0, &in, 1, PURE_FLOAT, 0, 7, world, nullptr);  //@ type_exchange.recv
     }},
    {"type_cpp", [](pure::comm on) { on.send(5, 1, 7); },                          //@ type_cpp.send
     [](pure::comm on) { (void)on.recv<float>(0, 7); }},                           //@ type_cpp.recv
    {"type_cpp_moved", [](pure::comm on) { on.send(std::vector<int>(9), 1, 7); },  //@ type_cpp_moved.send
     [](pure::comm on) { (void)on.recv<std::vector<float>>(0, 7); }},              //@ type_cpp_moved.recv
    {"type_cpp_class",
     [](pure::comm on) {
       on.send(point{1, 2}, 1, 7);  //@ type_cpp_class.send
     },
     [](pure::comm on) {
       interval in{};
       auto request = on.irecv_into(in, 0, 7);  //@ type_cpp_class.recv
       request.wait();
     }},
    {"type_doors", one_int_to_1, [](pure::comm on) { (void)on.recv<float>(0, 7); }},  //@ type_doors.recv
    // twins
    {"type_laid_out",
     [](pure::comm) {
       const int x[4] = {};
       pure_datatype every_second;
       pure_type_vector(2, 1, 2, PURE_INT, &every_second);
       pure_send_msg(x, 1, every_second, 1, 7, world);  //@ type_laid_out.send
     },
     [](pure::comm on) {
       float x[6] = {};
       (void)on.recv_into(pure::strided(x, 2, 1, 3), 0, 7);  //@ type_laid_out.recv
     }},
    {"same_type_laid_out",  // and two columns side by side, which do not overlap though they interleave
     [](pure::comm on) {
       std::array<int, 8> x{};
       pure_datatype column, pair;
       pure_type_vector(4, 1, 2, PURE_INT, &column);
       const std::int64_t one[] = {1, 1}, places[] = {0, 4};
       const pure_datatype types[] = {PURE_INT, PURE_FLOAT};
       pure_type_create_struct(2, one, places, types, &pair);
       pure::request coming = on.irecv_into(pure::strided(x, 4, 1, 2), 1, 9);
       pure_send_msg(x.data() + 1, 1, column, 1, 7, world);
       pure_send_msg(x.data() + 1, 1, pair, 1, 8, world);
       coming.wait();
     },
     [](pure::comm on) {
       (void)on.recv<std::vector<int>>(0, 7);
       (void)on.recv<point>(0, 8);
       on.send(std::vector<int>(4), 0, 9);
     }},
    {"same_type", one_int_to_1,
     [](pure::comm) {
       std::int32_t x[4];
       pure_recv_msg(x, 4, PURE_INT32_T, 0, 7, world, PURE_STATUS_IGNORE);
     }},
    {"same_type_doors",
     [](pure::comm on) {
       const std::size_t size = 1;
       const std::byte bytes[3] = {};
       pure_send_msg(&size, 1, PURE_SIZE_T, 1, 1, world);
       pure_send_msg(bytes, 3, PURE_BYTE, 1, 2, world);
       on.send(color::red, 1, 3);
       on.send(std::array<std::array<double, 2>, 2>{}, 1, 4);
       on.send(point{1, 2}, 1, 5);
       on.send(std::string("text"), 1, 6);
       on.send(std::vector<pure::value_index<double>>(2), 1, 7);
     },
     [](pure::comm on) {
       std::array<std::byte, 3> bytes{};
       double x[4];
       char text[4];
       pure::value_index<double> pairs[2];
       (void)on.recv<std::uint64_t>(0, 1);
       on.recv_into(bytes, 0, 2);
       (void)on.recv<int>(0, 3);
       pure_recv_msg(x, 4, PURE_DOUBLE, 0, 4, world, PURE_STATUS_IGNORE);
       (void)on.recv<point>(0, 5);
       pure_recv_msg(text, 4, PURE_CHAR, 0, 6, world, PURE_STATUS_IGNORE);
       pure_recv_msg(pairs, 2, PURE_DOUBLE_INT, 0, 7, world, PURE_STATUS_IGNORE);
     }},
};

const check_case overlap_cases[] = {
    {"two_receives", two_ints_to_1,
     [](pure::comm) {
       int x[4] = {};
       pure_request requests[2];
       pure_irecv_msg(x, 3, PURE_INT, 0, 7, world, &requests[0]);      //@ two_receives.first
       pure_irecv_msg(x + 2, 2, PURE_INT, 0, 8, world, &requests[1]);  //@ two_receives.second
     }},
    {"receive_then_send", nothing,
     [](pure::comm) {
       int x[4] = {};
       pure_request request;
       pure_irecv_msg(x, 4, PURE_INT, 0, 7, world, &request);  //@ receive_then_send.first
       pure_send_msg(x + 3, 1, PURE_INT, 0, 8, world);         //@ receive_then_send.second
     }},
    {"send_then_receive", nothing,
     [](pure::comm) {
       int x[4] = {};
       pure_request request;
       pure_isend_msg(x, 4, PURE_INT, 0, 7, world, &request);               //@ send_then_receive.first
       pure_recv_msg(x + 1, 1, PURE_INT, 0, 8, world, PURE_STATUS_IGNORE);  //@ send_then_receive.second
     }},
    {"delivered_then_receive", two_ints_to_1,
     [](pure::comm) {
       int x = 0;
       pure_request requests[2];
       pure_irecv_msg(&x, 1, PURE_INT, 0, 7, world, &requests[0]);  //@ delivered_then_receive.first
       pure_probe(0, 7, world, PURE_STATUS_IGNORE);                 // the first message is in x now
       pure_irecv_msg(&x, 1, PURE_INT, 0, 7, world, &requests[1]);  //@ delivered_then_receive.second
     }},
    {"persistent_overlap", nothing,
     [](pure::comm) {
       std::vector<int> x(many);
       pure_request requests[2];
       pure_ssend_init(x.data(), many, PURE_INT, 0, 7, world, &requests[0]);
       pure_recv_init(x.data() + many - 1, 1, PURE_INT, 0, 8, world, &requests[1]);
       pure_start(&requests[0]);  //@ persistent_overlap.first
       pure_start(&requests[1]);  //@ persistent_overlap.second
     }},
    {"itself", nothing,
     [](pure::comm) {
       int x[2] = {};
       pure_request request;
       pure_isendrecv_msg(x, 2, PURE_INT, 0, 7, x, 2, PURE_INT, 0, 8, world, &request);  //@ itself.both
     }},
    {"matched_into_pending", two_ints_to_1,
     [](pure::comm) {
       int x = 0;
       pure_request request;
       pure_message message;
       pure_mprobe(0, 7, world, &message, PURE_STATUS_IGNORE);
       pure_irecv_msg(&x, 1, PURE_INT, 0, 9, world, &request);         //@ matched_into_pending.first
       pure_mrecv_msg(&x, 1, PURE_INT, &message, PURE_STATUS_IGNORE);  //@ matched_into_pending.second
     }},
    {"cpp_overlap", nothing,
     [](pure::comm on) {
       std::vector<int> x(8);
       auto request = on.irecv_into(x, 0, 7);        //@ cpp_overlap.first
       on.recv_into(std::span(x).subspan(7), 0, 8);  //@ cpp_overlap.second
     }},
    // twins
    {"neighbours",
     [](pure::comm) {
       const int x[4] = {};
       pure_send_msg(x, 2, PURE_INT, 1, 7, world);
       pure_send_msg(x, 2, PURE_INT, 1, 8, world);
       int y[4];
       for (int i = 0; i < 3; ++i) pure_recv_msg(y, 4, PURE_INT, 1, 9, world, PURE_STATUS_IGNORE);
     },
     [](pure::comm) {
       int x[4] = {};
       const int y[4] = {};
       pure_request requests[5];
       pure_irecv_msg(x, 2, PURE_INT, 0, 7, world, &requests[0]);
       pure_irecv_msg(x + 2, 2, PURE_INT, 0, 8, world, &requests[1]);
       for (int i = 0; i < 3; ++i) pure_isend_msg(y + i / 2, 2, PURE_INT, 0, 9, world, &requests[2 + i]);
       pure_waitall(5, requests, PURE_STATUSES_IGNORE);
     }},
    {"again_after_the_end", two_ints_to_1,
     [](pure::comm) {
       int x = 0;
       pure_request request;
       for (int i = 0; i < 2; ++i) {
         pure_irecv_msg(&x, 1, PURE_INT, 0, 7, world, &request);
         wait_for(request);
       }
       pure_irecv_msg(&x, 1, PURE_INT, 0, 7, world, &request);
       pure_cancel(&request);
       wait_for(request);
       pure_isend_msg(&x, 1, PURE_INT, 1, 2, world, &request);
       wait_for(request);
       pure_recv_msg(&x, 1, PURE_INT, 1, 2, world, PURE_STATUS_IGNORE);
       pure_isendrecv_replace_msg(&x, 1, PURE_INT, 1, 3, 1, 3, world, &request);
       wait_for(request);
       pure_sendrecv_replace_msg(&x, 1, PURE_INT, 1, 4, 1, 4, world, PURE_STATUS_IGNORE);
     }},
};

}  // namespace

int main(int argc, char** argv) { return run_case({type_cases, overlap_cases}, argc, argv); }
