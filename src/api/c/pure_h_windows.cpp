// pure.h, windows (pure/windows.h): how they are made, and what they are.
#include "api/c/window.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "objects/known_info.hpp"
#include "window/create.hpp"

using pure::errc;
using namespace pure::core;

namespace {

window_options options_of(const call& by, pure_info info, bool is_contiguous) {
  return window_options_of(by, info == PURE_INFO_NULL ? info_object() : info_of(by, info), is_contiguous);
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
  return c_call(site, comm, [&](communicator& on, const call& by) {
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
  return c_call(site, comm, [&](communicator& on, const call& by) {
    const window& made = make_window(on, by, wish_of([&] {
                                       require(on, by, win, "win");
                                       return window_wish{.flavor = window_flavor::dynamic,
                                                          .options = options_of(by, info, false)};
                                     }));
    *win = static_cast<pure_win>(made.handle());
  });
}

int pure_win_attach(pure_win win, void* base, std::int64_t size, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    window& to = window_of(by, win);
    to.attach(by, base, size_of(to.comm(), by, size));
  });
}

int pure_win_detach(pure_win win, const void* base, pure_call_site site) {
  return c_call(site, [&](const call& by) { window_of(by, win).detach(by, base); });
}

int pure_win_free(pure_win* win, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    require_pointer(by, win, "win");
    window& unused = window_of(by, *win);
    unused.require_no_epoch(by);  // while the attributes are there
    int key = 0;
    if (const int result = rank_objects::of(unused.owner()).of_windows.remove_all(unused.handle(), key);
        result != PURE_SUCCESS)
      throw_failed_callback(unused, by, key, result);
    const std::exception_ptr refused = free_window(unused, by);
    *win = PURE_WIN_NULL;
    if (refused != nullptr) std::rethrow_exception(refused);
  });
}

int pure_win_shared_query(pure_win win, int rank, std::int64_t* size, int* disp_unit, void* base, pure_call_site site) {
  return c_call(site, [&](const call& by) {
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
  return c_call(site, [&](const call& by) {
    const window& of = window_of(by, win);
    require(of.comm(), by, group, "group");
    give_group(by, of.comm().shared().members(), group);
  });
}

int pure_win_get_attr(pure_win win, int attribute, void* value, int* flag, pure_call_site site) {
  return c_call(site, [&](const call& by) {
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
    void* const* const attached = rank_objects::of(of.owner()).of_windows.find(of.handle(), attribute);
    *flag = attached != nullptr ? 1 : 0;
    if (attached != nullptr) give_address(*attached, value);
  });
}

int pure_win_get_info(pure_win win, pure_info* info, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const window& of = window_of(by, win);
    require(of.comm(), by, info, "info");
    give_info(by, info_of(of), info);
  });
}

int pure_win_set_name(pure_win win, const char* name, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    window& of = window_of(by, win);
    require(of.comm(), by, name, "name");
    of.rename(name);
  });
}

int pure_win_get_name(pure_win win, const char** name, pure_call_site site) {
  return c_call(site, [&](const call& by) {
    const window& of = window_of(by, win);
    require(of.comm(), by, name, "name");
    *name = of.name().c_str();
  });
}
