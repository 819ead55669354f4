private import Foundation
private import Glibc

/// A playback device of ALSA without hardware: a plugin that plays in real time into a file, runs dry as cards do, can be
/// opened once at a time, and can be unplugged.
package final class FakeSoundCard: Sendable {
    /// Why there can be none here; `nil` when there can.
    package static let missing: String? = {
        // A plugin that does not compile is a mistake, not a reason to skip tests.
        (try? ChildProcess.run("pkg-config", ["--exists", "alsa"])) == nil ? "libasound2-dev is missing" : nil
    }()

    /// The plugin and the configuration that names it, made once.
    private static let library = Result {
        let folder = try TemporaryFolder()
        let (source, library) = (try folder.write("card.c", FakeSoundCard.code), folder.file("libcard.so"))
        try ChildProcess.run(
            "cc",
            ["-O1", "-Wall", "-shared", "-fPIC", "-o", library, source, "-lasound", "-lpthread"]
        )
        let arguments = """
            @args [ FOLDER RATES FORMATS BUFFER ]
            @args.FOLDER { type string }
            @args.RATES { type string default "44100 48000 88200 96000" }
            @args.FORMATS { type string default "S16_LE S32_LE" }
            @args.BUFFER { type integer default 4194304 }
            """
        let card = "type faketest folder $FOLDER rates $RATES formats $FORMATS buffer $BUFFER"
        try folder.write(
            "asound.conf",
            """
            pcm_type.faketest { lib "\(library)" }
            ctl_type.faketest { lib "\(library)" }
            ctl.card { \(arguments)
                type faketest
                folder $FOLDER
            }
            pcm.card { \(arguments)
                \(card)
            }
            pcm.plugged { \(arguments)
                type plug
                slave.pcm { \(card) }
            }
            pcm.null { type null }
            pcm.tofile { @args [ FILE ]
                @args.FILE { type string }
                type file
                format "raw"
                file $FILE
                slave.pcm "null"
            }
            """
        )
        // For what this process plays itself; libasound reads it at its first use.
        unsafe setenv("ALSA_CONFIG_PATH", folder.file("asound.conf"), 1)
        return folder
    }

    /// What programs need to find the card.
    package static var environment: [String: String] {
        get throws { ["ALSA_CONFIG_PATH": try library.get().file("asound.conf")] }
    }

    package let folder: TemporaryFolder
    /// What ALSA calls it.
    package let device: String

    /// - Parameters:
    ///   - rates: The rates that it takes.
    ///   - formats: ALSA's names of the sample formats that it takes.
    ///   - buffer: Bytes that it holds at most.
    ///   - kind: `card`, or `plugged` for one behind ALSA's converting plugin.
    package init(
        rates: String = "44100 48000 88200 96000",
        formats: String = "S16_LE S32_LE",
        buffer: Int = 1 << 22,
        kind: String = "card"
    ) throws {
        _ = try Self.library.get()
        folder = try TemporaryFolder()
        device = "\(kind):FOLDER=\(folder.path),RATES='\(rates)',FORMATS='\(formats)',BUFFER=\(buffer)"
    }

    /// The device that passes what is played on to a file, at once.
    package static func file(_ path: String) throws -> String {
        _ = try library.get()
        return "tofile:FILE='\(path)'"
    }

    /// What was heard, in the format that was played; the times between are left out.
    package var heard: [UInt8] { (try? [UInt8](Data(contentsOf: URL(filePath: folder.file("heard"))))) ?? [] }

    /// What was heard, as samples of 16 bits.
    package var samples: [Int16] {
        let bytes = heard
        return (0..<bytes.count / 2).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) }
    }

    /// What its mixer's control, `Digital`, was set to: a step of 60, each of a decibel; `nil` before.
    package var volume: Int? {
        (try? String(contentsOfFile: folder.file("volume"), encoding: .utf8)).flatMap { Int($0) }
    }

    /// Something that happened to it.
    package struct Event: Sendable, Hashable {
        /// On the monotonic clock, in seconds.
        package let time: Double
        package let name: String
        /// Bytes heard by then.
        package let heard: Int
        package let more: String
    }

    package var events: [Event] {
        let text = (try? String(contentsOfFile: folder.file("log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
            guard words.count > 3, let time = Double(words[0]), let heard = Int(words[2]) else { return nil }
            return Event(time: time / 1e9, name: String(words[1]), heard: heard, more: String(words[3]))
        }
    }

    package func events(named name: String) -> [Event] { events.filter { $0.name == name } }

    /// Takes it away, as if it had been unplugged.
    package func unplug() throws { try folder.write("gone", "") }

    package func plugIn() { unsafe unlink(folder.file("gone")) }
}
