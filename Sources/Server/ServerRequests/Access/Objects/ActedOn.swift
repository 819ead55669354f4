internal import Authorization
package import LineProtocol
internal import ServerSessions

/// Something that requests act on: a zone, a session, an alarm.
///
/// A client that acts on it needs permissions in the zones where the effect is heard or seen, whichever zone it is in.
package protocol ActedOn {
    /// The names of the zones whose permissions count.
    var zones: [String] { get }

    /// Whether it is the client's own.
    var isOwn: Bool { get }

    /// Why an action is refused to a client without permissions in a zone.
    func refusal(of action: Action, in zone: String) -> String
}

extension ActedOn {
    package var isOwn: Bool { false }

    package func refusal(of action: Action, in zone: String) -> String {
        "you don't have permission for \"\(action.name)\" in zone \(zone)"
    }
}

/// An object that a word of a request names.
///
/// Only the access check makes one, so that a handler has none that the client may not act on.
package protocol NamedObject: ActedOn, SendableMetatype {
    /// The service that the object is looked up in.
    associatedtype Service

    /// - Throws: `AckError`, or the refusal of the service, when the word names nothing.
    init(named word: String, for client: Client, in service: Service, _ pass: AccessProof) throws
}

/// An action of a request on an object, with the permissions that it takes in each of the object's zones.
package struct Action: Sendable {
    /// As the refusal calls it, such as `session send`.
    package let name: String
    package let needed: Permissions
    /// Whether the client that an object belongs to needs none of these permissions.
    package var isFreeToOwner = false

    package init(_ name: String, _ needed: Permissions, isFreeToOwner: Bool = false) {
        (self.name, self.needed, self.isFreeToOwner) = (name, needed, isFreeToOwner)
    }
}

/// Shows that an object is made by the access check.
package struct AccessProof {
    fileprivate init() {}
}

extension Client {
    /// Throws unless the client may take an action.
    package func require(_ action: Action, on object: some ActedOn) throws(AckError) {
        if action.isFreeToOwner, object.isOwn { return }
        let rights = rights
        guard let zone = object.zones.first(where: { !rights.permit(action.needed, in: [$0]) }) else { return }
        throw AckError(.permission, object.refusal(of: action, in: zone))
    }

    /// The object that a word of a request names, for an action that the client may take.
    ///
    /// - Parameter service: The service that has such objects.
    /// - Throws: When there is none, or when the client may not.
    package func object<Object: NamedObject>(
        _: Object.Type,
        _ word: String,
        in service: Object.Service,
        to action: Action
    ) throws -> Object {
        let object = try Object(named: word, for: self, in: service, AccessProof())
        try require(action, on: object)
        return object
    }
}
