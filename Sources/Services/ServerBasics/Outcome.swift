package import LineProtocol

/// The remaining work after a command's handler.
package enum Outcome {
    /// The reply is complete.
    case done
    /// The rest of the reply comes from a source, at the speed of the client.
    case stream(any ReplySource)
    /// The same; when the source is exhausted, the closure continues the reply.
    case streamThen(any ReplySource, () throws -> Outcome)
    /// The client is suspended until the work that it waits for resumes it.
    case suspended
    /// The connection is closed without a reply.
    case close
    /// The connection goes on in JSON.
    case json
    /// The connection, which is in JSON, is sent values whenever they change.
    case watch(WatchRequest)
    case unwatch
    /// The client waits for changes.
    case idle(Subsystems)
}

/// The rest of a long reply, made piece by piece as the client reads it.
package protocol ReplySource {
    /// Adds to the reply until it is about `limit` bytes long.
    ///
    /// - Returns: Whether the source is exhausted.
    mutating func fill(_ reply: inout Reply, upTo limit: Int) -> Bool
}
