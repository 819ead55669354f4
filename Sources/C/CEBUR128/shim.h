#include <ebur128.h>

/// Modes as numbers: the combined ones are cases of an enumeration that Swift imports without arithmetic.
static const int segue_ebur128_mode = EBUR128_MODE_M | EBUR128_MODE_TRUE_PEAK;

/// A channel that is heard from two speakers.
static const int segue_ebur128_dual_mono = EBUR128_DUAL_MONO;
static const int segue_ebur128_unused = EBUR128_UNUSED;
/// A channel of weight 1, in front.
static const int segue_ebur128_front = EBUR128_Mp030;
/// A channel of weight 1.41 (ITU-R BS.1770-4, table 3), at the side or behind.
static const int segue_ebur128_surround = EBUR128_Mp110;
