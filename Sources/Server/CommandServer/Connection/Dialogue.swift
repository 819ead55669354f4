internal import LineProtocol
internal import NIOCore

/// The language of a connection: turns the client's bytes into requests, and the lines that commands write into its replies.
///
/// A dialogue has no socket and carries nothing out. The connection asks it for requests, one at a time, and tells it how each
/// ended.
protocol Dialogue: AnyObject {
    /// Bytes that were sent and are not carried out yet.
    var size: Int { get }
    /// The request that is being carried out, or is to be next; `nil` when more has to be read.
    var request: ParsedLine? { get }
    var hasRequest: Bool { get }
    /// Bytes that are made of a long reply at a time.
    var pieceSize: Int { get }
    /// Short steps after which the clock is looked at, which tells when it is another client's turn.
    var stepsPerLook: Int { get }

    func append(_ bytes: ByteBuffer)
    /// Takes out the bytes that have not been read.
    func takeInput() -> ByteBuffer
    func removeAll()
    /// Reads the next line, while there is no request.
    ///
    /// - Parameter isIdle: Whether the client waits for changes: only `noidle` may come then.
    /// - Returns: `nil` when there is no whole line.
    func read(_ limits: RequestLimits, isIdle: Bool, _ reply: inout Reply) -> DialogueEvent?
    /// The request has been carried out.
    func requestEnded(_ reply: inout Reply)
    /// The request has failed.
    ///
    /// - Parameters:
    ///   - command: Its name; empty if there is no such command.
    ///   - isLast: Whether it ends the connection, and those that came with it are not carried out.
    /// - Returns: Whether the client can be told; otherwise the connection has to end.
    func requestFailed(_ error: AckError, _ command: String, isLast: Bool, _ reply: inout Reply) -> Bool
    /// The request has been carried out and ends the connection; those that came with it are not carried out.
    func requestCloses(_ reply: inout Reply)
    /// The request waits for changes, and so do those that came with it.
    func requestWaits()
    /// Something is longer than a limit.
    func refuse(_ error: AckError, _ reply: inout Reply)
    /// All bytes of the reply are about to be sent.
    func willSend(_ reply: inout Reply)
    /// The first arguments of the requests right behind the current one, while these are of some kinds.
    func upcoming(_ commands: Set<String>) -> [String]
    /// Whether requests that belong together are being carried out.
    var isInList: Bool { get }
}

/// The meaning of a line.
enum DialogueEvent {
    /// There is a request.
    case request
    /// It is part of something longer, or was answered.
    case read
    /// The client does not want to wait for changes any longer.
    case noIdle
    /// The client speaks another protocol, or is out of step.
    case noRequest
    /// Something is longer than a limit.
    case exceeded(what: String, RequestLimits.Limit)
}

/// The languages that there are.
///
/// The calls of each request are dispatched here, not by a witness table, which would cost a tenth of a short request.
enum Language {
    case lines(LineDialogue)
    case json(JSONDialogue)

    var current: any Dialogue {
        switch self {
        case .lines(let dialogue): dialogue
        case .json(let dialogue): dialogue
        }
    }

    var hasRequest: Bool {
        switch self {
        case .lines(let dialogue): dialogue.hasRequest
        case .json(let dialogue): dialogue.hasRequest
        }
    }

    var request: ParsedLine? {
        switch self {
        case .lines(let dialogue): dialogue.request
        case .json(let dialogue): dialogue.request
        }
    }

    var pieceSize: Int {
        switch self {
        case .lines(let dialogue): dialogue.pieceSize
        case .json(let dialogue): dialogue.pieceSize
        }
    }

    var stepsPerLook: Int {
        switch self {
        case .lines(let dialogue): dialogue.stepsPerLook
        case .json(let dialogue): dialogue.stepsPerLook
        }
    }

    func read(_ limits: RequestLimits, isIdle: Bool, _ reply: inout Reply) -> DialogueEvent? {
        switch self {
        case .lines(let dialogue): dialogue.read(limits, isIdle: isIdle, &reply)
        case .json(let dialogue): dialogue.read(limits, isIdle: isIdle, &reply)
        }
    }

    func requestEnded(_ reply: inout Reply) {
        switch self {
        case .lines(let dialogue): dialogue.requestEnded(&reply)
        case .json(let dialogue): dialogue.requestEnded(&reply)
        }
    }
}
