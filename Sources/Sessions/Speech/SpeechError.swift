/// Why a text could not be synthesized, in one line that says what to do.
package enum SpeechError: Error, Sendable, Hashable {
    case emptyText
    case textHasNUL
    case textIsTooLong(bytes: Int, limit: Int)
    /// A voice chosen by a client is not a valid name.
    case voiceIsNoName(String)
    /// The command has a placeholder for a voice, and none was given.
    case voiceIsNeeded
    /// espeak-ng is not installed, and no other program is configured.
    case notInstalled
    case noProgram(String)
    case cannotStart(program: String, reason: String)
    case cannotWrite(path: String, reason: String)
    /// The program failed; `message` is the last line of its standard error.
    case failed(program: String, status: Int32, message: String)
    case killed(program: String, signal: Int32)
    case tookTooLong(program: String, limit: Duration)
    case wroteTooMuch(program: String, limit: Int)
    case wroteNoSound(program: String)
    case cancelled
}

extension SpeechError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .emptyText: "there is nothing to speak: the text is empty"
        case .textHasNUL: "the text must not contain NUL"
        case .textIsTooLong(let bytes, let limit):
            "a text of \(bytes) bytes is too long to speak: max-text allows \(limit)"
        case .voiceIsNoName(let name): "\(quoted(name)) is not a voice: a name has only letters, digits, and + - _ ."
        case .voiceIsNeeded: "the speech-command needs a voice: name one, or set voice in the configuration"
        case .notInstalled:
            "espeak-ng is not installed: apt install espeak-ng, or set speech-command in the configuration"
        case .noProgram(let program):
            "the speech program \(quoted(program)) does not exist: see speech-command in the configuration"
        case .cannotStart(let program, let reason): "\(program) cannot be started to speak the text: \(reason)"
        case .cannotWrite(let path, let reason): "speech cannot be written to \(path): \(reason)"
        case .failed(let program, let status, let message):
            "\(program) could not speak the text (status \(status))" + (message.isEmpty ? "" : ": \(message)")
        case .killed(let program, let signal): "\(program) was killed by signal \(signal) before it finished"
        case .tookTooLong(let program, let limit):
            "\(program) took longer than \(limit.components.seconds) s to speak the text, and was killed"
        case .wroteTooMuch(let program, let limit):
            "\(program) wrote more than \(limit >> 20) MiB for the text, and was killed"
        case .wroteNoSound(let program):
            "\(program) wrote no WAV file with sound; perhaps the text contains nothing to speak"
        case .cancelled: "the speech was cancelled"
        }
    }
}

/// The text in quotation marks, on one line and shortened.
private func quoted(_ text: String) -> String {
    let characters = text.unicodeScalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7f ? " " : Character($0) }
    return "\"" + String(characters) + "\""
}
