/// The members of an interface, from which its introspection data come and against which calls are checked.
package struct BusInterface: Sendable, Hashable {
    package struct Argument: Sendable, Hashable {
        package let name: String
        package let signature: String

        package init(_ name: String, _ signature: String) {
            self.name = name
            self.signature = signature
        }
    }

    package struct Method: Sendable, Hashable {
        package let name: String
        package let inputs: [Argument]
        package let outputs: [Argument]

        package init(_ name: String, _ inputs: [Argument] = [], returns outputs: [Argument] = []) {
            self.name = name
            self.inputs = inputs
            self.outputs = outputs
        }

        package var signature: String { inputs.map(\.signature).joined() }
    }

    package struct Signal: Sendable, Hashable {
        package let name: String
        package let arguments: [Argument]

        package init(_ name: String, _ arguments: [Argument]) {
            self.name = name
            self.arguments = arguments
        }
    }

    /// The part of a property that `PropertiesChanged` tells.
    package enum Emission: String, Sendable, Hashable {
        /// Its new value.
        case value = "true"
        /// That it has changed.
        case invalidates
        case nothing = "false"
    }

    package struct Property: Sendable, Hashable {
        package let name: String
        package let signature: String
        package let isWritable: Bool
        package let emits: Emission

        package init(_ name: String, _ signature: String, writable: Bool = false, emits: Emission = .value) {
            self.name = name
            self.signature = signature
            isWritable = writable
            self.emits = emits
        }
    }

    package let name: String
    package let methods: [Method]
    package let signals: [Signal]
    package let properties: [Property]

    package init(_ name: String, methods: [Method] = [], signals: [Signal] = [], properties: [Property] = []) {
        self.name = name
        self.methods = methods
        self.signals = signals
        self.properties = properties
    }

    package func method(_ name: String) -> Method? { methods.first { $0.name == name } }
    package func property(_ name: String) -> Property? { properties.first { $0.name == name } }
}

extension BusInterface {
    package static let properties = BusInterface(
        "org.freedesktop.DBus.Properties",
        methods: [
            Method("Get", [.init("interface_name", "s"), .init("property_name", "s")], returns: [.init("value", "v")]),
            Method("GetAll", [.init("interface_name", "s")], returns: [.init("props", "a{sv}")]),
            Method("Set", [.init("interface_name", "s"), .init("property_name", "s"), .init("value", "v")]),
        ],
        signals: [
            Signal(
                "PropertiesChanged",
                [
                    .init("interface_name", "s"), .init("changed_properties", "a{sv}"),
                    .init("invalidated_properties", "as"),
                ]
            )
        ]
    )
    package static let introspectable = BusInterface(
        "org.freedesktop.DBus.Introspectable",
        methods: [Method("Introspect", returns: [.init("xml_data", "s")])]
    )
    /// Answered by the library, for every object.
    package static let peer = BusInterface(
        "org.freedesktop.DBus.Peer",
        methods: [Method("Ping"), Method("GetMachineId", returns: [.init("machine_uuid", "s")])]
    )

    /// `PropertiesChanged` for changed and invalidated properties of this interface; `nil` for none.
    package func propertiesChanged(
        at path: ObjectPath,
        from old: [String: BusValue],
        to new: [String: BusValue]
    )
        -> BusSignal?
    {
        var (values, invalidated): ([String: BusValue], [String]) = ([:], [])
        for property in properties where old[property.name] != new[property.name] {
            switch property.emits {
            case .value: if let value = new[property.name] { values[property.name] = value }
            case .invalidates: invalidated.append(property.name)
            case .nothing: break
            }
        }
        guard !values.isEmpty || !invalidated.isEmpty else { return nil }
        let arguments: [BusValue] = [.string(name), .properties(values), .strings(invalidated)]
        return BusSignal("PropertiesChanged", of: Self.properties.name, at: path, arguments)
    }
}

/// Introspection data (D-Bus Specification, "Introspection Data Format").
package struct Introspection: Sendable {
    /// - Parameters:
    ///   - interfaces: Those of the object itself.
    ///   - children: The names of objects one level below.
    package static func document(_ interfaces: [BusInterface], children: [String] = []) -> String {
        let lines =
            [
                "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
                "\"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">", "<node>",
            ] + interfaces.flatMap(lines) + children.map { " <node name=\"\($0)\"/>" } + ["</node>", ""]
        return lines.joined(separator: "\n")
    }

    private static func lines(_ interface: BusInterface) -> [String] {
        var lines = [" <interface name=\"\(interface.name)\">"]
        for method in interface.methods {
            let arguments =
                method.inputs.map { argument($0, "in") } + method.outputs.map { argument($0, "out") }
            lines += element("method", "name=\"\(method.name)\"", arguments)
        }
        for signal in interface.signals {
            lines += element("signal", "name=\"\(signal.name)\"", signal.arguments.map { argument($0, nil) })
        }
        for property in interface.properties {
            let access = property.isWritable ? "readwrite" : "read"
            let annotation =
                "<annotation name=\"org.freedesktop.DBus.Property.EmitsChangedSignal\" value=\"\(property.emits.rawValue)\"/>"
            let attributes = "name=\"\(property.name)\" type=\"\(property.signature)\" access=\"\(access)\""
            lines += element("property", attributes, [annotation])
        }
        return lines + [" </interface>"]
    }

    private static func argument(_ argument: BusInterface.Argument, _ direction: String?) -> String {
        let place = direction.map { " direction=\"\($0)\"" } ?? ""
        return "<arg name=\"\(argument.name)\" type=\"\(argument.signature)\"\(place)/>"
    }

    private static func element(_ name: String, _ attributes: String, _ children: [String]) -> [String] {
        guard !children.isEmpty else { return ["  <\(name) \(attributes)/>"] }
        return ["  <\(name) \(attributes)>"] + children.map { "   " + $0 } + ["  </\(name)>"]
    }
}
