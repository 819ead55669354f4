/// A configuration file while it is being read: resolves its paths and collects its problems.
struct Reading {
    /// The file's name in messages.
    var file: String?
    /// Relative paths start here.
    let folder: String
    /// The folder that `~` stands for.
    let home: String
    private(set) var problems: [ConfigurationProblem] = []

    init(file: String?, folder: String, home: String) {
        self.file = file
        self.folder = folder
        self.home = home
    }

    /// - Parameter line: `nil` for problems that are not on a line of the file.
    mutating func error(_ line: Int?, _ text: String) { add(.error, line, text) }

    /// - Parameter line: `nil` for problems that are not on a line of the file.
    mutating func warn(_ line: Int?, _ text: String) { add(.warning, line, text) }

    /// Warns about the file as a whole.
    mutating func warnOfFile(_ text: String) {
        problems.append(ConfigurationProblem(severity: .warning, file: file, text))
    }

    var isUsable: Bool { problems.allSatisfy { $0.severity == .warning } }

    /// Whether there are so many problems that reading stops.
    var isFull: Bool { problems.count >= 200 }

    private mutating func add(_ severity: ConfigurationProblem.Severity, _ line: Int?, _ text: String) {
        let problem = ConfigurationProblem(severity: severity, file: line == nil ? nil : file, line: line, text)
        if !isFull, !problems.contains(problem) { problems.append(problem) }
    }

    /// Resolves `text` to an absolute path.
    func path(_ text: String) -> String {
        if text == "~" { return home }
        if text.hasPrefix("~/") { return home + text.dropFirst() }
        return text.hasPrefix("/") ? text : folder + "/" + text
    }
}
