internal import Outputs

/// A stretch of an encoded stream.
struct StreamStretch: Sendable {
    /// The header of the stream that begins with the bytes, if one does.
    var header: [UInt8]?
    /// Whole packets: a reader that has the header can begin with them.
    var bytes: [UInt8]
    var seconds: Double
}

/// Where a stream goes.
///
/// It is given stretches on the output's thread, and must not wait in there.
protocol StreamDestination: AnyObject, Sendable {
    /// Tells from now on whether the stream is wanted, on any thread; the first time at once.
    func open(_ wants: @escaping @Sendable (Bool) -> Void)

    func send(_ stretch: StreamStretch)

    func show(_ title: String)

    var attributes: [String: String] { get }

    func setAttribute(_ name: String, to value: String) throws(AttributeProblem)

    /// Ends the stream for everybody. Blocks until that is done.
    func close()
}

extension StreamDestination {
    func show(_ title: String) {}
    var attributes: [String: String] { [:] }
    func setAttribute(_ name: String, to value: String) throws(AttributeProblem) {
        throw AttributeProblem("the attribute cannot be set")
    }
}
