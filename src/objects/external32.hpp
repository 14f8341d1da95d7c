// "external32", the representation of data that all MPIs read (MPI 5.0, 14.5.2): big endian, IEEE, without gaps, with
// sizes of its own. Pure functions; any thread.
#pragma once

#include <cstddef>

#include "objects/type_signature.hpp"

namespace pure::core::external32 {

/// Of data with that signature.
[[nodiscard]] std::size_t bytes_of(const type_signature& signature);
/// `native`: the bytes of data with that signature in a row, as a message has them. Integers that do not fit are cut.
void from_native(const type_signature& signature, const std::byte* native, std::byte* external);
void to_native(const type_signature& signature, const std::byte* external, std::byte* native);

}  // namespace pure::core::external32
