internal import Outputs

/// A stretch of an encoded stream.
struct StreamPacket: Sendable {
    /// The header, which a reader needs before the bytes.
    var header: [UInt8]
    /// The number of its stream among those that followed each other: each has a header of its own.
    var stream: Int
    /// A reader that has the header can begin with them.
    var bytes: [UInt8]
    var seconds: Double
    /// Whether it has only the silence between frames.
    var isSilent: Bool
}

/// Whether a stream is wanted.
enum StreamDemand: Sendable, Hashable {
    case wanted
    /// There are no listeners.
    case none
    /// It cannot go anywhere for now.
    case lost(String)

    /// The error that the output tells then.
    var event: OutputEvent {
        switch self {
        case .wanted: .restored
        case .none: .idle
        case .lost(let reason): .lost(reason)
        }
    }
}

/// Where a stream goes.
///
/// It is given packets on the output's thread, and waits for nothing but a disk in there.
protocol StreamDestination: AnyObject, Sendable {
    /// Tells from now on whether the stream is wanted, on any thread.
    func open(_ demand: @escaping @Sendable (StreamDemand) -> Void)

    /// Passes on a packet.
    func send(_ packet: StreamPacket)

    func show(_ title: String)

    /// The stream for listeners in this process; `nil` where there are none.
    var shared: (any SharedStream)? { get }

    var attributes: [String: String] { get }

    /// Tells from now on when attributes have changed by themselves, on any thread.
    func followAttributes(_ changed: @escaping @Sendable () -> Void)

    func setAttribute(_ name: String, to value: String) throws(AttributeProblem)

    /// Ends the stream for everybody. Blocks until that is done.
    func close()
}

extension StreamDestination {
    func show(_ title: String) {}
    var shared: (any SharedStream)? { nil }
    var attributes: [String: String] { [:] }
    func followAttributes(_ changed: @escaping @Sendable () -> Void) {}
    func setAttribute(_ name: String, to value: String) throws(AttributeProblem) {
        throw AttributeProblem("\(name) cannot be set")
    }
}
