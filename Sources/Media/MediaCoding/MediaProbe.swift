package import AudioTypes
internal import CFFmpeg
package import Charsets
internal import FFmpegValues
private import Glibc
internal import HTTP
internal import MediaHeaders
internal import Playlists
package import Threads

/// Examines the contents of a medium.
package enum MediaProbe {
    /// Opens a medium and describes its contents, whether or not it can be played.
    ///
    /// - Parameter charset: Of tags that declare none; `nil` to judge by them.
    /// - Throws: `MediaError`; `FFmpegError` when it was interrupted.
    package static func probe(
        _ location: String,
        charset: Charset? = nil,
        interrupt: Interrupt = Interrupt()
    ) throws -> MediaInfo {
        let entry = MediaEntry(location: location)
        do {
            var context = StreamContext()
            context.options.charsets.everywhere = charset
            let reader = try MediaReader.open(entry, interrupt: interrupt, stream: context)
            return reader.info
        } catch let error as MediaError where error.reason == .noAudio && !entry.isPipe {
            return try open(entry, interrupt: interrupt, trimsByEditList: true).info()
        }
    }

    /// Describes a medium as `probe` does; of a file's video, also what only its frames say.
    ///
    /// - Parameter charset: Of tags that declare none; `nil` to judge by them.
    /// - Throws: `MediaError`; `FFmpegError` when it was interrupted.
    package static func describe(
        _ location: String,
        charset: Charset? = nil,
        interrupt: Interrupt = Interrupt()
    ) throws -> MediaInfo {
        var info = try probe(location, charset: charset, interrupt: interrupt)
        let entry = MediaEntry(location: location)
        if info.container == "mp3", !info.hasExactEnd, let path = entry.filePath,
            let duration = RandomAccessFile(path: path)?.measuredDuration(interrupt)
        {
            info.duration = duration
        }
        guard info.videoStream != nil, entry.filePath != nil, !entry.isPipe,
            let demuxer = try? open(entry, interrupt: interrupt, trimsByEditList: true, examinesVideo: true)
        else { return info }
        let whole = demuxer.info()
        for (place, stream) in info.streams.enumerated() where stream.kind == .video {
            info.streams[place] = whole.streams.first { $0.index == stream.index } ?? stream
        }
        guard let place = info.streams.firstIndex(where: { $0.kind == .video }) else { return info }
        // MP4's own index says it of all frames.
        if !info.streams[place].video.isVariable, let rate = demuxer.variableRate(of: info.streams[place].index) {
            (info.streams[place].video.frameRate, info.streams[place].video.isVariable) = (rate, true)
        }
        return info
    }

    /// Opens a medium, reporting the system's own error if that prevents it.
    static func open(
        _ entry: MediaEntry,
        interrupt: Interrupt,
        trimsByEditList: Bool,
        examinesVideo: Bool = false,
        source: PacketReader.Source? = nil,
        http: HTTPOptions = HTTPOptions(),
        readsSubtitles: Bool = false,
        allowsSilence: Bool = false
    ) throws -> Demuxer {
        func failure(_ reason: MediaError.Reason) -> MediaError { MediaError(location: entry.location, reason: reason) }
        if let path = entry.filePath {
            var status = stat()
            guard unsafe stat(path.cString, &status) == 0 else {
                throw failure(.inaccessible(FFmpegError(code: -errno, operation: "cannot open")))
            }
            if status.st_mode & S_IFMT == S_IFDIR { throw failure(.isDirectory) }
            if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 { throw failure(.isEmpty) }
        }
        do throws(FFmpegError) {
            return try Demuxer.open(
                entry,
                interrupt: interrupt,
                trimsByEditList: trimsByEditList,
                examinesVideo: examinesVideo,
                source: source,
                http: http,
                readsSubtitles: readsSubtitles,
                allowsSilence: allowsSilence
            )
        } catch {
            if let failure = source?.input.failure { throw failure }
            if error.isInterruption { throw error }
            if error.code == segue_AVERROR_PROTOCOL_NOT_FOUND { throw failure(.missingProtocol) }
            if error.code == segue_AVERROR_PATCHWELCOME { throw failure(.unsupported) }
            // Demuxers also return EINVAL for invalid data.
            let isNonsense = error.isInvalidData || error.code == segue_AVERROR_EOF || error.code == -EINVAL
            if isNonsense, entry.isManifestInFile { throw failure(.manifestInFile) }
            if isNonsense, entry.isMovieCutOff { throw failure(.isCutOff) }
            throw failure(isNonsense ? .notMedia(error) : .inaccessible(error))
        }
    }
}

extension MediaEntry {
    /// Whether it is a file of MP4 without its index.
    fileprivate var isMovieCutOff: Bool {
        guard let path = filePath else { return false }
        let file = unsafe open(path.cString, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        var reader = HeaderReader()
        return reader.isMovieCutOff(file, size: Int(status.st_size))
    }

    /// Whether a file starts like an HLS or DASH manifest.
    fileprivate var isManifestInFile: Bool {
        guard let path = filePath, let file = RandomAccessFile(path: path) else { return false }
        var bytes: [UInt8] = Array(repeating: 0, count: min(file.size, 1_024))
        guard file.read(into: &bytes, count: bytes.count, at: 0) == bytes.count else { return false }
        return ContentKind(of: bytes, named: location) == .mediaManifest || bytes.isManifestOfDASH
    }
}
