internal import CFFmpeg
internal import FFmpegValues
internal import PictureValues

/// An open medium, read by libavformat through a ``FilmSource``.
@safe
final class FilmContainer {
    let format: UnsafeMutablePointer<AVFormatContext>
    private let isTimed: Bool
    /// libavformat reads through it without owning it.
    private let input: FilmInput

    /// - Parameter isTimed: Whether its moving pictures are to be shown in time with its sound.
    init(_ source: FilmSource, isTimed: Bool = false) throws {
        self.isTimed = isTimed
        av_log_set_level(AV_LOG_QUIET)
        input = try FilmInput(source)
        var context: UnsafeMutablePointer<AVFormatContext>? = unsafe try FFmpegError.unwrap(
            avformat_alloc_context(),
            "cannot open"
        )
        if let context = unsafe context { unsafe segue_forbid_nested_opens(context) }
        unsafe context?.pointee.pb = input.context
        // Frees the context when it fails.
        try FFmpegError.check(unsafe avformat_open_input(&context, "", nil, nil), "cannot open")
        unsafe format = try FFmpegError.unwrap(context, "cannot open")
        unsafe format.pointee.probesize = 2 << 20
    }

    deinit {
        var format: UnsafeMutablePointer<AVFormatContext>? = unsafe format
        unsafe avformat_close_input(&format)
    }

    private var streams: [UnsafeMutablePointer<AVStream>] {
        unsafe (0..<Int(unsafe format.pointee.nb_streams)).compactMap { unsafe format.pointee.streams[$0] }
    }

    private func isCover(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        unsafe stream.pointee.disposition & AV_DISPOSITION_ATTACHED_PIC != 0
    }

    private func isVideo(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && !isCover(stream)
    }

    /// The bytes of the front cover, else of the first.
    ///
    /// - Parameter ofFilms: Whether also a medium with moving pictures has one.
    func cover(ofFilms: Bool) -> [UInt8]? {
        let covers = unsafe streams.filter { unsafe isCover($0) }
        guard let first = unsafe covers.first, unsafe ofFilms || !streams.contains(where: { unsafe isVideo($0) }) else {
            return nil
        }
        let front = unsafe covers.first { stream in
            // ID3v2's names of the kinds of pictures, which FFmpeg uses for all formats.
            guard let kind = unsafe av_dict_get(stream.pointee.metadata, "comment", nil, 0) else { return false }
            return unsafe String(cString: kind.pointee.value) == "Cover (front)"
        }
        let packet = unsafe (front ?? first).pointee.attached_pic
        guard let data = unsafe packet.data, unsafe packet.size > 0 else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: data, count: Int(packet.size)))
    }

    /// A stream with moving pictures, the only one that is read from now on.
    ///
    /// - Parameter index: The stream's; `nil` for the one that is best.
    func film(_ index: Int?) throws -> UnsafeMutablePointer<AVStream> {
        // Only pictures are to be known, and when the sound begins.
        if !isTimed { unsafe discard { unsafe !isVideo($0) } }
        if unsafe isTimed || !streams.contains(where: { unsafe isVideo($0) && isComplete($0) }) {
            try FFmpegError.check(unsafe avformat_find_stream_info(format, nil), "cannot read")
        }
        let streams = unsafe streams
        let shown = unsafe index ?? Int(av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0))
        guard unsafe streams.indices.contains(shown), unsafe index == nil || isVideo(streams[shown]) else {
            throw PictureError.noVideo
        }
        let film = unsafe streams[shown]
        unsafe discard { unsafe $0 != film }
        return unsafe film
    }

    /// When a film begins by the container's clock, in seconds: with its sound, if they are shown in time with each other.
    func origin(of film: UnsafeMutablePointer<AVStream>) -> Double {
        let sound = isTimed ? unsafe av_find_best_stream(format, AVMEDIA_TYPE_AUDIO, -1, -1, nil, 0) : -1
        let timed = sound >= 0 ? unsafe format.pointee.streams[Int(sound)] ?? film : unsafe film
        guard unsafe timed.pointee.start_time != segue_AV_NOPTS_VALUE else { return 0 }
        return unsafe Double(timed.pointee.start_time) * av_q2d(timed.pointee.time_base)
    }

    /// Has libavformat skip the packets of some streams.
    private func discard(_ isLeftOut: (UnsafeMutablePointer<AVStream>) -> Bool) {
        for index in 0..<Int(unsafe format.pointee.nb_streams) {
            guard let stream = unsafe format.pointee.streams[index], unsafe isLeftOut(stream) else { continue }
            unsafe stream.pointee.discard = AVDISCARD_ALL
        }
    }

    /// Whether the container says all that decoding needs, so that no frame has to be decoded to find out.
    private func isComplete(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
        let parameters = unsafe stream.pointee.codecpar.pointee
        return unsafe parameters.width > 0 && parameters.height > 0 && parameters.extradata_size > 0
            && (stream.pointee.duration > 0 || format.pointee.duration > 0)
    }
}
