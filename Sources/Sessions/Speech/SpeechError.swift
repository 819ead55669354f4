/// Why a text was not spoken, in one line that says what to do.
package enum SpeechError: Error, Sendable, Hashable {
    case emptyText
    case textHasNUL
    case textIsTooLong(bytes: Int, limit: Int)
    /// A voice that a client asked for is no name.
    case voiceIsNoName(String)
    /// The command has a place for a voice, and nobody named one.
    case voiceIsNeeded
    /// espeak-ng is not there, and nothing else was configured.
    case notInstalled
    case noProgram(String)
    case cannotStart(program: String, reason: String)
    case cannotWrite(path: String, reason: String)
    /// The program gave up; `message` is the last line of what it said.
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
        case .emptyText: "there is nothing to be spoken: the text is empty"
        case .textHasNUL: "a text to be spoken has no NUL"
        case .textIsTooLong(let bytes, let limit):
            "a text of \(bytes) bytes is too long to be spoken: at most \(limit), as max-text says"
        case .voiceIsNoName(let name): "\(quoted(name)) is no voice: a name has letters, digits, and + - _ . only"
        case .voiceIsNeeded: "the speech-command needs a voice: name one, or set voice in the configuration"
        case .notInstalled:
            "espeak-ng is not there to speak the text: apt install espeak-ng, or set speech-command in the configuration"
        case .noProgram(let program):
            "there is no program \(quoted(program)) to speak the text: see speech-command in the configuration"
        case .cannotStart(let program, let reason): "\(program) cannot be started to speak the text: \(reason)"
        case .cannotWrite(let path, let reason): "speech cannot be written to \(path): \(reason)"
        case .failed(let program, let status, let message):
            "\(program) could not speak the text (status \(status))" + (message.isEmpty ? "" : ": \(message)")
        case .killed(let program, let signal): "\(program) was ended by signal \(signal) before it had spoken the text"
        case .tookTooLong(let program, let limit):
            "\(program) took longer than \(limit.components.seconds) s to speak the text, and was ended"
        case .wroteTooMuch(let program, let limit):
            "\(program) wrote more than \(limit >> 20) MiB for the text, and was ended"
        case .wroteNoSound(let program):
            "\(program) wrote no WAV file with sound in it; perhaps nothing in the text can be spoken"
        case .cancelled: "the speech was cancelled"
        }
    }
}

/// The text in quotation marks, on one line and not endless.
private func quoted(_ text: String) -> String {
    let characters = text.unicodeScalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7f ? " " : Character($0) }
    return "\"" + String(characters) + "\""
}
