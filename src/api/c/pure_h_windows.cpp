// pure.h, windows (pure/windows.h): how they are made, and what they are.
#include "api/c/window.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "window/create.hpp"

using pure::errc;
using namespace pure::core;

namespace {

constexpr const char* key_noncontig = "alloc_shared_noncontig";
constexpr const char* key_alignment = "mpi_minimum_memory_alignment";
constexpr const char* key_pages = "pure_huge_pages";
constexpr const char* key_atomics = "pure_atomics";
constexpr const char* key_promise = "accumulate_ops";
constexpr const char* key_name = "pure_name";

[[noreturn]] void throw_bad_value(const call& by, const std::string& key, const std::string& value,
                                  const char* wanted) {
  throw_wrong_call(by, errc::info, fmt::format("the value of \"{}\" is \"{}\", and not {}", key, value, wanted));
}

void read_key(const call& by, const std::string& key, const std::string& value, window_options& to) {
  if (key == key_noncontig) {
    if (value != "true" && value != "false") throw_bad_value(by, key, value, "true or false");
    to.is_contiguous = value == "false";
  } else if (key == key_alignment) {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), to.alignment);
    if (error != std::errc() || end != value.data() + value.size() || !std::has_single_bit(to.alignment))
      throw_bad_value(by, key, value, "a power of two");
  } else if (key == key_pages) {
    if (value != "off" && value != "transparent" && value != "reserved")
      throw_bad_value(by, key, value, "off, transparent or reserved");
    to.pages = page_kind_of(value);
  } else if (key == key_atomics) {
    if (value != "any_type" && value != "hardware") throw_bad_value(by, key, value, "any_type or hardware");
    to.atomics = value == "hardware" ? atomics_by::hardware : atomics_by::any_type;
  } else if (key == key_promise) {
    if (value != "same_op" && value != "same_op_no_op") throw_bad_value(by, key, value, "same_op or same_op_no_op");
    to.promise = value == "same_op" ? same_operations::same : same_operations::same_or_no_op;
  } else if (key == key_name) {
    to.name = value;
  }
}

window_options options_of(const call& by, pure_info info, bool is_contiguous) {
  window_options options;
  options.is_contiguous = is_contiguous;
  if (info == PURE_INFO_NULL) return options;
  for (const auto& [key, value] : info_of(by, info)) read_key(by, key, value, options);
  return options;
}

std::size_t size_of(const communicator& comm, const call& by, std::int64_t size) {
  if (size < 0) throw_bad_argument(comm, by, errc::argument, fmt::format("the size {} is negative", size));
  return static_cast<std::size_t>(size);
}

void give_address(void* address, void* to) noexcept { std::memcpy(to, &address, sizeof address); }

/// What the functions that make a window with memory share.
int allocate_part(const call& by, window_flavor flavor, std::int64_t size, int disp_unit, pure_info info,
                  pure_comm comm, void* base, pure_win* win) {
  return c_door(by.operation, [&] {
    communicator& on = communicator_of(by, comm);
    const window& made = make_window(on, by, wish_of([&] {
                                       require(on, by, base, "base");
                                       require(on, by, win, "win");
                                       return window_wish{
                                           .flavor = flavor,
                                           .bytes = size_of(on, by, size),
                                           .unit = disp_unit,
                                           .options = options_of(by, info, flavor == window_flavor::shared)};
                                     }));
    give_address(made.own().base, base);
    *win = static_cast<pure_win>(made.handle());
  });
}

}  // namespace

int pure_win_allocate(std::int64_t size, int disp_unit, pure_info info, pure_comm comm, void* base, pure_win* win,
                      pure_call_site site) {
  return allocate_part({"pure_win_allocate", site}, window_flavor::allocate, size, disp_unit, info, comm, base, win);
}

int pure_win_allocate_shared(std::int64_t size, int disp_unit, pure_info info, pure_comm comm, void* base,
                             pure_win* win, pure_call_site site) {
  return allocate_part({"pure_win_allocate_shared", site}, window_flavor::shared, size, disp_unit, info, comm, base,
                       win);
}

int pure_win_create(void* base, std::int64_t size, int disp_unit, pure_info info, pure_comm comm, pure_win* win,
                    pure_call_site site) {
  const call by{"pure_win_create", site};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    const window& made = make_window(on, by, wish_of([&] {
                                       require(on, by, win, "win");
                                       return window_wish{.flavor = window_flavor::create,
                                                          .bytes = size_of(on, by, size),
                                                          .unit = disp_unit,
                                                          .memory = base,
                                                          .options = options_of(by, info, false)};
                                     }));
    *win = static_cast<pure_win>(made.handle());
  });
}

int pure_win_create_dynamic(pure_info info, pure_comm comm, pure_win* win, pure_call_site site) {
  const call by{"pure_win_create_dynamic", site};
  return c_door([&] {
    communicator& on = communicator_of(by, comm);
    const window& made = make_window(on, by, wish_of([&] {
                                       require(on, by, win, "win");
                                       return window_wish{.flavor = window_flavor::dynamic,
                                                          .options = options_of(by, info, false)};
                                     }));
    *win = static_cast<pure_win>(made.handle());
  });
}

int pure_win_attach(pure_win win, void* base, std::int64_t size, pure_call_site site) {
  const call by{"pure_win_attach", site};
  return c_door([&] {
    window& to = window_of(by, win);
    to.attach(by, base, size_of(to.comm(), by, size));
  });
}

int pure_win_detach(pure_win win, const void* base, pure_call_site site) {
  const call by{"pure_win_detach", site};
  return c_door([&] { window_of(by, win).detach(by, base); });
}

int pure_win_free(pure_win* win, pure_call_site site) {
  const call by{"pure_win_free", site};
  return c_door([&] {
    require_pointer(by, win, "win");
    window& unused = window_of(by, *win);
    unused.require_no_epoch(by);  // while the attributes are there
    int key = 0;
    if (const int result = c_door_state::of(unused.owner()).of_windows.remove_all(*win, key); result != PURE_SUCCESS)
      throw_failed_callback(unused, by, key, result);
    const std::exception_ptr refused = free_window(unused, by);
    *win = PURE_WIN_NULL;
    if (refused != nullptr) std::rethrow_exception(refused);
  });
}

int pure_win_shared_query(pure_win win, int rank, std::int64_t* size, int* disp_unit, void* base, pure_call_site site) {
  const call by{"pure_win_shared_query", site};
  return c_door([&] {
    window& of = window_of(by, win);
    require(of.comm(), by, size, "size");
    require(of.comm(), by, disp_unit, "disp_unit");
    require(of.comm(), by, base, "base");
    if (of.shared().flavor() == window_flavor::dynamic)
      of.throw_wrong(by, errc::rma_flavor, "a dynamic window has no parts that can be asked for");
    if (!of.is_rank(by, rank)) {
      rank = 0;
      while (rank + 1 < of.size() && (of.at(rank).bytes == 0 || !of.is_addressable(rank))) ++rank;
    }
    const window::target& its = of.at(rank);
    const bool is_there = of.is_addressable(rank) && its.ended.load(std::memory_order_relaxed) == part_end::none;
    *size = is_there ? static_cast<std::int64_t>(std::size_t{its.bytes}) : 0;
    *disp_unit = static_cast<int>(its.unit);
    give_address(is_there ? its.base : nullptr, base);
  });
}

int pure_win_get_group(pure_win win, pure_group* group, pure_call_site site) {
  const call by{"pure_win_get_group", site};
  return c_door([&] {
    const window& of = window_of(by, win);
    require(of.comm(), by, group, "group");
    give_group(by, of.comm().shared().members(), group);
  });
}

int pure_win_get_attr(pure_win win, int attribute, void* value, int* flag, pure_call_site site) {
  const call by{"pure_win_get_attr", site};
  return c_door([&] {
    const window& of = window_of(by, win);
    require(of.comm(), by, value, "value");
    require(of.comm(), by, flag, "flag");
    const window::target& own = of.own();
    *flag = 1;
    switch (attribute) {
      case PURE_WIN_BASE: return give_address(own.base, value);
      case PURE_WIN_SIZE:
        *static_cast<std::int64_t*>(value) = static_cast<std::int64_t>(std::size_t{own.bytes});
        return;
      case PURE_WIN_DISP_UNIT: *static_cast<int*>(value) = static_cast<int>(own.unit); return;
      case PURE_WIN_CREATE_FLAVOR: *static_cast<int*>(value) = static_cast<int>(of.shared().flavor()); return;
      case PURE_WIN_MODEL: *static_cast<int*>(value) = PURE_WIN_UNIFIED; return;
      default: break;
    }
    void* const* const attached = c_door_state::of(of.owner()).of_windows.find(win, attribute);
    *flag = attached != nullptr ? 1 : 0;
    if (attached != nullptr) give_address(*attached, value);
  });
}

int pure_win_get_info(pure_win win, pure_info* info, pure_call_site site) {
  const call by{"pure_win_get_info", site};
  return c_door([&] {
    const window& of = window_of(by, win);
    require(of.comm(), by, info, "info");
    const window_options& options = of.shared().options();
    constexpr const char* names_of_pages[] = {"off", "transparent", "reserved"};
    const bool is_refused = !of.shared().refused().empty();
    info_table::entries all{{key_noncontig, options.is_contiguous ? "false" : "true"},
                            {key_alignment, std::to_string(options.alignment)},
                            {key_pages, names_of_pages[is_refused ? 0 : static_cast<int>(options.pages)]},
                            {key_atomics, options.atomics == atomics_by::hardware ? "hardware" : "any_type"},
                            {key_name, of.name()}};
    if (options.promise != same_operations::any)
      all.emplace(key_promise, options.promise == same_operations::same ? "same_op" : "same_op_no_op");
    *info = c_door_state::of(of.owner()).infos.add(std::move(all));
  });
}

int pure_win_set_name(pure_win win, const char* name, pure_call_site site) {
  const call by{"pure_win_set_name", site};
  return c_door([&] {
    window& of = window_of(by, win);
    require(of.comm(), by, name, "name");
    of.rename(name);
  });
}

int pure_win_get_name(pure_win win, const char** name, pure_call_site site) {
  const call by{"pure_win_get_name", site};
  return c_door([&] {
    const window& of = window_of(by, win);
    require(of.comm(), by, name, "name");
    *name = of.name().c_str();
  });
}
