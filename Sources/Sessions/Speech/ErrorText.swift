internal import AudioTypes
internal import Files
internal import Glibc

/// The end of a program's standard error.
struct ErrorText: ~Copyable {
    private let readingEnd: Int32
    private(set) var writingEnd: Int32
    /// Whether the pipe has no writer left.
    private(set) var isOver = false
    private var bytes: [UInt8] = []

    private static let kept = 4096

    static func open() throws(SpeechError) -> ErrorText {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw .cannotStart(program: "the program", reason: SystemError.current.description)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        return ErrorText(readingEnd: ends[0], writingEnd: ends[1])
    }

    private init(readingEnd: Int32, writingEnd: Int32) {
        self.readingEnd = readingEnd
        self.writingEnd = writingEnd
    }

    deinit {
        close(readingEnd)
        if writingEnd >= 0 { close(writingEnd) }
    }

    /// Closes our writing end, once the program has its own, so that the end of the pipe can be seen.
    mutating func closeWritingEnd() {
        if writingEnd >= 0 { close(writingEnd) }
        writingEnd = -1
    }

    /// Waits for output or the end of the pipe, at most for the given time, and reads the output.
    ///
    /// - Parameter limit: In seconds.
    mutating func wait(_ limit: Double) {
        if Readiness.readable(isOver ? -1 : readingEnd).wait(until: .now + limit) { read() }
    }

    /// Reads the available output, but a limited amount from a program that never stops writing.
    mutating func read() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<32 where !isOver {
            let count = unsafe Glibc.read(readingEnd, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                isOver = count == 0
                return
            }
            bytes = (bytes + buffer[..<count]).suffix(Self.kept)
        }
    }

    /// The last non-empty line, fit for a message.
    var lastLine: String {
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map { line in
            let blank: Unicode.Scalar = " "
            var plain = String.UnicodeScalarView()
            plain.append(contentsOf: line.unicodeScalars.map { $0.properties.generalCategory == .control ? blank : $0 })
            return String(plain).split(separator: " ").joined(separator: " ")
        }
        return String((lines.last { !$0.isEmpty } ?? "").prefix(200))
    }
}
