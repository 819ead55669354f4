private import Files
private import Glibc
private import Synchronization

/// Synthesizes texts into WAV files, with espeak-ng or a configured program.
///
/// Blocks, so it is called on a thread of its own.
package struct Speaker: Sendable {
    /// The folder of the files; created when it is missing.
    package var folder: String
    /// The program and its arguments with `{text}`, `{voice}` and `{output}`; empty for espeak-ng.
    package var command: [String]
    /// The voice of texts without one; `nil` for the program's default.
    package var voice: String?
    package var maxTextBytes = 4096
    package var timeLimit: Duration = .seconds(30)
    /// The size of one file.
    package var maxOutputBytes = 64 << 20

    package init(folder: String, command: [String] = [], voice: String? = nil) {
        self.folder = folder
        self.command = command
        self.voice = voice
    }

    /// Synthesizes a text into a new file, which the caller removes.
    ///
    /// The text never reaches a shell, and is never taken for an option. Control characters such as line breaks become
    /// spaces.
    ///
    /// - Parameters:
    ///   - voice: A client's choice; `nil` for the configured one.
    ///   - cancellation: Ends the program from another thread.
    /// - Returns: The file.
    package func speak(
        _ text: String,
        voice asked: String? = nil,
        cancellation: SpeechCancellation = SpeechCancellation()
    ) throws(SpeechError) -> SpeechFile {
        let text = try checked(text)
        let voice = try checked(voice: asked)
        let command = SpeechCommand(command, hasVoice: voice != nil)
        if command.needsVoice, voice == nil { throw .voiceIsNeeded }
        let output = try ScratchFile(in: folder, name: SpeechFile.freshName())
        let path = output.path
        do throws(SpeechError) {
            let input = try ScratchFile(in: folder, name: SpeechFile.freshName())
            try input.hold(command.readsInput ? text + "\n" : "")
            let arguments = command.arguments(text: text, voice: voice ?? "", output: path)
            let run = ProgramRun(
                command: command,
                arguments: arguments,
                input: input,
                output: output,
                timeLimit: timeLimit,
                maxOutputBytes: maxOutputBytes
            )
            try run.finish(cancellation)
        } catch {
            SpeechFile(path: path).remove()
            throw error
        }
        return SpeechFile(path: path)
    }

    /// Removes files that an earlier process left in the folder.
    package func removeLeftovers() {
        for name in (try? fileNames(in: folder)) ?? []
        where name.hasPrefix(SpeechFile.prefix) && name.hasSuffix(SpeechFile.suffix) {
            SpeechFile(path: "\(folder)/\(name)").remove()
        }
    }

    private func checked(_ text: String) throws(SpeechError) -> String {
        guard !text.utf8.contains(0) else { throw .textHasNUL }
        guard text.utf8.count <= maxTextBytes else {
            throw .textIsTooLong(bytes: text.utf8.count, limit: maxTextBytes)
        }
        let blank: Unicode.Scalar = " "
        var plain = String.UnicodeScalarView()
        plain.append(contentsOf: text.unicodeScalars.map { $0.properties.generalCategory == .control ? blank : $0 })
        guard plain.contains(where: { !$0.properties.isWhitespace }) else { throw .emptyText }
        return String(plain)
    }

    /// The voice to use.
    ///
    /// The configured one may be anything, such as a path; a client's must be a name, so that it cannot make the
    /// program read any other file.
    private func checked(voice asked: String?) throws(SpeechError) -> String? {
        guard let asked, asked != voice else { return voice }
        let isName =
            (1...64).contains(asked.utf8.count) && !asked.hasPrefix("-") && !asked.hasPrefix(".")
            && !asked.contains("..")
            && asked.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "+-_.".unicodeScalars.contains($0)
            }
        guard isName else { throw .voiceIsNoName(asked) }
        return asked
    }
}

/// A file with synthesized speech.
package struct SpeechFile: Sendable, Hashable {
    package let path: String

    /// Removes the file, if it still exists.
    package func remove() { unsafe unlink(path) }

    static let prefix = "segue-speech-"
    static let suffix = ".wav"

    /// A name that no other file of any process has.
    static func freshName() -> String {
        let count = counter.add(1, ordering: .relaxed).newValue
        return "\(prefix)\(getpid())-\(count)-\(String(UInt64.random(in: 0 ... .max), radix: 36))\(suffix)"
    }

    private static let counter = Atomic(0)
}
