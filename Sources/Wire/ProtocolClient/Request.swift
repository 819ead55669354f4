/// A command with its arguments.
package struct Request: Sendable, Hashable {
    package var command: String
    package var arguments: [String]

    package init(_ command: String, _ arguments: [String] = []) {
        self.command = command
        self.arguments = arguments
    }

    package init(_ command: String, _ arguments: String...) { self.init(command, arguments) }

    /// Appends the line, with its line feed.
    ///
    /// Every argument is quoted. Line feeds cannot be sent and become spaces.
    package func append(to bytes: inout [UInt8]) {
        bytes.append(contentsOf: command.utf8)
        for argument in arguments {
            bytes.append(UInt8(ascii: " "))
            bytes.append(UInt8(ascii: "\""))
            for byte in argument.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    bytes.append(UInt8(ascii: "\\"))
                    bytes.append(byte)
                case UInt8(ascii: "\n"), UInt8(ascii: "\r"), 0: bytes.append(UInt8(ascii: " "))
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    package var line: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }
}
