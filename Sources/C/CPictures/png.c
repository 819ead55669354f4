#include "reader.h"
#include <stdlib.h>
#include <string.h>

static void fail(png_structp png, png_const_charp message) {
    segue_picture_reader *reader = png_get_error_ptr(png);
    reader->has_failed = true;
    snprintf(reader->error, sizeof reader->error, "%s", message);
    longjmp(reader->failed, 1);
}

static void ignore_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void read_bytes(png_structp png, png_bytep bytes, size_t count) {
    segue_picture_reader *reader = png_get_io_ptr(png);
    while (count > 0) {
        size_t got = segue_picture_fill(reader, bytes, count);
        if (got == 0) png_error(png, "it is cut off");
        bytes += got;
        count -= got;
    }
}

segue_picture_reader *segue_open_png(int descriptor) {
    segue_picture_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->descriptor = descriptor;
    reader->kind = SEGUE_PNG;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, fail, ignore_warning);
    if (reader->png == NULL || (reader->info = png_create_info_struct(reader->png)) == NULL) {
        segue_picture_close(reader);
        return NULL;
    }
    if (setjmp(reader->failed) != 0) return reader;
    png_set_read_fn(reader->png, reader, read_bytes);
    // Text and the like may be as large as the file; nothing of it is wanted.
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_AS_DEFAULT, (png_const_bytep) "iCCP\0tRNS", 2);
    png_set_chunk_cache_max(reader->png, 16);
    png_set_chunk_malloc_max(reader->png, 8 << 20);
    png_set_user_limits(reader->png, 1 << 20, 1 << 20);
    png_read_info(reader->png, reader->info);
    return reader;
}

bool segue_png_begin(segue_picture_reader *reader, segue_picture_shape *shape) {
    if (reader->has_failed || setjmp(reader->failed) != 0) return false;
    png_structp png = reader->png;
    if (reader->row_size > 0) {
        *shape = reader->shape;
        return true;
    }
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_packing(png);
    bool is_grey = png_get_color_type(png, reader->info) == PNG_COLOR_TYPE_GRAY;
    if (!is_grey || png_get_valid(png, reader->info, PNG_INFO_tRNS)) png_set_gray_to_rgb(png);
    reader->passes = png_set_interlace_handling(png);
    png_read_update_info(png, reader->info);
    png_charp name;
    int kind;
    png_bytep profile;
    png_uint_32 count;
    if (png_get_iCCP(png, reader->info, &name, &kind, &profile, &count)) {
        reader->profile = malloc(count);
        if (reader->profile != NULL) {
            memcpy(reader->profile, profile, count);
            reader->profile_size = count;
        }
    }
    shape->width = (int)png_get_image_width(png, reader->info);
    shape->height = (int)png_get_image_height(png, reader->info);
    shape->channels = png_get_channels(png, reader->info);
    shape->is_cmyk = shape->is_inverted = false;
    reader->row_size = png_get_rowbytes(png, reader->info);
    reader->height = shape->height;
    shape->memory = reader->passes > 1 ? reader->row_size * (size_t)reader->height : 0;
    reader->shape = *shape;
    return true;
}

bool segue_png_read_row(segue_picture_reader *reader, uint8_t *row) {
    if (reader->has_failed || setjmp(reader->failed) != 0) return false;
    if (reader->next >= reader->height) return false;
    if (reader->passes > 1) {
        if (reader->rows == NULL) {
            reader->rows = calloc((size_t)reader->height, reader->row_size);
            if (reader->rows == NULL) png_error(reader->png, "out of memory");
            for (int pass = 0; pass < reader->passes; pass++)
                for (int line = 0; line < reader->height; line++)
                    png_read_row(reader->png, reader->rows + (size_t)line * reader->row_size, NULL);
        }
        memcpy(row, reader->rows + (size_t)reader->next * reader->row_size, reader->row_size);
    } else {
        png_read_row(reader->png, row, NULL);
    }
    reader->next++;
    return true;
}

void segue_png_close(segue_picture_reader *reader) {
    if (reader->png != NULL) png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader->rows);
}

static void fail_writing(png_structp png, png_const_charp message) {
    (void)message;
    longjmp(*(jmp_buf *)png_get_error_ptr(png), 1);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    if (!segue_write_all(*(int *)png_get_io_ptr(png), bytes, count)) png_error(png, "it cannot be written");
}

static void flush(png_structp png) { (void)png; }

bool segue_write_png(int descriptor, const uint8_t *pixels, int width, int height, int channels) {
    jmp_buf failed;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failed, fail_writing, ignore_warning);
    png_infop info = png == NULL ? NULL : png_create_info_struct(png);
    if (info == NULL) {
        png_destroy_write_struct(&png, NULL);
        return false;
    }
    volatile bool is_done = false;
    if (setjmp(failed) == 0) {
        png_set_write_fn(png, &descriptor, write_bytes, flush);
        png_set_IHDR(
            png, info, (png_uint_32)width, (png_uint_32)height, 8, channels == 4 ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB,
            PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT
        );
        png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
        png_write_info(png, info);
        for (int row = 0; row < height; row++) png_write_row(png, pixels + (size_t)row * (size_t)width * (size_t)channels);
        png_write_end(png, info);
        is_done = true;
    }
    png_destroy_write_struct(&png, &info);
    return is_done;
}
