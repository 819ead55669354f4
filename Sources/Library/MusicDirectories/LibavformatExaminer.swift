package import AudioTypes
internal import FFmpeg
internal import Files
internal import Glibc
internal import HTTP
internal import LibAV
internal import LibraryScan
package import MediaHeaders
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
        file.width = video.width ?? file.width
        file.height = video.height ?? file.height
        file.duration = file.duration ?? info.duration?.seconds
        file.codec = file.codec ?? video.codec
        file.captured = info.tags["creation_time"].flatMap(secondsOfISO8601) ?? file.captured
    }
}

extension MediaError.Reason {
    /// Whether the system said no; of damaged files libavformat says some of its errors, too, as EIO.
    fileprivate var maySettle: Bool {
        guard case .inaccessible(let error) = self else { return false }
        return [EACCES, EPERM, ENOENT, EMFILE, ENFILE, ENOMEM, ESTALE].contains(-error.code)
    }
}

/// `2024-05-17T18:30:00.000000Z` as seconds since 1970; fractions are left out.
private func secondsOfISO8601(_ text: String) -> Int64? {
    let parts = text.utf8.split { !(0x30...0x39).contains($0) }.prefix(6).compactMap {
        Int64(String(decoding: $0, as: UTF8.self))
    }
    guard parts.count == 6, (1970...9999).contains(parts[0]), (1...12).contains(parts[1]), (1...31).contains(parts[2])
    else { return nil }
    // Days from civil date (Howard Hinnant's algorithm): years begin in March.
    let year = parts[1] > 2 ? parts[0] : parts[0] - 1
    let month = (parts[1] + 9) % 12
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + parts[2] - 1 - 719_468
    return days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
}
