internal import Authorization
internal import LineProtocol
internal import ServerSessions

/// Something that requests act on: a zone, a session, an alarm.
///
/// A client that acts on it needs permissions in the zones where the effect is heard or seen, whichever zone it is in.
protocol ActedOn {
    /// The zones whose permissions count.
    func zones(in server: ServerAssembly) -> [String]

    /// Whether it is the client's own.
    func belongs(to client: Client) -> Bool

    /// Why an action is refused to a client without permissions in a zone.
    func refusal(of action: Action, in zone: String) -> String
}

extension ActedOn {
    func belongs(to client: Client) -> Bool { false }

    func refusal(of action: Action, in zone: String) -> String {
        "you don't have permission for \"\(action.name)\" in zone \(zone)"
    }
}

/// An object that a word of a request names.
///
/// Only the gate makes one, so that a handler has none that the client may not act on.
protocol NamedObject: ActedOn, SendableMetatype {
    /// - Throws: `AckError`, or the refusal of a desk, when the word names nothing.
    init(named word: String, for client: Client, _ pass: GatePass) throws
}

/// An action of a request on an object, with the permissions that it takes in each of the object's zones.
struct Action: Sendable {
    /// As the refusal calls it, such as `session send`.
    let name: String
    let needed: Permissions
    /// Whether the client that an object belongs to needs none of these permissions.
    var isFreeToOwner = false

    init(_ name: String, _ needed: Permissions, isFreeToOwner: Bool = false) {
        (self.name, self.needed, self.isFreeToOwner) = (name, needed, isFreeToOwner)
    }
}

/// Shows that an object is made by the gate.
struct GatePass {
    fileprivate init() {}
}

extension Client {
    /// The object that a word names, for an action that the client may take.
    ///
    /// - Throws: When there is none, or when the client may not.
    func object<Object: NamedObject>(_: Object.Type, _ word: String, to action: Action) throws -> Object {
        let object = try Object(named: word, for: self, GatePass())
        try require(action, on: object)
        return object
    }

    /// Throws unless the client may take an action.
    func require(_ action: Action, on object: some ActedOn) throws(AckError) {
        guard let zone = zone(refusing: action, on: object) else { return }
        throw AckError(.permission, object.refusal(of: action, in: zone))
    }

    /// The first zone of an object where the client lacks permissions.
    private func zone(refusing action: Action, on object: some ActedOn) -> String? {
        if action.isFreeToOwner, object.belongs(to: self) { return nil }
        return object.zones(in: server).first { !rights.permit(action.needed, in: [$0]) }
    }
}

extension Argument where Value: NamedObject {
    /// A word that names an object, on which the client may act.
    static func object(_ name: String, to action: Action) -> Self {
        Self(name: name, fewest: 1, most: 1) { client, cursor in
            guard let client else { throw AckError(.permission, "you don't have permission for \"\(action.name)\"") }
            return try client.object(Value.self, cursor.next(), to: action)
        }
    }
}

extension SessionWords {
    /// The object that the next word names, on which the client may act.
    mutating func object<Object: NamedObject>(
        _ name: String,
        _: Object.Type = Object.self,
        for client: Client,
        to action: Action
    ) throws -> Object {
        try client.object(Object.self, word(name), to: action)
    }
}
