internal import LineProtocol
internal import ServerRequests

/// A line taken apart, or why it could not be.
typealias ParsedLine = Result<RequestLine, BadLine>

struct BadLine: Error {
    let error: AckError
    /// Whether it does not even begin with a word.
    let isNoRequest: Bool
}

extension ParsedLine {
    init(parsing line: [UInt8]) {
        do {
            self = .success(try RequestLine(parsing: line))
        } catch {
            self = .failure(BadLine(error: error, isNoRequest: !RequestLine.beginsWithWord(line)))
        }
    }
}

/// Commands that are carried out one after another, up to the first that fails.
///
/// They are kept as they came and taken apart one by one, so that a list takes as much memory as was sent.
struct CommandList {
    /// The next command; `nil` behind the last.
    private(set) var current: ParsedLine?
    /// Its number in the list.
    private(set) var index = 0
    private(set) var count = 0
    let tellsEach: Bool
    let isList: Bool
    /// The lines, each with its line feed, and where the one behind the current begins.
    private var lines: [UInt8] = []
    private var place = 0

    init(tellsEach: Bool) {
        self.tellsEach = tellsEach
        isList = true
    }

    /// A command that is in no list.
    init(_ line: [UInt8]) {
        current = ParsedLine(parsing: line)
        tellsEach = false
        isList = false
    }

    /// A command that was not sent as a line.
    init(_ request: RequestLine) {
        current = .success(request)
        tellsEach = false
        isList = false
    }

    /// In bytes, as they came.
    var size: Int { lines.count }

    mutating func append(_ line: [UInt8]) {
        lines += line
        lines.append(0x0a)
        count += 1
    }

    /// Makes the first command the current one.
    mutating func begin() { current = request(at: &place) }

    mutating func advance() {
        index += 1
        current = request(at: &place)
    }

    private func request(at place: inout Int) -> ParsedLine? {
        guard place < lines.count else { return nil }
        let end = lines[place...].firstIndex(of: 0x0a) ?? lines.endIndex
        defer { place = end + 1 }
        return ParsedLine(parsing: Array(lines[place..<end]))
    }

    /// The first arguments of the commands right behind the current one, while these are of some kinds.
    func upcoming(_ commands: Set<String>) -> [String] {
        var place = place
        var arguments: [String] = []
        while case .success(let request)? = request(at: &place), commands.contains(request.command),
            let first = request.arguments.first
        {
            arguments.append(first)
        }
        return arguments
    }
}
