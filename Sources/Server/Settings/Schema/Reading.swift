/// A file on its way to being a configuration: what paths in it mean, and what is wrong with it.
struct Reading {
    /// The file as messages name it.
    var file: String?
    /// The folder that relative paths start from.
    let folder: String
    /// What `~` stands for.
    let home: String
    private(set) var problems: [ConfigurationProblem] = []

    init(file: String?, folder: String, home: String) {
        self.file = file
        self.folder = folder
        self.home = home
    }

    /// - Parameter line: `nil` for what no file says.
    mutating func error(_ line: Int?, _ text: String) { add(.error, line, text) }

    /// - Parameter line: `nil` for what no file says.
    mutating func warn(_ line: Int?, _ text: String) { add(.warning, line, text) }

    /// Warns of the file as a whole.
    mutating func warnOfFile(_ text: String) {
        problems.append(ConfigurationProblem(severity: .warning, file: file, text))
    }

    var isUsable: Bool { problems.allSatisfy { $0.severity == .warning } }

    /// More would help nobody, and take time to find.
    var isFull: Bool { problems.count >= 200 }

    private mutating func add(_ severity: ConfigurationProblem.Severity, _ line: Int?, _ text: String) {
        let problem = ConfigurationProblem(severity: severity, file: line == nil ? nil : file, line: line, text)
        if !isFull, !problems.contains(problem) { problems.append(problem) }
    }

    /// The absolute path that `text` stands for.
    func path(_ text: String) -> String {
        if text == "~" { return home }
        if text.hasPrefix("~/") { return home + text.dropFirst() }
        return text.hasPrefix("/") ? text : folder + "/" + text
    }
}
