/// A call of a method.
package struct MethodCall: Sendable, Hashable {
    /// The bus name of who is called; for a call that came in, of who called.
    package var peer: String
    package var path: ObjectPath
    /// `nil` where the caller left it out.
    package var interface: String?
    package var member: String
    package var arguments: [BusValue]

    package init(
        _ member: String,
        of interface: String?,
        at path: ObjectPath,
        _ peer: String,
        _ arguments: [BusValue] = []
    ) {
        self.peer = peer
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }

    /// The types of the arguments.
    package var signature: String { arguments.map(\.signature).joined() }
}

/// A signal.
package struct BusSignal: Sendable, Hashable {
    /// The bus name of who sent it; empty for one of ours.
    package var sender = ""
    package var path: ObjectPath
    package var interface: String
    package var member: String
    package var arguments: [BusValue]

    package init(_ member: String, of interface: String, at path: ObjectPath, _ arguments: [BusValue] = []) {
        self.path = path
        self.interface = interface
        self.member = member
        self.arguments = arguments
    }
}

/// The error that answers a call.
package struct BusError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Such as `org.freedesktop.DBus.Error.InvalidArgs`.
    package let name: String
    package let text: String

    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    package var description: String { "\(text) (\(name))" }

    package static func failed(_ text: String) -> BusError { Self("org.freedesktop.DBus.Error.Failed", text) }
    package static func invalid(_ text: String) -> BusError { Self("org.freedesktop.DBus.Error.InvalidArgs", text) }
    package static func notSupported(_ text: String) -> BusError {
        Self("org.freedesktop.DBus.Error.NotSupported", text)
    }
    package static func unknownObject(_ path: ObjectPath) -> BusError {
        Self("org.freedesktop.DBus.Error.UnknownObject", "there is no object at \(path)")
    }
    package static func unknownInterface(_ name: String) -> BusError {
        Self("org.freedesktop.DBus.Error.UnknownInterface", "there is no interface \(name) here")
    }
    package static func unknownMethod(_ name: String) -> BusError {
        Self("org.freedesktop.DBus.Error.UnknownMethod", "there is no method \(name) here")
    }
    package static func unknownProperty(_ name: String) -> BusError {
        Self("org.freedesktop.DBus.Error.UnknownProperty", "there is no property \(name) here")
    }
    package static func readOnly(_ name: String) -> BusError {
        Self("org.freedesktop.DBus.Error.PropertyReadOnly", "the property \(name) cannot be set")
    }
    package static let tooMany = Self("org.freedesktop.DBus.Error.LimitsExceeded", "too many calls are unanswered")
    package static let disconnected = Self("org.freedesktop.DBus.Error.Disconnected", "there is no bus")
}
