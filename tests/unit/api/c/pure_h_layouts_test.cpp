// pure.h, derived datatypes: each constructor against a list of places, every way of sending and receiving, errors.
#include <pure.h>

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <pure/run.hpp>

#include "support/pure_h.hpp"

namespace {

using test_support::world;

using places = std::vector<std::size_t>;

/// A type of ints and where its ints lie.
struct form {
  const char* name;
  std::function<pure_datatype()> make;
  places at;
};

pure_datatype made_by(const std::function<int(pure_datatype*)>& make) {
  pure_datatype type = PURE_DATATYPE_NULL;
  EXPECT_EQ(make(&type), PURE_SUCCESS) << pure_last_error();
  EXPECT_EQ(pure_type_commit(&type), PURE_SUCCESS);
  return type;
}

places columns(std::size_t count, std::size_t length, std::size_t stride) {
  places at;
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = 0; i < length; ++i) at.push_back(c * stride + i);
  }
  return at;
}

/// All have as many ints, so that any may be sent and any be received. `n` is even.
std::vector<form> forms_of(std::int64_t n) {
  const auto half = static_cast<std::size_t>(n / 2);
  std::vector<form> all;
  places row(half * 2);
  std::iota(row.begin(), row.end(), 0);
  all.push_back(
      {"contiguous", [n] { return made_by([n](auto* t) { return pure_type_contiguous(n, PURE_INT, t); }); }, row});
  all.push_back({"vector", [n] { return made_by([n](auto* t) { return pure_type_vector(n, 1, 3, PURE_INT, t); }); },
                 columns(half * 2, 1, 3)});
  all.push_back({"hvector",
                 [n] { return made_by([n](auto* t) { return pure_type_create_hvector(n / 2, 2, 20, PURE_INT, t); }); },
                 columns(half, 2, 5)});
  all.push_back({"indexed",
                 [n] {
                   std::vector<std::int64_t> lengths(static_cast<std::size_t>(n / 2), 2), at;
                   for (std::int64_t i = n / 2; i-- > 0;) at.push_back(3 * i);
                   return made_by(
                       [&](auto* t) { return pure_type_indexed(n / 2, lengths.data(), at.data(), PURE_INT, t); });
                 },
                 [half] {
                   places at;
                   for (std::size_t i = half; i-- > 0;) at.insert(at.end(), {3 * i, 3 * i + 1});
                   return at;
                 }()});
  all.push_back({"indexed_block",
                 [n] {
                   std::vector<std::int64_t> at;
                   for (std::int64_t i = 0; i < n; ++i) at.push_back(i * i % 5 + 5 * i);
                   return made_by(
                       [&](auto* t) { return pure_type_create_indexed_block(n, 1, at.data(), PURE_INT, t); });
                 },
                 [half] {
                   places at;
                   for (std::size_t i = 0; i < 2 * half; ++i) at.push_back(i * i % 5 + 5 * i);
                   return at;
                 }()});
  all.push_back({"struct",
                 [n] {
                   const std::array<std::int64_t, 3> lengths{1, 2 * n - 4, 0}, at{0, 8, 4};
                   const std::array<pure_datatype, 3> types{PURE_INT64_T, PURE_SHORT, PURE_DOUBLE};
                   return made_by(
                       [&](auto* t) { return pure_type_create_struct(3, lengths.data(), at.data(), types.data(), t); });
                 },
                 row});
  all.push_back({"subarray",
                 [n] {
                   const std::array<std::int64_t, 3> sizes{4, 5, n}, subsizes{1, 2, n / 2}, starts{2, 1, n / 4};
                   return made_by([&](auto* t) {
                     return pure_type_create_subarray(3, sizes.data(), subsizes.data(), starts.data(), PURE_ORDER_C,
                                                      PURE_INT, t);
                   });
                 },
                 [half] {
                   places at;
                   const std::size_t n2 = 2 * half;
                   for (std::size_t y = 1; y < 3; ++y) {
                     for (std::size_t x = 0; x < half; ++x) at.push_back((2 * 5 + y) * n2 + n2 / 4 + x);
                   }
                   return at;
                 }()});
  all.push_back({"resized column of columns",
                 [n] {
                   return made_by([n](auto* t) {
                     pure_datatype column = PURE_DATATYPE_NULL, narrow = PURE_DATATYPE_NULL;
                     pure_type_vector(n / 2, 1, 4, PURE_INT, &column);
                     pure_type_create_resized(column, 0, 4, &narrow);
                     const int code = pure_type_contiguous(2, narrow, t);
                     pure_type_free(&column);  // what is made of it stays
                     pure_type_free(&narrow);
                     return code;
                   });
                 },
                 [half] {
                   places at;
                   for (std::size_t c = 0; c < 2; ++c) {
                     for (std::size_t i = 0; i < half; ++i) at.push_back(4 * i + c);
                   }
                   return at;
                 }()});
  return all;
}

std::vector<int> untouched(const form& f) {
  return std::vector<int>(*std::max_element(f.at.begin(), f.at.end()) + 1, -1);
}

std::vector<int> filled(const form& f, int first) {
  std::vector<int> data = untouched(f);
  for (std::size_t i = 0; i < f.at.size(); ++i) data[f.at[i]] = first + static_cast<int>(i);
  return data;
}

constexpr std::array<std::int64_t, 3> form_lengths{4, 200, 17'000};  // one line, eager, a copy that both ends share

TEST(pure_h_layouts, any_layout_may_be_sent_and_any_received) {
  for (const std::int64_t n : form_lengths) {
    pure::run(2, [n] {
      const std::vector<form> forms = forms_of(n);
      for (std::size_t pair = 0; pair < forms.size() * forms.size(); ++pair) {
        const form& out = forms[pair / forms.size()];
        const form& in = forms[pair % forms.size()];
        if (n < 1000 || pair % 5 == 0) {  // each is met a few times by large ones
          if (pure_rank() == 0) {
            pure_datatype type = out.make();
            EXPECT_EQ(pure_type_size(type), static_cast<std::size_t>(n) * sizeof(int));
            const std::vector<int> data = filled(out, 7);
            pure_send_msg(data.data(), 1, type, 1, 0, world);
            pure_type_free(&type);
            EXPECT_EQ(type, PURE_DATATYPE_NULL);
          } else {
            pure_datatype type = in.make();
            std::vector<int> data = untouched(in);
            pure_status status;
            pure_recv_msg(data.data(), 1, type, 0, 0, world, &status);
            EXPECT_EQ(data, filled(in, 7)) << out.name << " to " << in.name << ", " << n;
            std::int64_t count = 0;
            pure_get_count(&status, type, &count);
            EXPECT_EQ(count, 1);
            pure_get_count(&status, PURE_INT, &count);
            EXPECT_EQ(count, n);
            pure_type_free(&type);
          }
        }
      }
    });
  }
}

using send_function = void (*)(const void*, pure_datatype);
using receive_function = void (*)(void*, pure_datatype);

void complete(pure_request request) { EXPECT_EQ(pure_wait(&request), PURE_SUCCESS); }

void complete_started(pure_request request) {
  for (int i = 0; i < 2; ++i) {  // twice: the layout stays
    EXPECT_EQ(pure_start(&request), PURE_SUCCESS);
    EXPECT_EQ(pure_wait(&request), PURE_SUCCESS);
  }
  EXPECT_EQ(pure_request_free(&request), PURE_SUCCESS);
}

/// Each sends the same message twice.
constexpr std::array<send_function, 6> ways_to_send{[](const void* data, pure_datatype type) {
                                                      pure_send_msg(data, 1, type, 1, 0, world);
                                                      pure_ssend_msg(data, 1, type, 1, 0, world);
                                                    },
                                                    [](const void* data, pure_datatype type) {
                                                      pure_bsend_msg(data, 1, type, 1, 0, world);
                                                      pure_rsend_msg(data, 1, type, 1, 0, world);
                                                    },
                                                    [](const void* data, pure_datatype type) {
                                                      pure_request all[2];
                                                      pure_isend_msg(data, 1, type, 1, 0, world, &all[0]);
                                                      pure_issend_msg(data, 1, type, 1, 0, world, &all[1]);
                                                      EXPECT_EQ(pure_waitall(2, all), PURE_SUCCESS);
                                                    },
                                                    [](const void* data, pure_datatype type) {
                                                      pure_request request;
                                                      pure_ibsend_msg(data, 1, type, 1, 0, world, &request);
                                                      complete(request);
                                                      pure_irsend_msg(data, 1, type, 1, 0, world, &request);
                                                      complete(request);
                                                    },
                                                    [](const void* data, pure_datatype type) {
                                                      pure_request request;
                                                      pure_send_init(data, 1, type, 1, 0, world, &request);
                                                      pure_type_free(&type);  // the request keeps what it needs
                                                      complete_started(request);
                                                    },
                                                    [](const void* data, pure_datatype type) {
                                                      pure_request request;
                                                      pure_bsend_init(data, 1, type, 1, 0, world, &request);
                                                      complete_started(request);
                                                    }};

/// Each receives it twice.
constexpr std::array<receive_function, 4> ways_to_receive{[](void* data, pure_datatype type) {
                                                            for (int i = 0; i < 2; ++i)
                                                              pure_recv_msg(data, 1, type, PURE_ANY_SOURCE,
                                                                            PURE_ANY_TAG, world);
                                                          },
                                                          [](void* data, pure_datatype type) {
                                                            for (int i = 0; i < 2; ++i) {
                                                              pure_request request;
                                                              pure_irecv_msg(data, 1, type, 0, 0, world, &request);
                                                              complete(request);
                                                            }
                                                          },
                                                          [](void* data, pure_datatype type) {
                                                            for (int i = 0; i < 2; ++i) {
                                                              pure_message message;
                                                              pure_mprobe(0, 0, world, &message, PURE_STATUS_IGNORE);
                                                              pure_request request = PURE_REQUEST_NULL;
                                                              if (i == 0) {
                                                                pure_mrecv_msg(data, 1, type, &message);
                                                              } else {
                                                                pure_imrecv_msg(data, 1, type, &message, &request);
                                                                complete(request);
                                                              }
                                                            }
                                                          },
                                                          [](void* data, pure_datatype type) {
                                                            pure_request request;
                                                            pure_recv_init(data, 1, type, 0, 0, world, &request);
                                                            complete_started(request);
                                                          }};

TEST(pure_h_layouts, every_way_of_sending_meets_every_way_of_receiving) {
  for (const std::int64_t n : form_lengths) {
    pure::run(2, [n] {
      const form strided = forms_of(n)[1], blocks = forms_of(n)[3];
      pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
      for (const send_function send : ways_to_send) {
        for (const receive_function receive : ways_to_receive) {
          if (pure_rank() == 0) {
            const std::vector<int> data = filled(strided, 3);
            send(data.data(), strided.make());
          } else {
            std::vector<int> data = untouched(blocks);
            receive(data.data(), blocks.make());
            EXPECT_EQ(data, filled(blocks, 3));
          }
        }
      }
      void* buffer = nullptr;
      std::int64_t size = 0;
      pure_buffer_detach(&buffer, &size);
    });
  }
}

TEST(pure_h_layouts, send_receives_with_layouts_and_basic_types) {
  for (const std::int64_t n : form_lengths) {
    pure::run(2, [n] {
      const form strided = forms_of(n)[1], blocks = forms_of(n)[3];
      pure_datatype type = strided.make(), other_type = blocks.make();
      const int me = pure_rank(), other = 1 - me;
      const std::vector<int> out = filled(strided, me);
      std::vector<int> in = untouched(blocks);
      pure_sendrecv_msg(out.data(), 1, type, other, 0, in.data(), 1, other_type, other, 0, world);
      EXPECT_EQ(in, filled(blocks, other));

      std::vector<int> row(static_cast<std::size_t>(n));
      pure_request request;
      pure_isendrecv_msg(out.data(), 1, type, other, 0, row.data(), n, PURE_INT, other, 0, world, &request);
      complete(request);
      std::vector<int> expected(row.size());
      std::iota(expected.begin(), expected.end(), other);
      EXPECT_EQ(row, expected);

      std::vector<int> replaced = out;
      pure_sendrecv_replace_msg(replaced.data(), 1, type, other, 0, other, 0, world);
      EXPECT_EQ(replaced, filled(strided, other));
      pure_isendrecv_replace_msg(replaced.data(), 1, type, other, 0, other, 0, world, &request);
      complete(request);
      EXPECT_EQ(replaced, out);
      pure_sendrecv_replace_msg(replaced.data(), 1, type, PURE_PROC_NULL, 0, PURE_PROC_NULL, 0, world);
      EXPECT_EQ(replaced, out);
    });
  }
}

TEST(pure_h_layouts, several_elements_follow_at_the_extent) {
  pure::run(2, [] {
    pure_datatype every_third = PURE_DATATYPE_NULL;
    pure_type_create_resized(PURE_INT, 0, 12, &every_third);
    std::int64_t lower = -1, extent = -1;
    pure_type_get_extent(every_third, &lower, &extent);
    EXPECT_EQ(lower, 0);
    EXPECT_EQ(extent, 12);
    pure_type_get_true_extent(every_third, &lower, &extent);
    EXPECT_EQ(extent, 4);
    if (pure_rank() == 0) {
      const std::array<int, 7> data{1, 0, 0, 2, 0, 0, 3};
      pure_send_msg(data.data(), 3, every_third, 1, 0, world);
    } else {
      std::array<int, 7> data{9, 9, 9, 9, 9, 9, 9};
      pure_recv_msg(data.data(), 3, every_third, 0, 0, world);
      EXPECT_EQ(data, (std::array<int, 7>{1, 9, 9, 2, 9, 9, 3}));
    }
  });
}

TEST(pure_h_layouts, a_longer_message_is_truncated_to_the_layout) {
  for (const std::int64_t n : form_lengths) {
    pure::run(2, [n] {
      pure_set_errhandler(PURE_ERRORS_RETURN);
      const form strided = forms_of(n)[1];
      if (pure_rank() == 0) {
        const std::vector<int> data = filled(strided, 5);
        pure_datatype type = strided.make();
        pure_send_msg(data.data(), 1, type, 1, 0, world);
      } else {
        const form shorter = forms_of(n - 2)[1];
        std::vector<int> data = untouched(shorter);
        EXPECT_EQ(pure_recv_msg(data.data(), 1, shorter.make(), 0, 0, world), PURE_ERR_TRUNCATE);
        EXPECT_EQ(data, filled(shorter, 5));
        EXPECT_NE(std::string(pure_last_error()).find(std::to_string(4 * n) + " bytes"), std::string::npos);
      }
    });
  }
}

TEST(pure_h_layouts, empty_types_send_empty_messages) {
  pure::run(2, [] {
    pure_datatype empty = PURE_DATATYPE_NULL;
    pure_type_vector(0, 3, 5, PURE_INT, &empty);
    EXPECT_EQ(pure_type_size(empty), 0U);
    if (pure_rank() == 0) {
      pure_send_msg(nullptr, 4, empty, 1, 0, world);
    } else {
      pure_status status;
      EXPECT_EQ(pure_recv_msg(nullptr, 1, empty, 0, 0, world, &status), PURE_SUCCESS);
      std::int64_t count = -1;
      pure_get_count(&status, empty, &count);
      EXPECT_EQ(count, 0);
    }
  });
}

TEST(pure_h_layouts, wrong_arguments_are_explained) {
  pure::run(1, [] {
    pure_set_errhandler(PURE_ERRORS_RETURN);
    pure_datatype type = PURE_DATATYPE_NULL;
    const auto expect = [](int code, int expected, const std::string& text) {
      EXPECT_EQ(code, expected);
      EXPECT_NE(std::string(pure_last_error()).find(text), std::string::npos) << pure_last_error();
    };
    expect(pure_type_contiguous(-1, PURE_INT, &type), PURE_ERR_COUNT, "the count -1 is negative");
    expect(pure_type_vector(2, -3, 4, PURE_INT, &type), PURE_ERR_COUNT, "block length -3");
    expect(pure_type_vector(2, 3, 4, PURE_INT, nullptr), PURE_ERR_ARG, "`new_type` is null");
    expect(pure_type_vector(2, 3, 4, PURE_DATATYPE_NULL, &type), PURE_ERR_TYPE, "not a datatype");
    expect(pure_type_indexed(2, nullptr, nullptr, PURE_INT, &type), PURE_ERR_ARG, "is null");
    const std::int64_t two[] = {0, 2};
    expect(pure_type_indexed(2, nullptr, two, PURE_INT, &type), PURE_ERR_ARG, "`block_lengths` is null");
    expect(pure_type_vector(std::int64_t{1} << 61, 1, 1, PURE_INT, &type), PURE_ERR_ARG, "more bytes");
    expect(pure_type_vector(2, 1, std::int64_t{1} << 62, PURE_INT, &type), PURE_ERR_ARG, "too far");
    const std::int64_t one[] = {4}, part[] = {3}, start[] = {2};
    expect(pure_type_create_subarray(1, one, part, start, PURE_ORDER_C, PURE_INT, &type), PURE_ERR_ARG,
           "3 elements from 2 on are no part of 4");
    type = PURE_INT;
    expect(pure_type_free(&type), PURE_ERR_TYPE, "basic");
    pure_type_contiguous(2, PURE_INT, &type);
    const pure_datatype copy = type;
    int x[2] = {};
    expect(pure_reduce(x, x + 1, 1, copy, PURE_SUM, 0, world), PURE_ERR_OP, "derived");
    expect(pure_send_msg(nullptr, 1, copy, 0, 0, world), PURE_ERR_BUFFER, "null");
    expect(pure_send_msg(x, -1, copy, 0, 0, world), PURE_ERR_COUNT, "negative");
    pure_type_free(&type);
    expect(pure_send_msg(x, 1, copy, 0, 0, world), PURE_ERR_TYPE, "freed already");
    expect(pure_type_free(&type), PURE_ERR_TYPE, "not a datatype");
  });
}

}  // namespace
