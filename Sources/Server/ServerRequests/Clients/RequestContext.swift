package import LineProtocol
package import Songs

/// The state of a connection that its requests share with it: the client, and the reply that is being made.
///
/// Belongs to the server's event loop.
package final class RequestContext {
    package let client: Client
    /// The reply to the request that is being carried out.
    package var reply = Reply()
    /// Songs that were found for requests that are about to be carried out.
    package var resolved: [ExactText: Result<[Song], any Error>] = [:]
    /// Whether the connection ends once the request that is being carried out is answered.
    package var endsAfterReply = false

    private unowned var owner: (any ClientConnection)?

    package init(_ client: Client) { self.client = client }

    /// The connection that has this context; it sets itself once it is made.
    package var connection: any ClientConnection {
        get {
            guard let owner else { preconditionFailure("a request before its connection is made") }
            return owner
        }
        set { owner = newValue }
    }
}
