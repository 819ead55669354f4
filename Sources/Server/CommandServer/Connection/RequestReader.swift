private import Glibc
internal import NIOCore
internal import ServerRequests
internal import Settings

/// The bytes of one client, taken apart into commands and lists of commands.
///
/// A value without a socket: bytes go in as they come, and what they ask for comes out one line at a time.
struct RequestReader {
    /// The meaning of the next line.
    enum Event {
        /// A command, or a whole list of commands, to be carried out.
        case run(CommandList)
        /// One more command of a list that has not ended.
        case collected
        /// The client does not want to wait for changes any longer.
        case noIdle
        /// The client speaks another protocol, or is out of step.
        case noRequest
        /// Something is longer than a limit.
        case exceeded(what: String, RequestLimits.Limit)
    }

    private var input = LineBuffer()
    /// The list that has begun and not ended.
    private var list: CommandList?

    /// Bytes that were sent and are not carried out yet.
    var size: Int { input.size + (list?.size ?? 0) }

    mutating func append(_ bytes: ByteBuffer) { input.append(bytes) }

    /// Takes out the bytes that have not been read.
    mutating func takeInput() -> ByteBuffer { input.takeAll() }

    mutating func removeAll() { self = RequestReader() }

    /// Parses the next line.
    ///
    /// - Parameter isIdle: Whether the client waits for changes: only `noidle` may come then.
    /// - Returns: `nil` when there is no whole line.
    mutating func next(_ limits: RequestLimits, isIdle: Bool) -> Event? {
        guard var line = input.readLine() else {
            return input.size > limits.line.value ? .exceeded(what: "Line", limits.line) : nil
        }
        guard line.count <= limits.line.value else { return .exceeded(what: "Line", limits.line) }
        while let last = line.last, last <= 0x20 { line.removeLast() }
        if isWord("noidle", line) { return .noIdle }
        guard !isIdle, let first = line.first, (0x61...0x7a).contains(first) else { return .noRequest }
        return parse(line, limits)
    }

    private mutating func parse(_ line: [UInt8], _ limits: RequestLimits) -> Event {
        if list != nil { return collect(line, limits) }
        if isWord("command_list_begin", line) {
            list = CommandList(tellsEach: false)
        } else if isWord("command_list_ok_begin", line) {
            list = CommandList(tellsEach: true)
        } else {
            return .run(CommandList(line))
        }
        return .collected
    }

    private mutating func collect(_ line: [UInt8], _ limits: RequestLimits) -> Event {
        if isWord("command_list_end", line), var whole = list.take() {
            whole.begin()
            return .run(whole)
        }
        list?.append(line)
        if let list, list.size > limits.listBytes.value {
            return .exceeded(what: "Command list", limits.listBytes)
        }
        if let list, list.count > limits.listLength.value {
            return .exceeded(what: "Command list", limits.listLength)
        }
        return .collected
    }
}

/// How long a client's lines and lists may be.
struct RequestLimits {
    /// A limit as the configuration names it, without `limits.`.
    typealias Limit = (name: String, value: Int)

    /// In bytes.
    let line: Limit
    let listBytes: Limit
    /// In commands.
    let listLength: Limit

    /// - Parameter mayDoNothing: Whether the client has no permission yet, such as before its password.
    init(_ limits: Limits, mayDoNothing: Bool) {
        if mayDoNothing {
            line = ("max-line-size-before-permission", limits.maxLineBytesBeforePermission)
            listBytes = ("max-command-list-size-before-permission", limits.maxCommandListBytesBeforePermission)
        } else {
            line = ("max-line-size", limits.maxLineBytes)
            listBytes = ("max-command-list-size", limits.maxCommandListBytes)
        }
        listLength = ("max-command-list-length", limits.maxCommandListLength)
    }
}

private func isWord(_ word: StaticString, _ line: [UInt8]) -> Bool {
    guard line.count == word.utf8CodeUnitCount else { return false }
    return unsafe memcmp(word.utf8Start, line, line.count) == 0
}
