import Glibc

/// Questions to a person at the terminal.
struct SetupQuestions {
    /// Asks for a line; an empty answer, or the end of the input, is the default.
    func ask(_ question: String, byDefault usual: String) -> String {
        print(usual.isEmpty ? "\(question) " : "\(question) [\(usual)] ", terminator: "")
        // All open streams, of which only that one has something.
        fflush(nil)
        let answer = readLine()?.drop { $0 == " " } ?? ""
        var word = String(answer.prefix(4_096))
        while word.last == " " { word.removeLast() }
        return word.isEmpty ? usual : word
    }

    /// Asks for yes or no.
    func agrees(_ question: String, byDefault usual: Bool) -> Bool {
        for _ in 0..<3 {
            switch ask(question, byDefault: usual ? "Y/n" : "y/N").lowercased() {
            case "y/n": return usual
            case "y", "yes": return true
            case "n", "no": return false
            default: print("Please answer y or n.")
            }
        }
        return false
    }
}
