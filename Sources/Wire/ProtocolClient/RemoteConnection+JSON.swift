private import Glibc
internal import LineProtocol
package import TextEncodings

/// JSON-RPC 2.0 with servers that have the command `json`.
extension RemoteConnection {
    /// Goes on in JSON: no other request may follow than those of `call`.
    package func speakJSON() throws(RemoteError) { try run("json") }

    /// Calls a method.
    ///
    /// - Parameter arguments: An array or an object; `nil` for none.
    /// - Returns: The result.
    /// - Throws: `RemoteError.refused` for a failure that the server tells.
    package func call(_ method: String, _ arguments: JSON?) throws(RemoteError) -> JSON {
        let request = JSON.compact([
            .init("jsonrpc", .string("2.0")), .init("id", .integer(1)), .init("method", .string(method)),
            .init("params", arguments ?? .null),
        ])
        let response = try message(exchange(Array(request.text.utf8) + [0x0a]))
        guard let error = response["error"] else { return response["result"] ?? .null }
        var refusal = Refusal(code: AckCode.badArgument.rawValue, text: error["message"]?.string ?? "")
        if case .integer(let code)? = error["data"]?["ack"] { refusal.code = code }
        refusal.command = error["data"]?["command"]?.string ?? ""
        throw RemoteError.refused(refusal)
    }

    /// Waits for the next notification.
    ///
    /// - Returns: Its arguments.
    package func nextNotification() throws(RemoteError) -> JSON { try message(nextLine())["params"] ?? .null }

    private func message(_ line: [UInt8]) throws(RemoteError) -> JSON {
        guard let message = try? JSON(parsing: line) else {
            throw RemoteError.malformed(address, line: String(decoding: line.prefix(60), as: UTF8.self))
        }
        return message
    }
}
