// For tests/errors/check.sh: buffers that change too early, and what is left over at the end.
#include "check_case.hpp"

#include <new>

namespace {

const check_case content_cases[] = {
    {"changed_send",
     [](pure::comm) {
       int x = 5;
       pure_request request;
       pure_isend_msg(&x, 1, PURE_INT, 1, 7, world, &request);  //@ changed_send.first
       x = 6;
       wait_for(request);
     },
     [](pure::comm on) { (void)on.recv<int>(0, 7); }},
    {"changed_laid_out_send",
     [](pure::comm) {
       int x[8] = {};
       pure_datatype column;
       pure_type_vector(4, 1, 2, PURE_INT, &column);
       pure_request request;
       pure_isend_msg(x, 1, column, 1, 7, world, &request);  //@ changed_laid_out_send.first
       x[1] = 6;                                             // not in the message
       x[2] = 6;
       wait_for(request);
     },
     [](pure::comm on) { (void)on.recv<std::vector<int>>(0, 7); }},
    {"changed_large_send",
     [](pure::comm) {
       std::vector<int> x(many);
       pure_request request;
       pure_isend_msg(x.data(), many, PURE_INT, 1, 7, world, &request);  //@ changed_large_send.first
       x[many - 1] = 6;
       say_so();
       pure_waitall(1, &request, PURE_STATUSES_IGNORE);  //@ changed_large_send.second
     },
     [](pure::comm on) { (void)on.recv<std::vector<int>>(0, 7); }},
    {"changed_persistent_send",
     [](pure::comm) {
       int x = 5;
       pure_request request;
       pure_send_init(&x, 1, PURE_INT, 1, 7, world, &request);
       pure_start(&request);  //@ changed_persistent_send.first
       x = 6;
       wait_for(request);
     },
     [](pure::comm on) { (void)on.recv<int>(0, 7); }},
    {"changed_receive", answer_1,
     [](pure::comm) {
       int x = 0;
       pure_request request;
       pure_irecv_msg(&x, 1, PURE_INT, 0, 7, world, &request);  //@ changed_receive.first
       x = 3;
       say_so();
       wait_for(request);
     }},
    {"changed_delivered", answer_1,
     [](pure::comm) {
       int x = 0;
       pure_request request;
       pure_irecv_msg(&x, 1, PURE_INT, 0, 7, world, &request);  //@ changed_delivered.first
       say_so();
       int flag = 0;
       while (flag == 0) pure_request_get_status(request, &flag, PURE_STATUS_IGNORE);
       x = 3;
       wait_for(request);
     }},
    {"cpp_changed_send",
     [](pure::comm on) {
       double x = 5;
       auto request = on.isend(x, 1, 7);  //@ cpp_changed_send.first
       x = 6;
       request.wait();  //@ cpp_changed_send.second
     },
     [](pure::comm on) { (void)on.recv<double>(0, 7); }},
    {"cpp_changed_receive",
     [](pure::comm on) {
       on.barrier();
       on.send(std::vector<double>(9), 1, 7);  //@ cpp_changed_receive.send
     },
     [](pure::comm on) {
       double x[9] = {};
       auto request = on.irecv_into(x, 0, 7);  //@ cpp_changed_receive.first
       x[8] = 1;
       on.barrier();
       request.wait();  //@ cpp_changed_receive.second
     }},
    {"cpp_changed_and_destroyed",
     [](pure::comm on) {
       double x = 5;
       const auto request = on.isend(x, 1, 7);  //@ cpp_changed_and_destroyed.first
       x = 6;
     },
     [](pure::comm on) { (void)on.recv<double>(0, 7); }},
    // twins
    {"changed_after_the_end",
     [](pure::comm on) {
       std::vector<int> x(many);
       pure_request request;
       for (int i = 0; i < 3; ++i) {
         pure_isend_msg(x.data(), i == 1 ? many : 1, PURE_INT, 1, 7, world, &request);
         wait_for(request);
         x[0] = i;
       }
       pure_request sends[2];
       pure_send_init(x.data(), 3, PURE_INT, 1, 7, world, &sends[0]);
       pure_issend_msg(x.data(), 3, PURE_INT, 1, 7, world, &sends[1]);
       pure_startall(1, sends);
       pure_waitall(2, sends, PURE_STATUSES_IGNORE);
       x[1] = 3;
       pure_start(sends);
       wait_for(sends[0]);
       pure_request_free(&sends[0]);
       on.isend(std::vector<int>(x), 1, 7).wait();
       pure_bsend_msg(x.data(), 1, PURE_INT, 1, 8, world);
       x[0] = 99;
       pure_isend_msg(x.data(), 1, PURE_INT, 1, 9, world, &request);
       pure_request_free(&request);
       (void)on.recv<int>(1, 9);  // rank 1 has it
       x[0] = 100;
     },
     [](pure::comm on) {
       std::vector<int> x(many);
       for (int i = 0; i < 7; ++i) {
         auto request = on.irecv_into(x, 0, 7);
         request.wait();
         x[0] = i;
       }
       (void)on.recv<int>(0, 8);
       on.send(on.recv<int>(0, 9), 0, 9);
     }},
};

const check_case leftover_cases[] = {
    {"leaked_send",
     [](pure::comm) {
       const int x = 5;
       pure_request request;
       pure_isend_msg(&x, 1, PURE_INT, 1, 7, world, &request);  //@ leaked_send.first
     },
     [](pure::comm on) { (void)on.recv<int>(0, 7); }},
    {"leaked_receive", nothing,
     [](pure::comm) {
       static thread_local int x = 0;
       pure_request request;
       pure_irecv_msg(&x, 1, PURE_INT, PURE_ANY_SOURCE, 7, world, &request);  //@ leaked_receive.first
     }},
    {"freed_receive", nothing,
     [](pure::comm) {
       static thread_local int x = 0;
       pure_request request;
       pure_irecv_msg(&x, 1, PURE_INT, PURE_ANY_SOURCE, 7, world, &request);  //@ freed_receive.first
       pure_request_free(&request);
     }},
    {"leaked_persistent", nothing,
     [](pure::comm) {
       int x = 0;
       pure_request request;
       pure_recv_init(&x, 1, PURE_INT, 0, 7, world, &request);  //@ leaked_persistent.first
     }},
    {"leaked_cpp", nothing,
     [](pure::comm on) {
       static thread_local int x = 0;
       alignas(pure::request) static thread_local std::byte lost[sizeof(pure::request)];
       ::new (static_cast<void*>(lost)) pure::request(on.irecv_into(x, 0, 7));  //@ leaked_cpp.first
     }},
    {"unreceived", one_int_to_1, nothing},
    {"unreceived_many",
     [](pure::comm on) {
       for (int i = 0; i < 25; ++i) on.send(i, 1, 100 + i);  //@ unreceived_many.send
       on.send(1, 1, 3);
     },
     [](pure::comm on) { (void)on.recv<int>(0, 3); }},  // the others are unexpected messages
    {"unreceived_crowd",                                // more than rings hold, and than travel at once
     [](pure::comm on) {
       std::vector<pure::request> all;
       for (int i = 0; i < 5000; ++i) all.push_back(on.isend(1.0, 1, i));
       pure::wait_all(all);
     },
     nothing},
    {"unreceived_large",
     [](pure::comm) {
       static thread_local std::vector<int> x(many);
       static thread_local pure_request request;
       pure_issend_msg(x.data(), many, PURE_INT, 1, 7, world, &request);  //@ unreceived_large.send
     },
     nothing},
    {"unreceived_moved", [](pure::comm on) { on.send(std::vector<int>(9), 1, 7); }, nothing},  //@ unreceived_moved.send
    {"unreceived_on_part",
     [](pure::comm on) {
       const pure::comm part = on.dup();
       part.set_name("the part");
       part.send(2.5, 1, 7);  //@ unreceived_on_part.send
     },
     [](pure::comm on) { on.dup().set_name("the part"); }},
    {"unreceived_matched", one_int_to_1,
     [](pure::comm) {
       pure_message message;
       pure_mprobe(0, 7, world, &message, PURE_STATUS_IGNORE);
     }},
    {"unreceived_buffered",
     [](pure::comm) {
       pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
       const std::vector<int> x(many);
       pure_bsend_msg(x.data(), many, PURE_INT, 1, 7, world);  //@ unreceived_buffered.send
     },
     nothing},
    // twins
    {"all_done",
     [](pure::comm on) {
       const int x = 5;
       pure_request request;
       pure_isend_msg(&x, 1, PURE_INT, 1, 7, world, &request);
       pure_request_free(&request);
       pure_issend_msg(&x, 1, PURE_INT, 1, 8, world, &request);
       pure_cancel(&request);
       wait_for(request);
       pure_isend_msg(&x, 1, PURE_INT, PURE_PROC_NULL, 8, world, &request);
       static int freed[2];  // as long as the job
       pure_irecv_msg(&freed[0], 1, PURE_INT, 0, 12, world, &request);
       pure_request_free(&request);
       pure_send_msg(&x, 1, PURE_INT, 0, 12, world);
       freed[0] = 6;  // it is the program's again
       pure_isendrecv_msg(&x, 1, PURE_INT, 0, 13, &freed[1], 1, PURE_INT, 0, 13, world, &request);
       pure_request_free(&request);
       freed[1] = 6;
       pure_send_init(&x, 1, PURE_INT, 1, 9, world, &request);
       pure_request_free(&request);
       { const auto withdrawn = on.send_init(x, 1, 9); }
       on.barrier();
     },
     [](pure::comm on) {
       on.barrier();
       int x = 0;
       { const auto withdrawn = on.irecv_into(x, 0, 11); }
       auto message = on.mprobe(0, 7);
       (void)message.recv<int>();
     }},
};

}  // namespace

int main(int argc, char** argv) { return run_case({content_cases, leftover_cases}, argc, argv); }
