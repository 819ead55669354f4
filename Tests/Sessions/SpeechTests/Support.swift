import Foundation
import Glibc
import Speech
import Testing

/// A folder of the test's own, removed at the end.
struct Scratch: ~Copyable {
    let path: String
    /// Where speech goes; it is not there at first.
    var speech: String { path + "/speech" }

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "segue-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        try wav.write(to: url.appending(path: "sound.wav"))
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// One that speaks by a shell script, which finds `sound.wav` in the folder `$here`.
    ///
    /// The script is read, not started: a file that was just written may still be open in the child of another test.
    func speaker(_ script: String, _ arguments: String...) throws -> Speaker {
        let file = path + "/say"
        try Data("here='\(path)'\n\(script)\n".utf8).write(to: URL(filePath: file))
        return Speaker(folder: speech, command: ["/bin/sh", file] + arguments)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }

    /// What is in the folder for speech.
    var spoken: [String] { (try? FileManager.default.contentsOfDirectory(atPath: speech)) ?? [] }

    /// Waits until a script has written a file whole: with a line break at its end.
    func waitForLine(_ name: String) throws -> String {
        for _ in 0..<10_000 {
            if let text = try? text(name), text.hasSuffix("\n") { return String(text.dropLast()) }
            usleep(1_000)
        }
        throw NotWritten(name: name)
    }

    struct NotWritten: Error { let name: String }
}

/// Eight samples.
let wav = Data(
    Array("RIFF".utf8) + [52, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0, 0x44, 0xac, 0, 0]
        + [0x88, 0x58, 1, 0, 2, 0, 16, 0] + Array("data".utf8) + [16, 0, 0, 0] + Array(repeating: 1, count: 16)
)

/// Waits until a process is no more, or is only waited for.
func waitUntilGone(_ id: pid_t) -> Bool {
    for _ in 0..<10_000 {
        guard let status = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8) else { return true }
        if status.split(separator: ")").last?.hasPrefix(" Z") == true { return true }
        usleep(1_000)
    }
    return false
}

/// Texts that mean harm, or are merely unusual; one line each when they are spoken.
let hostileTexts = [
    "It's \"five\" o'clock", "$(touch pwned) `touch pwned`; touch pwned & | > pwned", "-w /tmp/pwned", "--help", "-",
    "- dash and blank", "{output} {text} {voice}", "%s %n \\n \\", "'; exit 1; '", "*", "~root", "שלום עולם",
    "مرحبا بالعالم",
    "\u{202e}backwards\u{202c}", "The bell 🔔 rang 👩‍👩‍👧‍👦", "Zürich, naïve, 東京", "<speak>mark</speak>", "[[h@'loU]]",
    String(repeating: "long ", count: 819),
]
