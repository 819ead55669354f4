/// Parses mpd.conf: `name "value"`, `name {` … `}`, comments and includes.
///
/// Reports each error to the reading, and continues with the next line.
struct MPDConfParser {
    private(set) var statements: [MPDStatement] = []
    /// The depth limit of includes, which stops a file that includes itself.
    private static let deepest = 10

    private let file: String?
    private let folder: String
    private let depth: Int
    private var block: (line: Int, name: String, parameters: [MPDParameter])?

    /// - Parameter folder: Relative paths of included files start here.
    init(_ text: String, file: String?, folder: String, depth: Int = 0, _ reading: inout Reading) {
        self.file = file
        self.folder = folder
        self.depth = depth
        let outer = reading.file
        reading.file = file
        defer { reading.file = outer }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() { read(line.trimmed, at: index + 1, &reading) }
        if let block { reading.error(block.line, "the block \"\(block.name)\" has no \"}\"") }
    }

    private mutating func read(_ line: String, at number: Int, _ reading: inout Reading) {
        guard !line.isEmpty, !line.hasPrefix("#") else { return }
        if line.first == "}" {
            guard Self.isEnd(line.dropFirst()) else { return reading.error(number, "nothing may follow \"}\"") }
            guard let block else { return reading.error(number, "there is no block that this \"}\" could end") }
            add(number: block.line, block.name, .block(block.parameters))
            self.block = nil
            return
        }
        let name = String(line.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        guard !name.isEmpty else { return reading.error(number, "a setting's name is expected, not \(quoted(line))") }
        let rest = line.dropFirst(name.count).trimmed
        if rest.first == "{" {
            guard block == nil else { return reading.error(number, "a block cannot be inside another") }
            guard Self.isEnd(rest.dropFirst()) else { return reading.error(number, "nothing may follow \"{\"") }
            block = (number, name, [])
            return
        }
        guard let value = Self.value(rest) else {
            return reading.error(number, "after \"\(name)\" a value in quotation marks is expected, and nothing else")
        }
        if block != nil {
            block?.parameters.append(MPDParameter(line: number, name: name, value: value))
        } else if name == "include" || name == "include_optional" {
            include(value, isOptional: name == "include_optional", at: number, &reading)
        } else {
            add(number: number, name, .value(value))
        }
    }

    private mutating func add(number: Int, _ name: String, _ content: MPDStatement.Content) {
        statements.append(MPDStatement(file: file, line: number, name: name, content: content))
    }

    private mutating func include(_ value: String, isOptional: Bool, at number: Int, _ reading: inout Reading) {
        guard depth < Self.deepest else { return reading.error(number, "files include each other without end") }
        let path = value.hasPrefix("/") || value.hasPrefix("~") ? reading.path(value) : folder + "/" + value
        do {
            let text = try TextFile(path).text
            let inner = path.splitLast("/").map { String($0.first) } ?? folder
            let parser = MPDConfParser(text, file: path, folder: inner, depth: depth + 1, &reading)
            statements += parser.statements
        } catch {
            switch error {
            case .missing where isOptional: break
            case .missing: reading.error(number, "there is no file \(path) to include")
            case .unreadable(let reason): reading.error(number, "\(path) cannot be included: \(reason)")
            }
        }
    }

    /// Whether only blanks or a comment are left.
    private static func isEnd(_ text: some StringProtocol) -> Bool {
        let rest = text.trimmed
        return rest.isEmpty || rest.hasPrefix("#")
    }

    /// The text in the quotation marks; a backslash makes the next character literal.
    private static func value(_ text: String) -> String? {
        guard text.first == "\"" else { return nil }
        var value = ""
        var characters = text.dropFirst()
        while let character = characters.popFirst() {
            if character == "\"" { return isEnd(characters) ? value : nil }
            if character == "\\" {
                guard let plain = characters.popFirst() else { return nil }
                value.append(plain)
            } else {
                value.append(character)
            }
        }
        return nil
    }
}
