package import AudioTypes
internal import FFmpegValues
internal import Files
internal import Glibc
internal import HTTP
internal import LibraryScan
internal import MediaCoding
package import MediaHeaders
internal import PictureValues
internal import Playlists
internal import Songs
internal import Threads

/// Looks with libavformat into what its headers alone do not explain: odd files, videos, rare formats.
package struct LibavformatExaminer: MediaExaminer {
    private let patience: Double
    private let stop = Interrupt()

    /// - Parameter patience: How long a file may take, in seconds.
    package init(patience: Double = FileProbe.patience) { self.patience = patience }

    package func breakOff() { stop.raise() }

    package func examine(_ path: FilePath, into file: inout ScannedFile) {
        guard let info = info(path, &file) else { return }
        let video = info.streams.first { $0.kind == .video }
        guard let audio = info.audioStreams.first else {
            guard let video, file.kind == .video else {
                file.problem = "has nothing to be heard or seen"
                return
            }
            file.hasSound = false
            describe(video, info, &file)
            return
        }
        if file.kind == .video, video == nil { file.kind = .audio }
        file.format = songFormat(audio, container: info.container)
        if let video { describe(video, info, &file) }
        file.codec = audio.codec
        file.duration = info.duration?.seconds
        file.isExactlyTimed = info.hasExactEnd
        file.bitRate = info.bitRate
        file.chapters = info.chapters
        if file.replayGain == ReplayGain() { file.replayGain = info.replayGain }
        if info.streams.contains(where: { $0.kind == .cover }) { file.cover = .embedded }
        // Of several values libavformat gives the first one, or all as one.
        guard file.tags.isEmpty, let source = try? Descriptor(path, .reading) else { return }
        let comments = info.storedComments(in: source)
        file.tags = TagReader.libraryTags(comments)
        if let sheet = comments.last(where: { $0.0.lowercased() == "cuesheet" }) { file.cueSheet = sheet.1 }
    }

    package func addChapters(_ path: FilePath, to file: inout ScannedFile) {
        var other = file
        if let info = info(path, &other) { file.chapters = info.chapters }
    }

    private func info(_ path: FilePath, _ file: inout ScannedFile) -> MediaInfo? {
        do {
            return try FileProbe.info(path, within: patience, stop: stop)
        } catch let error as MediaError {
            file.problem = error.reason.description
            file.isUnread = error.reason.maySettle
        } catch is FileProbe.OutOfTime {
            file.problem = "takes too long to be understood"
        } catch {
            file.problem = "cannot be read: \(error)"
        }
        return nil
    }

    private func describe(_ video: StreamInfo, _ info: MediaInfo, _ file: inout ScannedFile) {
        // Where libavformat says nothing, what the headers said stays.
        if let size = video.squareSize { (file.width, file.height) = (size.width, size.height) }
        if video.video.rotation != 0 {
            file.orientation = PictureOrientation(clockwise: Double(video.video.rotation)).rawValue
        }
        file.duration = file.duration ?? info.duration?.seconds
        file.codec = file.codec ?? video.codec
        file.captured = info.captured.flatMap { CaptureDate($0) } ?? file.captured
        file.subtypes = MediaSubtypes(frameRate: video.video.frameRate, captureRate: info.captureRate)
        file.contentIdentifier = info.contentIdentifier.flatMap { ContentIdentifier($0) }
    }
}

extension MediaError.Reason {
    /// Whether the system said no; of damaged files libavformat says some of its errors, too, as EIO.
    fileprivate var maySettle: Bool {
        guard case .inaccessible(let error) = self else { return false }
        return [EACCES, EPERM, ENOENT, EMFILE, ENFILE, ENOMEM, ESTALE].contains(-error.code)
    }
}
