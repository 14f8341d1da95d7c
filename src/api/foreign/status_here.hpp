// The fields of a status, as the interface has them. Only entry.hpp includes this.
#pragma once

namespace pure::foreign {

/// MPICH's, whose numbers of bytes have two parts.
template <class Status>
concept split_status = requires(Status status) {
  status.count_lo;
};

template <class Status>
void get_hidden(const Status& from, message_status& to) {
  if constexpr (split_status<Status>) {
    const auto high = static_cast<std::uint32_t>(from.count_hi_and_cancelled);
    set_bytes(to,
              static_cast<std::int64_t>(std::uint64_t{high >> 1} << 32 | static_cast<std::uint32_t>(from.count_lo)));
    to.cancelled = static_cast<int>(high & 1);
  } else {
    set_bytes(to, static_cast<std::int64_t>(from._ucount));
    to.cancelled = from._cancelled;
  }
}
template <class Status>
void put_hidden(const message_status& from, Status& to) {
  const auto bytes = static_cast<std::uint64_t>(bytes_in(from));
  if constexpr (split_status<Status>) {
    to.count_lo = static_cast<int>(static_cast<std::uint32_t>(bytes));
    to.count_hi_and_cancelled = static_cast<int>(static_cast<std::uint32_t>(bytes >> 32) << 1 |
                                                 (from.cancelled != 0 ? 1U : 0U));
  } else {
    to._ucount = bytes;
    to._cancelled = from.cancelled;
  }
}

inline void get(const MPI_Status& from, message_status& to) {
  to.source = source_in(from.MPI_SOURCE);
  to.tag = tag_in(from.MPI_TAG);
  to.error = code_in(from.MPI_ERROR);
  get_hidden(from, to);
}
/// All but the error.
inline void put(const message_status& from, MPI_Status& to) {
  to.MPI_SOURCE = source_out(from.source);
  to.MPI_TAG = tag_out(from.tag);
  put_hidden(from, to);
}

}  // namespace pure::foreign
