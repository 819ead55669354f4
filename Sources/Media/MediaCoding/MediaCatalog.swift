internal import AudioTypes
private import CFFmpeg

/// The formats and protocols that the loaded FFmpeg can open.
package enum MediaCatalog {
    /// The MIME types of its demuxers, sorted.
    package static var mimeTypes: [String] {
        var types: Set<String> = []
        var state: UnsafeMutableRawPointer?
        while let demuxer = unsafe av_demuxer_iterate(&state) {
            guard let list = unsafe demuxer.pointee.mime_type else { continue }
            for type in unsafe String(cString: list).split(separator: ",") where type.contains("/") {
                types.insert(String(type))
            }
        }
        return types.sorted()
    }

    /// The protocols that it can read from, such as `https`, sorted.
    package static var protocols: [String] {
        var names: [String] = []
        var state: UnsafeMutableRawPointer?
        while let name = unsafe avio_enum_protocols(&state, 0) { unsafe names.append(String(cString: name)) }
        // Demuxers with protocols of their own.
        if unsafe av_find_input_format("rtsp") != nil { names += ["rtsp", "rtsps"] }
        return names.sorted()
    }

    /// The demuxers allowed for an entry, for libavformat's `format_whitelist`: those that read only the bytes of one
    /// medium.
    ///
    /// RTSP and RTP URLs are for demuxers that open connections themselves.
    static func demuxers(for entry: MediaEntry) -> String {
        switch StreamScheme(of: entry.location)?.name {
        case "rtsp", "rtsps", "rtp", "srtp": plainDemuxers + ",rtsp,rtp,sdp"
        default: plainDemuxers
        }
    }

    private static let plainDemuxers: String = {
        var names: [String] = []
        var state: UnsafeMutableRawPointer?
        while let demuxer = unsafe av_demuxer_iterate(&state) {
            let name = unsafe String(cString: demuxer.pointee.name)
            // Demuxers without a file are devices, or patterns of file names.
            let hasFile = unsafe demuxer.pointee.flags & AVFMT_NOFILE == 0
            if hasFile, !opensOthers.contains(name) { names.append(name) }
        }
        return names.joined(separator: ",")
    }()

    /// Demuxers of lists, scripts and manifests, and of media in several files.
    private static let opensOthers: Set<String> = [
        "applehttp", "avisynth", "concat", "dash", "hls", "image2", "image2pipe", "imf", "lavfi", "mlv", "rtp", "rtsp",
        "sap", "sdp", "tee", "vapoursynth", "vobsub", "webm_dash_manifest",
    ]
}
