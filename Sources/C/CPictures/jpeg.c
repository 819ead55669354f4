#include "reader.h"
#include <jerror.h>
#include <stdlib.h>
#include <string.h>

static void fail(j_common_ptr common) {
    segue_picture_reader *reader = common->client_data;
    reader->has_failed = true;
    common->err->format_message(common, reader->error);
    longjmp(reader->failed, 1);
}

static void ignore_message(j_common_ptr common) { (void)common; }

/// Keeps what says that a part of the picture is missing; warnings of other kinds cost no pixels.
static void note_warning(j_common_ptr common, int level) {
    segue_picture_reader *reader = common->client_data;
    if (level >= 0 || reader->damage != NULL) return;
    switch (common->err->msg_code) {
    case JWRN_HIT_MARKER: reader->damage = reader->is_at_end ? "it is cut off" : "some of its data is missing"; break;
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC: reader->damage = "some of its data is wrong"; break;
    }
}

static void begin_source(j_decompress_ptr jpeg) { (void)jpeg; }

static boolean fill(j_decompress_ptr jpeg) {
    segue_picture_reader *reader = jpeg->client_data;
    size_t count = segue_picture_fill(reader, reader->buffer, sizeof reader->buffer);
    if (count == 0) {
        // An end that is missing: the rest is grey.
        reader->is_at_end = true;
        reader->buffer[0] = 0xff;
        reader->buffer[1] = JPEG_EOI;
        count = 2;
    }
    reader->source.next_input_byte = reader->buffer;
    reader->source.bytes_in_buffer = count;
    return TRUE;
}

static void skip(j_decompress_ptr jpeg, long count) {
    struct jpeg_source_mgr *source = jpeg->src;
    if (count <= 0) return;
    if ((size_t)count <= source->bytes_in_buffer) {
        source->next_input_byte += count;
        source->bytes_in_buffer -= (size_t)count;
        return;
    }
    segue_picture_reader *reader = jpeg->client_data;
    reader->offset += count - (long)source->bytes_in_buffer;
    source->bytes_in_buffer = 0;
}

segue_picture_reader *segue_open_jpeg(int descriptor) {
    segue_picture_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->descriptor = descriptor;
    reader->jpeg.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = fail;
    reader->errors.emit_message = note_warning;
    reader->errors.output_message = ignore_message;
    reader->jpeg.client_data = reader;
    if (setjmp(reader->failed) != 0) return reader;
    jpeg_create_decompress(&reader->jpeg);
    reader->source.init_source = begin_source;
    reader->source.fill_input_buffer = fill;
    reader->source.skip_input_data = skip;
    reader->source.resync_to_restart = jpeg_resync_to_restart;
    reader->source.term_source = begin_source;
    reader->jpeg.src = &reader->source;
    // ICC profiles, and Adobe's colour transform.
    jpeg_save_markers(&reader->jpeg, JPEG_APP0 + 2, 0xffff);
    jpeg_read_header(&reader->jpeg, TRUE);
    JOCTET *profile = NULL;
    unsigned count = 0;
    if (jpeg_read_icc_profile(&reader->jpeg, &profile, &count)) {
        reader->profile = profile;
        reader->profile_size = count;
    }
    return reader;
}

bool segue_jpeg_begin(segue_picture_reader *reader, int denominator, segue_picture_shape *shape) {
    if (reader->has_failed || setjmp(reader->failed) != 0) return false;
    struct jpeg_decompress_struct *jpeg = &reader->jpeg;
    jpeg->scale_num = 1;
    jpeg->scale_denom = (unsigned)denominator;
    jpeg->dct_method = JDCT_ISLOW;
    // Chroma that is blended before it is averaged costs time and shows nothing.
    jpeg->do_fancy_upsampling = denominator == 1;
    bool is_cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    if (is_cmyk) jpeg->out_color_space = JCS_CMYK;
    else if (jpeg->jpeg_color_space != JCS_GRAYSCALE) jpeg->out_color_space = JCS_RGB;
    jpeg_calc_output_dimensions(jpeg);
    shape->width = (int)jpeg->output_width;
    shape->height = (int)jpeg->output_height;
    shape->channels = jpeg->output_components;
    shape->is_cmyk = is_cmyk;
    // What Adobe's programs write.
    shape->is_inverted = is_cmyk && jpeg->saw_Adobe_marker;
    shape->memory = 0;
    if (jpeg_has_multiple_scans(jpeg))
        for (int number = 0; number < jpeg->num_components; number++) {
            // As allocated before width_in_blocks is known: two bytes per coefficient.
            size_t across = (size_t)jpeg->image_width * (size_t)jpeg->comp_info[number].h_samp_factor / (size_t)jpeg->max_h_samp_factor;
            size_t down = (size_t)jpeg->image_height * (size_t)jpeg->comp_info[number].v_samp_factor / (size_t)jpeg->max_v_samp_factor;
            shape->memory += (across + 8) * (down + 8) * 2;
        }
    return true;
}

/// Whether bits of any coefficient are missing, which scans of a progressive picture refine one after another.
static bool lacks_detail(struct jpeg_decompress_struct *jpeg) {
    if (!jpeg_has_multiple_scans(jpeg)) return false;
    if (!jpeg->progressive_mode || jpeg->coef_bits == NULL) return true;
    for (int number = 0; number < jpeg->num_components; number++)
        for (int bit = 0; bit < DCTSIZE2; bit++)
            if (jpeg->coef_bits[number][bit] != 0) return true;
    return false;
}

bool segue_jpeg_read_row(segue_picture_reader *reader, uint8_t *row) {
    if (reader->has_failed || setjmp(reader->failed) != 0) return false;
    if (reader->next == 0) {
        jpeg_start_decompress(&reader->jpeg);
        // All scans are read by now; a file that ends before the last ones lacks detail.
        if (reader->is_at_end && lacks_detail(&reader->jpeg) && reader->damage == NULL)
            reader->damage = "it is cut off";
    }
    reader->next = 1;
    JSAMPROW rows[1] = {row};
    return jpeg_read_scanlines(&reader->jpeg, rows, 1) == 1;
}

void segue_jpeg_close(segue_picture_reader *reader) { jpeg_destroy_decompress(&reader->jpeg); }

struct writer {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf failed;
};

static void fail_writing(j_common_ptr common) {
    struct writer *writer = common->client_data;
    longjmp(writer->failed, 1);
}

bool segue_write_jpeg(int descriptor, const uint8_t *pixels, int width, int height, int quality) {
    unsigned char *bytes = NULL;
    unsigned long count = 0;
    struct writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL) return false;
    writer->jpeg.err = jpeg_std_error(&writer->errors);
    writer->errors.error_exit = fail_writing;
    writer->errors.output_message = ignore_message;
    writer->jpeg.client_data = writer;
    volatile bool is_done = false;
    if (setjmp(writer->failed) == 0) {
        jpeg_create_compress(&writer->jpeg);
        jpeg_mem_dest(&writer->jpeg, &bytes, &count);
        writer->jpeg.image_width = (JDIMENSION)width;
        writer->jpeg.image_height = (JDIMENSION)height;
        writer->jpeg.input_components = 3;
        writer->jpeg.in_color_space = JCS_RGB;
        jpeg_set_defaults(&writer->jpeg);
        jpeg_set_quality(&writer->jpeg, quality, TRUE);
        writer->jpeg.optimize_coding = TRUE;
        jpeg_start_compress(&writer->jpeg, TRUE);
        for (int row = 0; row < height; row++) {
            JSAMPROW rows[1] = {(JSAMPROW)(pixels + (size_t)row * (size_t)width * 3)};
            jpeg_write_scanlines(&writer->jpeg, rows, 1);
        }
        jpeg_finish_compress(&writer->jpeg);
        is_done = true;
    }
    jpeg_destroy_compress(&writer->jpeg);
    bool is_written = is_done && segue_write_all(descriptor, bytes, count);
    // Until it is done, libjpeg may have freed what this pointed at first.
    if (is_done) free(bytes);
    free(writer);
    return is_written;
}
