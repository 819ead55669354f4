#include "reader.h"
#include <errno.h>
#include <stdlib.h>

size_t segue_picture_fill(segue_picture_reader *reader, void *bytes, size_t count) {
    for (;;) {
        ssize_t got = pread(reader->descriptor, bytes, count, reader->offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        reader->offset += got;
        return (size_t)got;
    }
}

bool segue_write_all(int descriptor, const void *bytes, size_t count) {
    const char *place = bytes;
    while (count > 0) {
        ssize_t written = write(descriptor, place, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        place += written;
        count -= (size_t)written;
    }
    return true;
}

const char *segue_picture_error(const segue_picture_reader *reader) { return reader->has_failed ? reader->error : NULL; }

const uint8_t *segue_picture_profile(segue_picture_reader *reader, size_t *count) {
    *count = reader->profile_size;
    return reader->profile;
}

const char *segue_picture_damage(const segue_picture_reader *reader) { return reader->damage; }

bool segue_picture_is_unsupported(const segue_picture_reader *reader) { return reader->is_unsupported; }

bool segue_picture_begin(segue_picture_reader *reader, int denominator, segue_picture_shape *shape) {
    switch (reader->kind) {
    case SEGUE_JPEG: return segue_jpeg_begin(reader, denominator, shape);
    case SEGUE_PNG: return segue_png_begin(reader, shape);
    case SEGUE_TIFF: return segue_tiff_begin(reader, shape);
    }
    return false;
}

bool segue_picture_read_row(segue_picture_reader *reader, uint8_t *row) {
    switch (reader->kind) {
    case SEGUE_JPEG: return segue_jpeg_read_row(reader, row);
    case SEGUE_PNG: return segue_png_read_row(reader, row);
    case SEGUE_TIFF: return segue_tiff_read_row(reader, row);
    }
    return false;
}

void segue_picture_close(segue_picture_reader *reader) {
    switch (reader->kind) {
    case SEGUE_JPEG: segue_jpeg_close(reader); break;
    case SEGUE_PNG: segue_png_close(reader); break;
    case SEGUE_TIFF: segue_tiff_close(reader); break;
    }
    free(reader->profile);
    free(reader);
}
