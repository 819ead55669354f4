#include "reader.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/// In bytes: what libtiff may allocate at once, for a strip or for a table of a file.
static const tmsize_t largest = 512 << 20;

/// The file's name for libtiff.
static const char placeholder[] = "file";

static int note_error(TIFF *tiff, void *data, const char *module, const char *format, va_list values) {
    (void)tiff, (void)module;
    segue_picture_reader *reader = data;
    // The first one is the cause.
    if (reader->error[0] != 0) return 1;
    vsnprintf(reader->error, sizeof reader->error, format, values);
    // Most begin with the file's name, which only the caller knows.
    size_t name = strlen(placeholder);
    if (strncmp(reader->error, placeholder, name) == 0 && strncmp(reader->error + name, ": ", 2) == 0)
        memmove(reader->error, reader->error + name + 2, strlen(reader->error + name + 2) + 1);
    return 1;
}

static int ignore_warning(TIFF *tiff, void *data, const char *module, const char *format, va_list values) {
    (void)tiff, (void)data, (void)module, (void)format, (void)values;
    return 1;
}

static bool fail(segue_picture_reader *reader, const char *message) {
    if (reader->error[0] == 0) snprintf(reader->error, sizeof reader->error, "%s", message);
    reader->has_failed = true;
    return false;
}

static bool refuse(segue_picture_reader *reader, const char *message) {
    reader->is_unsupported = true;
    // Not what libtiff says meanwhile.
    reader->error[0] = 0;
    return fail(reader, message);
}

static tmsize_t read_bytes(thandle_t handle, void *bytes, tmsize_t count) {
    segue_picture_reader *reader = handle;
    tmsize_t done = 0;
    while (done < count) {
        size_t got = segue_picture_fill(reader, (char *)bytes + done, (size_t)(count - done));
        if (got == 0) break;
        done += (tmsize_t)got;
    }
    return done;
}

static tmsize_t write_nothing(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle, (void)bytes, (void)count;
    return -1;
}

static toff_t file_size(thandle_t handle) {
    segue_picture_reader *reader = handle;
    off_t size = lseek(reader->descriptor, 0, SEEK_END);
    return size < 0 ? 0 : (toff_t)size;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    segue_picture_reader *reader = handle;
    uint64_t start = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (uint64_t)reader->offset : file_size(handle);
    if (start + offset > INT64_MAX) return (toff_t)-1;
    reader->offset = (off_t)(start + offset);
    return (toff_t)reader->offset;
}

static int close_nothing(thandle_t handle) {
    (void)handle;
    return 0;
}

segue_picture_reader *segue_open_tiff(int descriptor) {
    segue_picture_reader *reader = calloc(1, sizeof *reader);
    TIFFOpenOptions *options = reader == NULL ? NULL : TIFFOpenOptionsAlloc();
    if (options == NULL) {
        free(reader);
        return NULL;
    }
    reader->descriptor = descriptor;
    reader->kind = SEGUE_TIFF;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, largest);
    TIFFOpenOptionsSetErrorHandlerExtR(options, note_error, reader);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_warning, NULL);
    // m: never mapped, since a file that becomes shorter meanwhile would end the process.
    reader->tiff = TIFFClientOpenExt(
        placeholder, "rm", reader, read_bytes, write_nothing, seek, close_nothing, file_size, NULL, NULL, options
    );
    TIFFOpenOptionsFree(options);
    if (reader->tiff == NULL) {
        fail(reader, "its header is wrong");
        return reader;
    }
    const void *version;
    uint32_t count;
    // The picture of a camera's sensor is behind the first one, which is a small preview.
    if (TIFFGetField(reader->tiff, TIFFTAG_DNGVERSION, &version)) refuse(reader, "DNG");
    const void *profile;
    if (TIFFGetField(reader->tiff, TIFFTAG_ICCPROFILE, &count, &profile) && count > 0 && count <= 4 << 20) {
        reader->profile = malloc(count);
        if (reader->profile != NULL) {
            memcpy(reader->profile, profile, count);
            reader->profile_size = count;
        }
    }
    return reader;
}

/// Whether the samples of a pixel lie beside each other and need no conversion, and what they are.
static bool has_plain_samples(segue_picture_reader *reader, segue_picture_shape *shape) {
    TIFF *tiff = reader->tiff;
    uint16_t arrangement, samples, bits, format, model, count, *extra, inks = INKSET_CMYK;
    if (!TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &model)) return false;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &arrangement);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &extra);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_INKSET, &inks);
    if (samples > 1 && arrangement != PLANARCONFIG_CONTIG) return false;
    if ((bits != 8 && bits != 16) || format != SAMPLEFORMAT_UINT) return false;
    uint16_t compression;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (model == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG && samples == 3 && bits == 8) {
        // libjpeg converts, as of any JPEG.
        TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        model = PHOTOMETRIC_RGB;
    }
    reader->sample_bytes = bits / 8;
    shape->channels = samples;
    shape->is_cmyk = model == PHOTOMETRIC_SEPARATED && inks == INKSET_CMYK;
    if (model == PHOTOMETRIC_RGB) return samples == 3 || (samples == 4 && count == 1 && extra[0] == EXTRASAMPLE_UNASSALPHA);
    return shape->is_cmyk ? samples == 4 : model == PHOTOMETRIC_MINISBLACK && samples == 1;
}

bool segue_tiff_begin(segue_picture_reader *reader, segue_picture_shape *shape) {
    if (reader->has_failed) return false;
    if (reader->row_size > 0) {
        *shape = reader->shape;
        return true;
    }
    TIFF *tiff = reader->tiff;
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    if (width == 0 || height == 0 || width > 1 << 20 || height > 1 << 20) return fail(reader, "it has no pixels");
    uint16_t compression;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_COMPRESSION, &compression);
    if (!TIFFIsCODECConfigured(compression)) {
        char message[64];
        snprintf(message, sizeof message, "TIFF's compression %d", compression);
        return refuse(reader, message);
    }
    memset(shape, 0, sizeof *shape);
    shape->width = (int)width;
    shape->height = (int)height;
    reader->is_tiled = TIFFIsTiled(tiff);
    uint32_t rows = height, tile_width = width;
    if (reader->is_tiled) {
        TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
        TIFFGetField(tiff, TIFFTAG_TILELENGTH, &rows);
    } else {
        TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    }
    if (rows == 0 || tile_width == 0) return fail(reader, "its parts have no pixels");
    if (!has_plain_samples(reader, shape)) {
        char message[1024];
        if (!TIFFRGBAImageOK(tiff, message)) {
            snprintf(message, sizeof message, "this kind of TIFF");
            return refuse(reader, message);
        }
        if (!TIFFRGBAImageBegin(&reader->converted, tiff, 1, message)) return fail(reader, message);
        reader->is_converted = true;
        // As it is stored: it is turned when it is small.
        reader->converted.req_orientation = reader->converted.orientation;
        shape->channels = 4;
        shape->is_cmyk = false;
    }
    size_t pixel = (size_t)shape->channels * (reader->is_converted ? 1 : (size_t)reader->sample_bytes);
    reader->row_size = (size_t)width * pixel;
    reader->band_rows = (int)(reader->is_converted || reader->is_tiled ? (rows < height ? rows : height) : 1);
    reader->height = (int)height;
    if (reader->is_tiled) reader->tile_size = (size_t)TIFFTileSize(tiff);
    else reader->tile_size = (size_t)(reader->is_converted ? TIFFStripSize(tiff) : TIFFScanlineSize(tiff));
    if (reader->tile_size == 0) return fail(reader, "its parts have no pixels");
    if (!reader->is_converted) {
        // Rows of tiles are as long as tiles are wide; of strips, as long as the picture is wide.
        size_t expected = reader->is_tiled ? (size_t)tile_width * rows * pixel : reader->row_size;
        if (reader->tile_size < expected) return fail(reader, "its parts are too small");
    }
    shape->memory = reader->row_size * (size_t)reader->band_rows + reader->tile_size;
    reader->shape = *shape;
    return true;
}

/// Reads the rows from `first` on into the band.
static bool read_band(segue_picture_reader *reader, int first) {
    TIFF *tiff = reader->tiff;
    int rows = reader->height - first < reader->band_rows ? reader->height - first : reader->band_rows;
    if (reader->is_converted) {
        reader->converted.row_offset = first;
        uint32_t *raster = (uint32_t *)(void *)reader->rows;
        return TIFFRGBAImageGet(&reader->converted, raster, (uint32_t)reader->shape.width, (uint32_t)rows);
    }
    if (!reader->is_tiled) return TIFFReadScanline(tiff, reader->rows, (uint32_t)first, 0) == 1;
    uint32_t tile_width;
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
    size_t pixel = (size_t)reader->shape.channels * (size_t)reader->sample_bytes;
    for (uint32_t left = 0; left < (uint32_t)reader->shape.width; left += tile_width) {
        uint32_t tile = TIFFComputeTile(tiff, left, (uint32_t)first, 0, 0);
        if (TIFFReadEncodedTile(tiff, tile, reader->tile, (tmsize_t)reader->tile_size) < 0) return false;
        uint32_t across = (uint32_t)reader->shape.width - left;
        if (across > tile_width) across = tile_width;
        for (int row = 0; row < rows; row++)
            memcpy(
                reader->rows + (size_t)row * reader->row_size + left * pixel,
                reader->tile + (size_t)row * tile_width * pixel, across * pixel
            );
    }
    return true;
}

/// The alpha is taken out of the samples again, as libtiff multiplies it into them.
static void divide(const uint8_t *pixels, uint8_t *row, int width) {
    for (int column = 0; column < width; column++) {
        uint32_t abgr;
        memcpy(&abgr, pixels + (size_t)column * 4, 4);
        uint32_t alpha = TIFFGetA(abgr), samples[3] = {TIFFGetR(abgr), TIFFGetG(abgr), TIFFGetB(abgr)};
        for (int channel = 0; channel < 3; channel++) {
            uint32_t sample = samples[channel];
            if (alpha > 0 && alpha < 255) sample = (sample * 255 + alpha / 2) / alpha;
            row[column * 4 + channel] = (uint8_t)(sample > 255 ? 255 : sample);
        }
        row[column * 4 + 3] = (uint8_t)alpha;
    }
}

bool segue_tiff_read_row(segue_picture_reader *reader, uint8_t *row) {
    if (reader->has_failed || reader->next >= reader->height) return false;
    if (reader->rows == NULL) {
        reader->rows = malloc(reader->row_size * (size_t)reader->band_rows + reader->tile_size);
        if (reader->rows == NULL) return fail(reader, "out of memory");
        reader->tile = reader->rows + reader->row_size * (size_t)reader->band_rows;
    }
    int place = reader->next % reader->band_rows;
    if (place == 0) {
        // Earlier messages of libtiff were no failures.
        reader->error[0] = 0;
        if (!read_band(reader, reader->next)) return fail(reader, "it is cut off");
    }
    const uint8_t *samples = reader->rows + (size_t)place * reader->row_size;
    size_t count = (size_t)reader->shape.width * (size_t)reader->shape.channels;
    if (reader->is_converted) {
        divide(samples, row, reader->shape.width);
    } else if (reader->sample_bytes == 1) {
        memcpy(row, samples, count);
    } else {
        for (size_t number = 0; number < count; number++) {
            uint16_t sample;
            memcpy(&sample, samples + 2 * number, 2);
            row[number] = (uint8_t)((sample * 255u + 32767u) / 65535u);
        }
    }
    reader->next++;
    return true;
}

void segue_tiff_close(segue_picture_reader *reader) {
    if (reader->is_converted) TIFFRGBAImageEnd(&reader->converted);
    if (reader->tiff != NULL) TIFFClose(reader->tiff);
    free(reader->rows);
}
