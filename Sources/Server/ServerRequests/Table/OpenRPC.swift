internal import LineProtocol
internal import Records
package import TextEncodings

/// The methods of a table as a document of OpenRPC 1.3, which programs read: names, arguments, rights and results.
package struct OpenRPC {
    package let json: JSON

    /// - Parameter methods: Those that are described; without it, all.
    package init(_ table: CommandTable, _ methods: [Method]? = nil, version: String) {
        json = .object([
            .init("openrpc", .string("1.3.2")),
            .init("info", .object([.init("title", .string("Segue")), .init("version", .string(version))])),
            .init("methods", .array((methods ?? table.methods).map(Self.method))),
        ])
    }

    private static func method(_ method: Method) -> JSON {
        let words = method.form?.verbWords ?? []
        let rights = method.command.permissions(for: words)
        return .compact([
            .init("name", .string(method.name)),
            .init("paramStructure", .string("either")),
            .init("params", .array(method.form?.parameters.flatMap(\.descriptors) ?? [])),
            .init("result", result(of: method, words)),
            .init("examples", examples(of: method)),
            .init("x-permissions", .array(rights.eachName.map(JSON.string))),
        ])
    }

    /// A call with its arguments; what it returns depends on the server's state.
    private static func examples(of method: Method) -> JSON {
        let arguments = MethodExamples.arguments(of: method.name).map { argument in
            JSON.object([.init("name", .string(argument.name)), .init("value", argument.value)])
        }
        guard !arguments.isEmpty else { return .null }
        return .array([.object([.init("name", .string(method.name)), .init("params", .array(arguments))])])
    }

    private static func result(of method: Method, _ words: [String]) -> JSON {
        let rule = method.command.reply
        let typical = schema(rule, words + rule.typical)
        let schema = rule.other.map { .schema(oneOf: typical, Self.schema(rule, words + $0)) } ?? typical
        return .object([.init("name", .string(method.name)), .init("schema", schema)])
    }

    private static func schema(_ rule: ReplyRule, _ words: [String]) -> JSON {
        switch rule.shape(words) {
        case nil: rule.schema ?? .schema("null")
        case let shape? where shape.isList: .schema(arrayOf: shape.schema)
        case let shape? where !shape.beginnings.isEmpty: .schema(oneOf: shape.schema, .schema("null"))
        case let shape?: shape.schema
        }
    }
}

extension Parameter {
    fileprivate var descriptors: [JSON] {
        switch form {
        case .places: [descriptor(name, place), descriptor("count", place, isRequired: false)]
        case .window: names.map { descriptor($0, .schema("integer", .init("minimum", .integer(0))), isRequired: false) }
        case .part: names.map { descriptor($0, .schema("number"), isRequired: false) }
        case .comparison(let operators):
            [
                descriptor("operator", .oneOf(operators), isRequired: false),
                descriptor("value", .textOrNumber, isRequired: false),
            ]
        default: names.map { descriptor($0, schema) }
        }
    }

    private func descriptor(_ name: String, _ schema: JSON, isRequired: Bool? = nil) -> JSON {
        .object([
            .init("name", .string(name)), .init("required", .bool(isRequired ?? self.isRequired)),
            .init("schema", schema),
        ])
    }

    private var place: JSON { .schema("integer", .init("minimum", .integer(1))) }

    private var schema: JSON {
        switch form {
        case .scalar: .textOrNumber
        case .duration: .schema(oneOf: .schema("string"), .schema("number"))
        case .text, .places, .window, .part, .comparison: .schema("string")
        case .oneOf(let words): .oneOf(words)
        case .boolean, .flag: .schema("boolean")
        case .booleanOr(let word): .object([.init("enum", .array([.bool(false), .bool(true), .string(word)]))])
        case .mode:
            .object([.init("enum", .array(["off", "on", "once"].map(JSON.string) + [.bool(false), .bool(true)]))])
        case .integer(let range):
            .schema(
                "integer",
                .init("minimum", .integer(range.lowerBound)),
                .init("maximum", .integer(range.upperBound))
            )
        case .number(let range):
            .schema("number", .init("minimum", .number(range.lowerBound)), .init("maximum", .number(range.upperBound)))
        case .place: place
        case .insertPosition:
            .schema(oneOf: place, .schema("string", .init("pattern", .string("^[+-][0-9]+$"))))
        case .words, .commas:
            .schema(oneOf: .textOrNumber, .schema(arrayOf: .textOrNumber))
        }
    }
}

extension JSON {
    fileprivate static let textOrNumber = JSON.object([.init("type", .array([.string("string"), .string("number")]))])

    fileprivate static func oneOf(_ words: [String]) -> JSON {
        .schema("string", .init("enum", .array(words.map(JSON.string))))
    }
}
