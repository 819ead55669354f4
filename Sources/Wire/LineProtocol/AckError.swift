/// The error codes that MPD's clients know (`ack.h` of libmpdclient).
package enum AckCode: Int, Sendable, Hashable {
    case notList = 1
    case badArgument = 2
    case wrongPassword = 3
    case permission = 4
    case unknownCommand = 5
    case doesNotExist = 50
    case queueFull = 51
    case system = 52
    case playlistLoad = 53
    case alreadyUpdating = 54
    case notPlaying = 55
    case alreadyExists = 56
}

/// A command's failure, sent as `ACK [code@index] {command} text`.
package struct AckError: Error, Sendable, Hashable {
    package let code: AckCode
    package let text: String
    /// Whether the client's rights or quotas are the reason, so that its owner is told.
    package let isRefusal: Bool

    /// - Parameter isRefusal: `nil` for whether the code is that of permissions.
    package init(_ code: AckCode, _ text: String, isRefusal: Bool? = nil) {
        self.code = code
        self.text = text
        self.isRefusal = isRefusal ?? (code == .permission)
    }
}
