internal import CSystemd
private import Glibc

/// The arguments of the library's messages as values.
enum MessageBody {
    /// How many values a message that came in may have; longer ones are refused.
    static let valueLimit = 4_096

    // MARK: Writing

    /// - Returns: 0, or a negative `errno`.
    static func append(_ values: [BusValue], to message: OpaquePointer) -> Int32 {
        for value in values {
            let code = unsafe append(value, to: message)
            guard code >= 0 else { return code }
        }
        return 0
    }

    private static func append(_ value: BusValue, to message: OpaquePointer) -> Int32 {
        switch value {
        case .byte(let byte): unsafe append(byte, "y", to: message)
        case .boolean(let isTrue): unsafe append(isTrue ? 1 : 0 as Int32, "b", to: message)
        case .uint16(let number): unsafe append(number, "q", to: message)
        case .int32(let number): unsafe append(number, "i", to: message)
        case .uint32(let number): unsafe append(number, "u", to: message)
        case .int64(let number): unsafe append(number, "x", to: message)
        case .uint64(let number): unsafe append(number, "t", to: message)
        case .double(let number): unsafe append(number, "d", to: message)
        case .file(let file): unsafe append(file.descriptor, "h", to: message)
        case .string(let text): unsafe append(text, "s", to: message)
        case .objectPath(let path): unsafe append(path.description, "o", to: message)
        case .variant, .array, .structure, .entry: unsafe appendContainer(value, to: message)
        }
    }

    private static func append<Number: BitwiseCopyable>(
        _ number: Number,
        _ type: Unicode.Scalar,
        to message: OpaquePointer
    ) -> Int32 {
        unsafe withUnsafePointer(to: number) { unsafe sd_bus_message_append_basic(message, code(type), $0) }
    }

    private static func append(_ text: String, _ type: Unicode.Scalar, to message: OpaquePointer) -> Int32 {
        // A text ends at its first NUL, which D-Bus does not allow.
        unsafe text.withCString { unsafe sd_bus_message_append_basic(message, code(type), $0) }
    }

    private static func appendContainer(_ value: BusValue, to message: OpaquePointer) -> Int32 {
        let type: Unicode.Scalar =
            switch value {
            case .array: "a"
            case .structure: "r"
            case .entry: "e"
            default: "v"
            }
        var result = unsafe sd_bus_message_open_container(message, code(type), value.contents)
        if result >= 0 { result = unsafe append(value.members, to: message) }
        return result >= 0 ? unsafe sd_bus_message_close_container(message) : result
    }

    // MARK: Reading

    /// - Throws: `BusError` for a message of types that are not used here, or of too many values.
    static func read(_ message: OpaquePointer) throws(BusError) -> [BusValue] {
        var budget = valueLimit
        return try unsafe values(of: message, &budget)
    }

    private static func values(of message: OpaquePointer, _ budget: inout Int) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try unsafe next(of: message, &budget) { values.append(value) }
        return values
    }

    private static func next(of message: OpaquePointer, _ budget: inout Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var contents: UnsafePointer<CChar>?
        let found = unsafe sd_bus_message_peek_type(message, &type, &contents)
        guard found > 0 else {
            guard found == 0 else { throw .invalid("the message is damaged") }
            return nil
        }
        budget -= 1
        guard budget > 0 else { throw .invalid("the message has more than \(valueLimit) values") }
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "y": return .byte(try unsafe number(of: message, type, 0 as UInt8))
        case "b": return .boolean(try unsafe number(of: message, type, 0 as Int32) != 0)
        case "q": return .uint16(try unsafe number(of: message, type, 0 as UInt16))
        case "i": return .int32(try unsafe number(of: message, type, 0 as Int32))
        case "u": return .uint32(try unsafe number(of: message, type, 0 as UInt32))
        case "x": return .int64(try unsafe number(of: message, type, 0 as Int64))
        case "t": return .uint64(try unsafe number(of: message, type, 0 as UInt64))
        case "d": return .double(try unsafe number(of: message, type, 0 as Double))
        case "h":
            guard let file = BusFile(copying: try unsafe number(of: message, type, -1 as Int32)) else {
                throw .invalid("too many files are open")
            }
            return .file(file)
        case "s": return .string(try unsafe text(of: message, type))
        case "o":
            guard let path = ObjectPath(try unsafe text(of: message, type)) else {
                throw .invalid("a path is too long")
            }
            return .objectPath(path)
        case "v", "a", "r", "e": return try unsafe container(of: message, type, contents, &budget)
        default: throw .invalid("values of the type \(Unicode.Scalar(UInt8(bitPattern: type))) are not known here")
        }
    }

    private static func number<Number: BitwiseCopyable>(
        of message: OpaquePointer,
        _ type: CChar,
        _ start: Number
    ) throws(BusError) -> Number {
        var number = start
        guard unsafe sd_bus_message_read_basic(message, type, &number) > 0 else {
            throw .invalid("the message is damaged")
        }
        return number
    }

    private static func text(of message: OpaquePointer, _ type: CChar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, type, &text) > 0, let text = unsafe text else {
            throw .invalid("the message is damaged")
        }
        return unsafe String(cString: text)
    }

    private static func container(
        of message: OpaquePointer,
        _ type: CChar,
        _ contents: UnsafePointer<CChar>?,
        _ budget: inout Int
    ) throws(BusError) -> BusValue {
        let signature = unsafe contents.map { unsafe String(cString: $0) } ?? ""
        guard unsafe sd_bus_message_enter_container(message, type, signature) > 0 else {
            throw .invalid("the message is damaged")
        }
        let values = try unsafe values(of: message, &budget)
        unsafe sd_bus_message_exit_container(message)
        switch (Unicode.Scalar(UInt8(bitPattern: type)), values.count) {
        case ("v", 1): return .variant(values[0])
        case ("a", _): return .array(values, of: signature)
        case ("r", _): return .structure(values)
        case ("e", 2): return .entry(values[0], values[1])
        default: throw .invalid("the message is damaged")
        }
    }

    private static func code(_ type: Unicode.Scalar) -> CChar { CChar(bitPattern: UInt8(ascii: type)) }
}
