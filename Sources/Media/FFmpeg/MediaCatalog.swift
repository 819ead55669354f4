private import CFFmpeg

/// What the loaded FFmpeg can open.
package enum MediaCatalog {
    /// The MIME types that its demuxers name, sorted.
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
        // A demuxer's own.
        if unsafe av_find_input_format("rtsp") != nil { names += ["rtsp", "rtsps"] }
        return names.sorted()
    }
}
