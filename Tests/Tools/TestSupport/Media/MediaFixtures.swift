private import Foundation
private import Glibc

/// Media files made on demand by real encoders, once per run of the tests.
///
/// Signals are mono and are put in all channels. Everything needs `ffmpeg`, MP3 with a constant rate `lame` too.
@MediaWork
package enum MediaFixtures {
    /// How a signal is stored.
    package nonisolated enum Codec: String, CaseIterable, Sendable {
        case wav
        case aiff
        case flac
        /// 24 bits per sample.
        case flac24
        case wavpack
        case tta
        case alac
        /// Made by LAME itself, at a constant rate.
        case mp3
        /// Made by libmp3lame through FFmpeg, with a variable rate.
        case mp3VBR
        /// AAC in MP4 with an edit list and a shortened last `stts` entry.
        case m4a
        /// AAC in MP4 with iTunes's own words for delay and padding, and no edit list.
        case m4aITunes
        /// Raw AAC, which cannot say where it ends.
        case adts
        case opus
        case vorbis

        package var fileExtension: String {
            switch self {
            case .flac24: "flac"
            case .wavpack: "wv"
            case .alac, .m4aITunes: "m4a"
            case .mp3VBR: "mp3"
            case .adts: "aac"
            case .vorbis: "ogg"
            default: rawValue
            }
        }

        /// Whether decoding gives back the very samples (as 16-bit integers).
        package var isLossless: Bool {
            switch self {
            case .wav, .aiff, .flac, .flac24, .wavpack, .tta, .alac: true
            default: false
            }
        }

        /// Whether the file says where its sound begins and ends.
        package var isExact: Bool { self != .adts }

        fileprivate var options: [String] {
            switch self {
            case .wav: ["-c:a", "pcm_s16le"]
            case .aiff: ["-c:a", "pcm_s16be"]
            case .flac: ["-c:a", "flac", "-sample_fmt", "s16"]
            case .flac24: ["-c:a", "flac", "-sample_fmt", "s32", "-bits_per_raw_sample", "24"]
            case .wavpack: ["-c:a", "wavpack"]
            case .tta: ["-c:a", "tta"]
            case .alac: ["-c:a", "alac"]
            case .mp3: []
            case .mp3VBR: ["-c:a", "libmp3lame", "-q:a", "2"]
            case .m4a: ["-c:a", "aac", "-b:a", "192k"]
            case .m4aITunes: ["-c:a", "aac", "-b:a", "192k", "-use_editlist", "0"]
            case .adts: ["-c:a", "aac", "-b:a", "192k", "-f", "adts"]
            case .opus: ["-c:a", "libopus", "-b:a", "160k"]
            case .vorbis: ["-c:a", "libvorbis", "-q:a", "6"]
            }
        }
    }

    /// One continuous signal that was cut into tracks.
    package nonisolated struct Album: Sendable {
        package var tracks: [String]
        /// The tracks' sample rates.
        package var rates: [Int]
        fileprivate var seconds: Double
        /// Where it was cut, in samples at 44.1 kHz: odd multiples of 147, which are whole at 48 kHz too.
        fileprivate var cuts: [Int]

        /// What every channel has from beginning to end, at any rate.
        package func reference(at sampleRate: Int) -> [Float] {
            Signal.chorus(seconds: seconds, sampleRate: sampleRate, seed: 7)
        }

        /// Where it was cut, in samples at 44.1 or 48 kHz or their multiples.
        package func joints(at sampleRate: Int) -> [Int] { cuts.map { $0 * sampleRate / 44_100 } }
    }

    /// What has to be installed.
    package nonisolated static let missing = ChildProcess.missing("ffmpeg", "ffprobe", "lame")

    /// Where a run of several test processes keeps what each of them may use, by this variable of the environment.
    package nonisolated static let sharedFolderVariable = "SEGUE_TEST_FIXTURES"

    private static var folder: TemporaryFolder?
    /// The paths of those that have been made or found.
    private static var made: [String: String] = [:]

    /// Makes a file or folder, unless this process or another one of the same run has made it before.
    ///
    /// Two processes that need one at the same moment both make it, so that none waits for one of lower priority.
    ///
    /// - Parameters:
    ///   - name: Its name, which stands for all that it is made of among those of one source file.
    ///   - user: The source file that it belongs to.
    package static func file(
        _ name: String,
        of user: String = #fileID,
        make: @MediaWork (_ path: String) throws -> Void
    ) throws -> String {
        let name = "\(user.split(separator: ".")[0].replacing("/", with: "-"))/\(name)"
        if let path = made[name] { return path }
        let own = try folder ?? TemporaryFolder()
        folder = own
        let shared = ProcessInfo.processInfo.environment[sharedFolderVariable].map { "\($0)/\(name)" }
        if let shared, FileManager.default.fileExists(atPath: shared) {
            made[name] = shared
            return shared
        }
        var path = own.file(name)
        try makeFolder(of: path)
        try make(path)
        if let shared, try publish(path, as: shared) { path = shared }
        made[name] = path
        return path
    }

    /// Moves something to where other processes look for it, whole.
    ///
    /// - Returns: Whether it is there; another process may have been first.
    private static func publish(_ path: String, as shared: String) throws -> Bool {
        try makeFolder(of: shared)
        // Both are below /tmp. A folder that is there is not replaced, and a file is by its like.
        return unsafe rename(path, shared) == 0
    }

    private static func makeFolder(of path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    // MARK: Files

    /// A file with a signal.
    ///
    /// - Parameter name: What the signal, its rate and the tags are called among the other fixtures.
    package static func audio(
        _ name: String,
        _ codec: Codec,
        sampleRate: Int = 44_100,
        channels: Int = 2,
        tags: [String: String] = [:],
        of user: String = #fileID,
        signal: @Sendable () -> [Float]
    ) throws -> String {
        let name = "\(name)-\(codec.rawValue)-\(sampleRate)-\(channels).\(codec.fileExtension)"
        return try file(name, of: user) { path in
            try encode(signal(), codec, sampleRate: sampleRate, channels: channels, tags: tags, to: path)
        }
    }

    /// Second *k* is a tone of 400 + 25 *k* Hz.
    package static func position(_ codec: Codec, seconds: Int, sampleRate: Int = 44_100) throws -> String {
        try audio("position\(seconds)", codec, sampleRate: sampleRate) {
            Signal.position(seconds: seconds, sampleRate: sampleRate)
        }
    }

    /// The same as a server sends it: MP3 of 24 kB for each second.
    package static func stream(seconds: Int) throws -> String {
        let source = try position(.wav, seconds: seconds)
        return try file("stream\(seconds).mp3") { path in
            try ffmpeg(["-i", source, "-c:a", "libmp3lame", "-b:a", "192k", path])
        }
    }

    /// A chorus cut at odd places into eight tracks.
    ///
    /// - Parameter rates: The sample rates of the tracks, in turn: 44.1 or 48 kHz, or both.
    package static func album(_ codec: Codec, rates: [Int] = [44_100], seconds: Double = 1.2) throws -> Album {
        let length = Int(seconds * 300)
        let cuts = (1..<8).map { 147 * (($0 * length + 7 * $0 % 31) | 1) }
        let frames = 8 * length * 147
        var album = Album(tracks: [], rates: [], seconds: Double(frames) / 44_100, cuts: cuts)
        let ends = [0] + cuts + [frames]
        var references: [Int: [Float]] = [:]
        for index in 0..<8 {
            let rate = rates[index % rates.count]
            let part = ends[index] * rate / 44_100..<ends[index + 1] * rate / 44_100
            let name = "album\(length)x\(rates.count)-\(index + 1)"
            let reference = references[rate] ?? album.reference(at: rate)
            references[rate] = reference
            album.tracks.append(try audio(name, codec, sampleRate: rate) { Array(reference[part]) })
            album.rates.append(rate)
        }
        return album
    }

    /// A video of three seconds with two audio streams: English (default, second *k* at 400 + 25 *k* Hz) and German
    /// (a steady 2,000 Hz).
    ///
    /// - Parameter container: `mkv` or `mp4`.
    package static func video(_ container: String) throws -> String {
        let english = try position(.wav, seconds: 3)
        let german = try audio("tone2000", .wav) { Signal.tone(2000, seconds: 3, sampleRate: 44_100) }
        return try file("video.\(container)") { path in
            try ffmpeg(
                ["-f", "lavfi", "-i", "testsrc2=size=160x120:rate=25:duration=3", "-i", english, "-i", german]
                    + ["-map", "0:v", "-map", "1:a", "-map", "2:a", "-c:v", "mpeg4", "-c:a", "aac", "-b:a", "128k"]
                    + ["-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu"]
                    + ["-disposition:a:0", "default", "-disposition:a:1", "0", path]
            )
        }
    }

    /// A file with tags and an embedded cover picture (16 by 16 pixels, PNG); FLAC, MP3 or M4A.
    ///
    /// - Parameter name: What these tags are called among the other fixtures.
    package static func tagged(
        _ name: String,
        _ codec: Codec,
        tags: [String: String],
        of user: String = #fileID
    ) throws -> String {
        let sound = try position(codec, seconds: 2)
        let picture = try file("cover.png") { path in
            try ffmpeg(["-f", "lavfi", "-i", "color=c=orange:size=16x16:duration=1:rate=1", "-frames:v", "1", path])
        }
        let words = tags.sorted { $0.key < $1.key }.flatMap { ["-metadata", "\($0.key)=\($0.value)"] }
        return try file("\(name)-\(codec.rawValue).\(codec.fileExtension)", of: user) { path in
            try ffmpeg(
                ["-i", sound, "-i", picture, "-map", "0:a", "-map", "1:v", "-c", "copy"]
                    + ["-disposition:v", "attached_pic"] + words + [path]
            )
        }
    }

    /// A file of `seconds` with a chapter per second, called Chapter 1 and so on; `mp4`, `mkv`, `mp3` or `ogg`.
    package static func chapters(_ container: String, seconds: Int = 4) throws -> String {
        let sound = try position(.wav, seconds: seconds)
        let list = try file("chapters\(seconds).txt") { path in
            let chapters = (0..<seconds).map { second in
                """
                [CHAPTER]
                TIMEBASE=1/1000
                START=\(second * 1000)
                END=\(second * 1000 + 1000)
                title=Chapter \(second + 1)

                """
            }
            try write(Array((";FFMETADATA1\n" + chapters.joined()).utf8), to: path)
        }
        return try file("chapters\(seconds).\(container)") { path in
            try ffmpeg(["-i", sound, "-i", list, "-map", "0:a", "-map_metadata", "1", "-map_chapters", "1", path])
        }
    }

    // MARK: Damage

    /// The first part of a file.
    package static func truncated(
        _ path: String,
        keeping share: Double,
        of user: String = #fileID
    ) throws -> String {
        try file("truncated\(share)-\(name(of: path))", of: user) { target in
            let bytes = try read(path)
            try write(Array(bytes.prefix(Int(share * Double(bytes.count)))), to: target)
        }
    }

    /// A file whose middle third has random bytes here and there.
    package static func corrupted(
        _ path: String,
        seed: UInt64 = 1,
        count: Int = 64,
        of user: String = #fileID
    ) throws -> String {
        try file("corrupted\(seed)x\(count)-\(name(of: path))", of: user) { target in
            var bytes = try read(path)
            var generator = SplitMix(state: seed)
            let middle = bytes.count / 3..<max(bytes.count * 2 / 3, bytes.count / 3 + 1)
            for _ in 0..<count {
                bytes[Int.random(in: middle, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            try write(bytes, to: target)
        }
    }

    // MARK: Making them

    /// Runs FFmpeg, which must succeed; the last argument is the file it writes.
    package static func ffmpeg(_ arguments: [String]) throws {
        try ChildProcess.run("ffmpeg", ["-nostdin", "-loglevel", "error", "-y"] + arguments)
    }

    /// What FFmpeg itself decodes from a file's first audio stream, as interleaved 16-bit samples.
    ///
    /// - Parameter sampleRate: What it is resampled to; `nil` leaves its own rate.
    package static func decoded(_ path: String, sampleRate: Int? = nil) throws -> [Int16] {
        let rate = sampleRate.map { ["-ar", String($0)] } ?? []
        let words = ["-nostdin", "-loglevel", "error", "-i", path, "-map", "0:a:0"] + rate + ["-f", "s16le", "-"]
        let bytes = try ChildProcess.run("ffmpeg", words).output
        return (0..<bytes.count / 2).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) }
    }

    private static func encode(
        _ signal: [Float],
        _ codec: Codec,
        sampleRate: Int,
        channels: Int,
        tags: [String: String],
        to path: String
    ) throws {
        let source = "\(path).source.wav"
        try WaveFile.write(signal, channels: channels, sampleRate: sampleRate, to: source)
        defer { try? FileManager.default.removeItem(atPath: source) }
        if codec == .mp3 {
            try ChildProcess.run("lame", ["--quiet", "-b", "192", source, path])
            return
        }
        let words = tags.sorted { $0.key < $1.key }.flatMap { ["-metadata", "\($0.key)=\($0.value)"] }
        try ffmpeg(["-i", source] + codec.options + words + [path])
        if codec == .m4aITunes {
            var file = MP4File(bytes: try read(path))
            // FFmpeg's encoder puts one frame before the sound; what the last frame has too much is padding.
            let packets = (signal.count + 1024 + 1023) / 1024
            file.addGaplessTag(delay: 1024, padding: packets * 1024 - 1024 - signal.count, frames: signal.count)
            try write(file.bytes, to: path)
        }
    }

    private static func name(of path: String) -> String { (path as NSString).lastPathComponent }

    private static func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
