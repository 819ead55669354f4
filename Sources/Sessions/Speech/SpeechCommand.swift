/// A speech program, with placeholders in its arguments.
///
/// `{text}` stands for the text, `{voice}` for the voice and `{output}` for the WAV file to write. Without `{text}` the
/// text is passed on standard input, and without `{output}` the sound is read from standard output.
struct SpeechCommand {
    let words: [String]
    /// Whether it is the default program.
    let isUsual: Bool

    /// - Parameter configured: Empty for espeak-ng.
    init(_ configured: [String], hasVoice: Bool) {
        isUsual = configured.isEmpty
        words = isUsual ? Self.usual + (hasVoice ? ["-v", "{voice}"] : []) : configured
    }

    /// The text is UTF-8, and all of it is read at once.
    private static let usual = ["espeak-ng", "-b", "1", "--stdin", "-w", "{output}"]

    var program: String { words.first ?? "" }
    /// The program's name for messages.
    var name: String { program.split(separator: "/").last.map(String.init) ?? program }
    var readsInput: Bool { !has("{text}") }
    var writesOutput: Bool { !has("{output}") }
    var needsVoice: Bool { has("{voice}") }

    private func has(_ place: String) -> Bool { words.dropFirst().contains { $0.contains(place) } }

    /// The program's arguments.
    ///
    /// An argument that starts with the text never looks like an option: a space is put before a hyphen.
    func arguments(text: String, voice: String, output: String) -> [String] {
        let places = [("{text}", text), ("{voice}", voice), ("{output}", output)]
        return [program]
            + words.dropFirst().map { word in
                let argument = Self.filled(word, places)
                return word.hasPrefix("{text}") && argument.hasPrefix("-") ? " " + argument : argument
            }
    }

    /// Fills the placeholders in one pass, so that inserted text is never taken for a placeholder.
    private static func filled(_ word: String, _ places: [(name: String, value: String)]) -> String {
        var result = ""
        var rest = word[...]
        while let first = rest.first {
            if let place = places.first(where: { rest.hasPrefix($0.name) }) {
                result += place.value
                rest = rest.dropFirst(place.name.count)
            } else {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
