private import Glibc
private import Synchronization

/// Speaks texts into WAV files, by espeak-ng or a program of the owner's choice.
///
/// It blocks, so it is called from a thread of its own.
package struct Speaker: Sendable {
    /// Where the files go; it is made when it is missing.
    package var folder: String
    /// The program and its arguments with `{text}`, `{voice}` and `{output}`; empty for espeak-ng.
    package var command: [String]
    /// The voice of texts that ask for none; `nil` for the program's own choice.
    package var voice: String?
    package var maxTextBytes = 4096
    package var timeLimit: Duration = .seconds(30)
    /// Of a file.
    package var maxOutputBytes = 64 << 20

    package init(folder: String, command: [String] = [], voice: String? = nil) {
        self.folder = folder
        self.command = command
        self.voice = voice
    }

    /// Speaks a text into a new file, which is the caller's to remove.
    ///
    /// The text never meets a shell, and is never an option. Line breaks and other control characters are blanks in it.
    ///
    /// - Parameters:
    ///   - voice: What a client asked for; `nil` for the configured one.
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
        let output = try ScratchFile.make(in: folder, name: SpeechFile.freshName())
        let path = output.path
        do throws(SpeechError) {
            let input = try ScratchFile.make(in: folder, name: SpeechFile.freshName())
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

    /// Removes what an earlier process left in the folder.
    package func removeLeftovers() {
        guard let listing = unsafe opendir(folder) else { return }
        defer { unsafe closedir(listing) }
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(SpeechFile.prefix), name.hasSuffix(SpeechFile.suffix) {
                SpeechFile(path: "\(folder)/\(name)").remove()
            }
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

    /// The voice to speak with.
    ///
    /// The configured one may be anything, such as a path; a client's is a name, so that nothing is read because of it
    /// that the owner did not mean.
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

/// A file with a spoken text.
package struct SpeechFile: Sendable, Hashable {
    package let path: String

    /// Removes the file; it need not be there any more.
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
