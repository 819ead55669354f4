private import Foundation
private import Glibc

/// What servers of tests serve, beyond single files: made on demand by real encoders.
///
/// Second *k* is a tone of 400 + 25 *k* Hz unless told otherwise.
@MediaWork
package enum NetworkMaterial {
    // MARK: Segments

    /// How a stream is cut into files.
    package nonisolated enum Segments: String, CaseIterable, Sendable {
        case ts
        case fmp4
        /// MPEG-TS, encrypted with AES-128.
        case encrypted
        case dash

        /// The file to open.
        package var index: String { self == .dash ? "index.mpd" : "index.m3u8" }
    }

    /// A folder with a stream in segments and its index.
    ///
    /// - Parameter sampleRate: Of the AAC; another one is another encoding, with timestamps of its own.
    package static func segments(
        _ form: Segments,
        seconds: Int,
        segment: Int = 2,
        sampleRate: Int = 48_000
    ) throws -> String {
        let source = try MediaFixtures.position(.wav, seconds: seconds, sampleRate: sampleRate)
        return try MediaFixtures.file("segments-\(form.rawValue)-\(seconds)x\(segment)-\(sampleRate)") { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let encoder = ["-i", source, "-c:a", "aac", "-b:a", "128k"]
            let length = ["-hls_time", "\(segment)", "-hls_list_size", "0", "-hls_playlist_type", "vod"]
            let names = ["-hls_segment_filename", "\(folder)/%d.\(form == .fmp4 ? "m4s" : "ts")"]
            let form: [String] =
                switch form {
                case .ts: ["-f", "hls"] + length + names
                case .fmp4: ["-f", "hls", "-hls_segment_type", "fmp4"] + length + names
                case .encrypted:
                    ["-f", "hls", "-hls_key_info_file", try writeKey(in: folder)] + length + names
                case .dash:
                    ["-f", "dash", "-seg_duration", "\(segment)", "-init_seg_name", "init.mp4"]
                        + ["-media_seg_name", "$Number$.m4s"]
                }
            let index = form.contains("dash") ? "index.mpd" : "index.m3u8"
            try MediaFixtures.ffmpeg(encoder + form + ["\(folder)/\(index)"])
        }
    }

    /// A master playlist over the same stream at several bit rates, each in a folder of its name.
    package static func variants(_ kilobits: [Int], seconds: Int, segment: Int = 2) throws -> String {
        let source = try MediaFixtures.position(.wav, seconds: seconds, sampleRate: 48_000)
        let name = kilobits.map(String.init).joined(separator: "-")
        return try MediaFixtures.file("variants-\(name)-\(seconds)x\(segment)") { folder in
            var lines = ["#EXTM3U"]
            for rate in kilobits {
                let place = "\(folder)/\(rate)"
                try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
                try MediaFixtures.ffmpeg(
                    ["-i", source, "-c:a", "aac", "-b:a", "\(rate)k", "-f", "hls", "-hls_time", "\(segment)"]
                        + ["-hls_list_size", "0", "-hls_playlist_type", "vod"]
                        + ["-hls_segment_filename", "\(place)/%d.ts", "\(place)/index.m3u8"]
                )
                lines.append("#EXT-X-STREAM-INF:BANDWIDTH=\(rate * 1100),CODECS=\"mp4a.40.2\"")
                lines.append("\(rate)/index.m3u8")
            }
            try FileBytes.write(Array((lines.joined(separator: "\n") + "\n").utf8), to: "\(folder)/index.m3u8")
        }
    }

    private static func writeKey(in folder: String) throws -> String {
        try FileBytes.write((0..<16).map { UInt8($0 * 11) }, to: "\(folder)/key.bin")
        let path = "\(folder)/key.info"
        try FileBytes.write(Array("key.bin\n\(folder)/key.bin\n".utf8), to: path)
        return path
    }

    // MARK: Hours

    /// Files of hours: a minute again and again, whose second *k* is a tone of 400 + 25 *k* Hz.
    ///
    /// Their first third has noise in it and takes several times the bits of the rest, so a place in time is no place in
    /// bytes.
    package nonisolated enum Hours: String, CaseIterable, Sendable {
        case mp3
        /// Without the table of places that encoders write into the first frame.
        case mp3WithoutIndex
        case opus

        fileprivate var suffix: String { self == .opus ? "opus" : "mp3" }
    }

    /// A file of so many hours.
    ///
    /// It is made in seconds of encoded minutes, and kept for other processes in a folder of the user's.
    package static func hours(_ form: Hours, _ hours: Int = 3) throws -> String {
        let shared = "/tmp/segue-material-\(getuid())"
        // What the file is made of, besides its form: to be raised when that changes.
        let recipe = 1
        let target = "\(shared)/hours\(hours)-\(form.rawValue)-\(recipe).\(form.suffix)"
        let manager = FileManager.default
        if manager.isReadableFile(atPath: target) { return target }
        try manager.createDirectory(atPath: shared, withIntermediateDirectories: true)
        let folder = try TemporaryFolder()
        let (dense, plain) = ("dense.\(form.suffix)", "plain.\(form.suffix)")
        try encodeMinutes(form, noise: 0.1, to: folder.file(dense))
        try encodeMinutes(form, noise: 0, to: folder.file(plain))
        // Opus's packets begin 6.5 ms before their minute.
        let part = form == .opus ? "inpoint 59.995\noutpoint 119.99\nduration 60" : "inpoint 60\noutpoint 120"
        let minutes = (0..<hours * 60).map { $0 < hours * 20 ? dense : plain }
        let list = try folder.write("list", minutes.map { "file '\($0)'\n\(part)\n" }.joined())
        let made = folder.file("made.\(form.suffix)")
        let index = form == .mp3WithoutIndex ? ["-write_xing", "0", "-id3v2_version", "0"] : []
        try MediaFixtures.ffmpeg(["-f", "concat", "-i", list, "-c", "copy"] + index + [made])
        // In the folder at once or not at all.
        let staged = "\(target).\(getpid())"
        try manager.copyItem(atPath: made, toPath: staged)
        guard unsafe rename(staged, target) == 0 else { throw ChildProcessError.cannotStart(target, errno) }
        return target
    }

    /// Three minutes, of which the middle one is as if there were minutes like it before and after.
    private static func encodeMinutes(_ form: Hours, noise: Float, to path: String) throws {
        let minute = Signal.position(seconds: 60, sampleRate: 48_000, amplitude: 0.4)
        let hiss = Signal.noise(frames: minute.count, amplitude: noise)
        let signal = zip(minute, hiss).map { $0 + $1 }
        let source = "\(path).wav"
        try WaveFile.write(signal + signal + signal, channels: 1, sampleRate: 48_000, to: source)
        let codec =
            form == .opus
            ? ["-c:a", "libopus", "-b:a", "64k"] : ["-c:a", "libmp3lame", "-q:a", "5", "-reservoir", "0"]
        try MediaFixtures.ffmpeg(["-i", source] + codec + [path])
    }

    // MARK: Radio

    /// What a station sends: minutes of seconds, at a constant rate, again and again.
    package nonisolated enum Radio: String, CaseIterable, Sendable {
        case mp3
        case aac
        case opus
        case vorbis
        /// In Ogg.
        case flac

        /// Whether titles are sent beside the sound; Ogg has them in it.
        package var hasTitles: Bool { self == .mp3 || self == .aac }
    }

    /// - Parameter titles: Of the parts of the programme, of which each begins with its tags: for Ogg.
    package static func radio(
        _ form: Radio,
        seconds: Int = 60,
        kilobits: Int = 128,
        titles: [String] = []
    ) throws -> IcecastSource.Programme {
        let source = try MediaFixtures.position(.wav, seconds: seconds, sampleRate: 48_000)
        let (codec, suffix, type) =
            switch form {
            case .mp3: (["-c:a", "libmp3lame", "-write_xing", "0"], "mp3", "audio/mpeg")
            case .aac: (["-c:a", "aac", "-f", "adts"], "aac", "audio/aac")
            case .opus: (["-c:a", "libopus", "-vbr", "off"], "opus", "audio/ogg")
            case .vorbis: (["-c:a", "libvorbis"], "ogg", "audio/ogg")
            case .flac: (["-c:a", "flac", "-f", "ogg"], "oga", "audio/ogg")
            }
        let rate = ["-b:a", "\(kilobits)k"]
        var bytes: [UInt8] = []
        let parts = max(1, titles.count)
        for part in 0..<parts {
            let title = titles.isEmpty ? form.rawValue : titles[part]
            let name = title.utf8.map { String($0, radix: 16) }.joined()
            let file = try MediaFixtures.file("radio\(kilobits)-\(seconds)-\(part)of\(parts)-\(name).\(suffix)") {
                path in
                let range = ["-ss", "\(seconds * part / parts)", "-t", "\(seconds / parts)"]
                try MediaFixtures.ffmpeg(range + ["-i", source, "-metadata", "title=\(title)"] + codec + rate + [path])
            }
            bytes += try FileBytes.read(file)
        }
        return IcecastSource.Programme(bytes, seconds: Double(seconds), type: type)
    }
}
