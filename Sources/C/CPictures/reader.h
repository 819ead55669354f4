#pragma once
#include "CPictures.h"
#include <stdio.h>
#include <setjmp.h>
#include <unistd.h>
#include <jpeglib.h>
#include <png.h>
#include <tiffio.h>

struct segue_picture_reader {
    int descriptor;
    off_t offset;
    jmp_buf failed;
    bool has_failed;
    char error[JMSG_LENGTH_MAX];
    uint8_t *profile;
    size_t profile_size;

    enum { SEGUE_JPEG, SEGUE_PNG, SEGUE_TIFF } kind;
    // JPEG
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    JOCTET buffer[65536];
    bool is_at_end;
    const char *damage;
    // PNG
    png_structp png;
    png_infop info;
    int passes;
    segue_picture_shape shape;
    // All rows of an interlaced PNG; those of a TIFF's strip or row of tiles.
    uint8_t *rows;
    size_t row_size;
    int height, next;
    // TIFF
    bool is_unsupported;
    TIFF *tiff;
    // Where libtiff converts samples into RGBA.
    TIFFRGBAImage converted;
    bool is_converted, is_tiled;
    int sample_bytes, band_rows;
    uint8_t *tile;
    size_t tile_size;
};

/// pread(2) of the next bytes; 0 at the end or after a failure.
size_t segue_picture_fill(segue_picture_reader *reader, void *bytes, size_t count);
bool segue_write_all(int descriptor, const void *bytes, size_t count);

bool segue_jpeg_begin(segue_picture_reader *reader, int denominator, segue_picture_shape *shape);
bool segue_jpeg_read_row(segue_picture_reader *reader, uint8_t *row);
void segue_jpeg_close(segue_picture_reader *reader);
bool segue_png_begin(segue_picture_reader *reader, segue_picture_shape *shape);
bool segue_png_read_row(segue_picture_reader *reader, uint8_t *row);
void segue_png_close(segue_picture_reader *reader);
bool segue_tiff_begin(segue_picture_reader *reader, segue_picture_shape *shape);
bool segue_tiff_read_row(segue_picture_reader *reader, uint8_t *row);
void segue_tiff_close(segue_picture_reader *reader);
