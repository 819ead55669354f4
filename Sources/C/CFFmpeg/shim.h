// The parts of FFmpeg that Swift cannot import (macros, inline unions) or that differ between its versions 5.1 to 7.x.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/aes.h>
#include <libavutil/base64.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <math.h>
#include <string.h>

static const int segue_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int segue_AVERROR_EOF = AVERROR_EOF;
static const int segue_AVERROR_EXIT = AVERROR_EXIT;
static const int segue_AVERROR_INVALIDDATA = AVERROR_INVALIDDATA;
static const int segue_AVERROR_ENOMEM = AVERROR(ENOMEM);
static const int segue_AVERROR_DECODER_NOT_FOUND = AVERROR_DECODER_NOT_FOUND;
static const int64_t segue_AV_NOPTS_VALUE = AV_NOPTS_VALUE;
static const int segue_AVERROR_PATCHWELCOME = AVERROR_PATCHWELCOME;
static const int segue_AVERROR_PROTOCOL_NOT_FOUND = AVERROR_PROTOCOL_NOT_FOUND;
static const int segue_AVERROR_SEEK = AVERROR(ESPIPE);
static const int segue_AVERROR_MUXER_NOT_FOUND = AVERROR_MUXER_NOT_FOUND;
static const int segue_AVERROR_ENCODER_NOT_FOUND = AVERROR_ENCODER_NOT_FOUND;

/// libavformat's own `AVFormatContext.io_open`, for the requested medium only; a demuxer's other opens are refused.
static inline int segue_open_asked_only(
    AVFormatContext *context, AVIOContext **pb, const char *url, int flags, AVDictionary **options
) {
    int (*open)(AVFormatContext *, AVIOContext **, const char *, int, AVDictionary **) = NULL;
    if (context->pb || !context->opaque || !context->url || strcmp(url, context->url) != 0) return AVERROR(EPERM);
    memcpy(&open, &context->opaque, sizeof open);
    return open(context, pb, url, flags, options);
}
/// Keeps demuxers from opening media other than the context's own. Uses the context's `opaque`.
static inline void segue_forbid_nested_opens(AVFormatContext *context) {
    memcpy(&context->opaque, &context->io_open, sizeof context->opaque);
    context->io_open = segue_open_asked_only;
}

/// The mask of a layout in native order, else 0.
static inline uint64_t segue_layout_mask(const AVChannelLayout *layout) {
    return layout->order == AV_CHANNEL_ORDER_NATIVE ? layout->u.mask : 0;
}

/// A layout from a mask, or of `count` channels without positions when `mask` is 0. It owns nothing.
static inline AVChannelLayout segue_layout(uint64_t mask, int count) {
    AVChannelLayout layout = {0};
    if (mask == 0 || av_channel_layout_from_mask(&layout, mask) < 0) {
        layout.order = AV_CHANNEL_ORDER_UNSPEC;
        layout.nb_channels = count;
    }
    return layout;
}

/// One plane of a frame's samples: one per channel when planar, else only plane 0.
static inline const uint8_t *segue_frame_plane(const AVFrame *frame, int plane) { return frame->extended_data[plane]; }

/// `AVStream.codecpar`'s exact sample depth, 0 when the codec does not keep samples.
static inline int segue_exact_bits(const AVCodecParameters *parameters) {
    if (parameters->bits_per_raw_sample > 0) return parameters->bits_per_raw_sample;
    return av_get_exact_bits_per_sample(parameters->codec_id);
}

/// The formats that an encoder accepts, as terminated lists; null when it accepts all. `AVCodec`'s own fields are
/// deprecated from 7.1 on, where avcodec_get_supported_config was added.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
static inline const void *segue_supported(const AVCodec *codec, enum AVCodecConfig config) {
    const void *list = NULL;
    return avcodec_get_supported_config(NULL, codec, config, 0, &list, NULL) < 0 ? NULL : list;
}
static inline const enum AVSampleFormat *segue_sample_formats(const AVCodec *codec) {
    return (const enum AVSampleFormat *)segue_supported(codec, AV_CODEC_CONFIG_SAMPLE_FORMAT);
}
static inline const int *segue_sample_rates(const AVCodec *codec) {
    return (const int *)segue_supported(codec, AV_CODEC_CONFIG_SAMPLE_RATE);
}
static inline const AVChannelLayout *segue_channel_layouts(const AVCodec *codec) {
    return (const AVChannelLayout *)segue_supported(codec, AV_CODEC_CONFIG_CHANNEL_LAYOUT);
}
#else
static inline const enum AVSampleFormat *segue_sample_formats(const AVCodec *codec) { return codec->sample_fmts; }
static inline const int *segue_sample_rates(const AVCodec *codec) { return codec->supported_samplerates; }
static inline const AVChannelLayout *segue_channel_layouts(const AVCodec *codec) { return codec->ch_layouts; }
#endif

/// Whether a frame's lines are of two moments.
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
static inline int segue_is_interlaced(const AVFrame *frame) { return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0; }
#else
static inline int segue_is_interlaced(const AVFrame *frame) { return frame->interlaced_frame; }
#endif

/// How a film's frames are turned when they are shown, in degrees counter-clockwise; NaN when they are not.
static inline double segue_display_rotation(const AVStream *stream) {
#if LIBAVFORMAT_VERSION_INT >= AV_VERSION_INT(60, 15, 100)
    const AVPacketSideData *data = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX
    );
    if (data == NULL || data->size < 36) return NAN;
    return av_display_rotation_get((const int32_t *)(const void *)data->data);
#else
    size_t size = 0;
    const uint8_t *data = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    if (data == NULL || size < 36) return NAN;
    return av_display_rotation_get((const int32_t *)(const void *)data);
#endif
}

/// The bytes from one row of a frame's plane to the next; negative for rows from below to above.
static inline int segue_frame_stride(const AVFrame *frame, int plane) { return frame->linesize[plane]; }
