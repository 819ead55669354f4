/// A name that programs own on a bus one after another, such as `org.freedesktop.Avahi` (D-Bus Specification, "Message Bus
/// Names").
package struct BusName: Sendable, Hashable {
    package let text: String

    private static let bus = "org.freedesktop.DBus"

    package init(_ text: String) { self.text = text }

    /// The rule for the signals that ``owner(in:)`` reads.
    package var ownerChanges: String {
        "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(text)'"
    }

    /// Asks the bus who the owner is, without starting one.
    package var whoIs: MethodCall {
        let path = ObjectPath(known: "/org/freedesktop/DBus")
        return MethodCall("GetNameOwner", of: Self.bus, at: path, Self.bus, [.string(text)])
    }

    /// The new owner's connection when the bus tells that it has changed; empty when there is none.
    package func owner(in signal: BusSignal) -> String? {
        guard signal.sender == Self.bus, signal.member == "NameOwnerChanged", signal.arguments.count == 3,
            signal.arguments[0].text == text
        else { return nil }
        return signal.arguments[2].text
    }
}
