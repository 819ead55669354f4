private import CFFmpeg

private let isSilent: Void = av_log_set_level(AV_LOG_QUIET)

/// Silences FFmpeg's own log messages, which would garble a terminal; errors are returned anyway.
///
/// Called before anything of FFmpeg is opened, for reading or for writing.
package func silenceFFmpeg() { isSilent }
