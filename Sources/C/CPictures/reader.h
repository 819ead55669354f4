#pragma once
#include "CPictures.h"
#include <stdio.h>
#include <setjmp.h>
#include <unistd.h>
#include <jpeglib.h>
#include <png.h>

struct segue_picture_reader {
    int descriptor;
    off_t offset;
    jmp_buf failed;
    bool has_failed;
    char error[JMSG_LENGTH_MAX];
    uint8_t *profile;
    size_t profile_size;

    bool is_png;
    // JPEG
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    JOCTET buffer[65536];
    // PNG
    png_structp png;
    png_infop info;
    int passes;
    segue_picture_shape shape;
    // All rows of an interlaced PNG.
    uint8_t *rows;
    size_t row_size;
    int height, next;
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
