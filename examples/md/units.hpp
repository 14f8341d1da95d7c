// Units: angstrom, electron volt, femtosecond, kelvin. Masses are in eV fs^2 / angstrom^2, so that force = mass times
// acceleration needs no factor. Constants: CODATA 2018.
#pragma once

namespace md {

inline constexpr double mass_of_amu = 103.642696527;  // 1.66053906660e-27 kg / 1.602176634e-29 kg
inline constexpr double boltzmann_ev_per_k = 8.617333262e-5;

inline constexpr double copper_mass_amu = 63.55;
inline constexpr double copper_lattice_constant = 3.615;

}  // namespace md
