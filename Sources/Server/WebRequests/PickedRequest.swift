internal import NIOHTTP1

/// A request for an item that the owner has picked: `/picked/HANDLE`, and behind that, for those who save it, any name.
package struct PickedRequest: Sendable, Hashable {
    /// As the client writes it.
    package let handle: String
    package let conditions: RequestConditions

    /// - Returns: `nil` where a resource is another one.
    init?(_ resource: WebRequest.Resource, _ target: RequestTarget, _ head: HTTPRequestHead) {
        guard resource == .picked else { return nil }
        handle = String(target.path.dropFirst(resource.rawValue.count).prefix { $0 != "/" })
        conditions = RequestConditions(head)
    }
}
