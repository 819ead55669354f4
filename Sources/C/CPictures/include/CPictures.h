// JPEG, PNG and TIFF row by row, by libjpeg, libpng and libtiff. The first two leave a failed call by longjmp, which must not
// cross Swift's frames.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A picture that is being read; rows come from above to below.
typedef struct segue_picture_reader segue_picture_reader;

/// What the rows of a picture are.
typedef struct {
    /// In pixels.
    int width, height;
    /// Bytes per pixel: 1 grey, 3 RGB, 4 RGBA or, if `is_cmyk`, CMYK, in which 0 is all of an ink if it `is_inverted`.
    int channels;
    bool is_cmyk, is_inverted;
    /// Bytes that the library allocates to read all rows, beyond a few rows: coefficients, interlaced rows, strips.
    size_t memory;
} segue_picture_shape;

/// Opens a JPEG, PNG or TIFF file, of which the first picture is read. The descriptor is read by pread(2) and stays open.
///
/// Returns null when memory runs out. After any other failure the reader has an error.
segue_picture_reader *segue_open_jpeg(int descriptor);
segue_picture_reader *segue_open_png(int descriptor);
segue_picture_reader *segue_open_tiff(int descriptor);

/// The shape of the rows; `denominator` (1, 2, 4 or 8) makes a JPEG's so much smaller.
bool segue_picture_begin(segue_picture_reader *reader, int denominator, segue_picture_shape *shape);
/// Reads the next row: `width * channels` bytes. A JPEG that is cut off ends in grey, and has a damage.
bool segue_picture_read_row(segue_picture_reader *reader, uint8_t *row);
/// The embedded ICC profile, owned by the reader; null when there is none.
const uint8_t *segue_picture_profile(segue_picture_reader *reader, size_t *count);
/// What failed; null when nothing did.
const char *segue_picture_error(const segue_picture_reader *reader);
/// Why a part of the rows that were read is missing; null when nothing is.
const char *segue_picture_damage(const segue_picture_reader *reader);
/// Whether the error names a kind of picture that is not read, and the file is not damaged.
bool segue_picture_is_unsupported(const segue_picture_reader *reader);
void segue_picture_close(segue_picture_reader *reader);

/// Encodes rows of 3 (JPEG, PNG) or 4 (PNG) bytes per pixel into the descriptor. Returns false when it cannot be written.
bool segue_write_jpeg(int descriptor, const uint8_t *pixels, int width, int height, int quality);
bool segue_write_png(int descriptor, const uint8_t *pixels, int width, int height, int channels);
