#pragma once
#include <libavutil/frame.h>
#include <libswscale/swscale.h>

/// Converts a whole frame. Returns the number of rows.
static inline int segue_scale_frame(
    struct SwsContext *context, const AVFrame *frame, uint8_t *const *results, const int *strides
) {
    return sws_scale(context, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, results, strides);
}
