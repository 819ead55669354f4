internal import LineProtocol
internal import NIOCore

/// MPD's protocol: lines of words, and lists of them.
final class LineDialogue: Dialogue {
    private var reader = RequestReader()
    private var running: CommandList?

    /// - Parameter request: The first one, as if the client had sent it.
    init(_ request: RequestLine? = nil) { running = request.map { CommandList($0) } }

    var size: Int { reader.size + (running?.size ?? 0) }
    var request: ParsedLine? { running?.current }
    var hasRequest: Bool { running != nil }
    var isInList: Bool { running?.isList == true }
    let pieceSize = 64 * 1024
    let stepsPerLook = 16

    func append(_ bytes: ByteBuffer) { reader.append(bytes) }

    func takeInput() -> ByteBuffer { reader.takeInput() }

    func removeAll() {
        running = nil
        reader.removeAll()
    }

    func read(_ limits: RequestLimits, isIdle: Bool, _ reply: inout Reply) -> DialogueEvent? {
        switch reader.next(limits, isIdle: isIdle) {
        case nil: return nil
        case .run(let commands)?:
            running = commands
            if commands.isList, commands.count == 0 { end(&reply) }
            return .request
        case .collected?: return .read
        case .noIdle?: return .noIdle
        case .noRequest?: return .noRequest
        case .exceeded(let what, let limit)?: return .exceeded(what: what, limit)
        }
    }

    func requestEnded(_ reply: inout Reply) {
        guard running?.isList == true else { return end(&reply) }
        running?.advance()
        if running?.tellsEach == true { reply.listOK() }
        if running?.current == nil { end(&reply) }
    }

    private func end(_ reply: inout Reply) {
        running = nil
        reply.ok()
    }

    func requestFailed(_ error: AckError, _ command: String, isLast: Bool, _ reply: inout Reply) -> Bool {
        reply.ack(error, index: running?.index ?? 0, command: command)
        running = nil
        return true
    }

    func requestCloses(_ reply: inout Reply) {}

    func requestWaits() { running = nil }

    func refuse(_ error: AckError, _ reply: inout Reply) { reply.ack(error, index: 0, command: "") }

    func willSend(_ reply: inout Reply) {}

    func upcoming(_ commands: Set<String>) -> [String] { running?.upcoming(commands) ?? [] }
}
