import ProtocolClient
import TerminalText

/// A picture or song that can be chosen.
struct PickerItem: Hashable {
    let uri: String
    /// The name by which it is told from others.
    let name: String
    /// A few words more.
    let details: [String]

    init?(_ reply: ServerReply, isSong: Bool) {
        guard let uri = reply["file"] else { return nil }
        self.uri = uri
        let fileName = uri.unicodeScalars.split(separator: "/").last.map { String($0) } ?? uri
        if isSong {
            let title = reply["Title"] ?? fileName
            name = reply["Artist"].map { "\($0) - \(title)" } ?? title
            let duration = reply["duration"].flatMap { Double($0) }.map { clockText(Int(saturating: $0.rounded())) }
            details = [reply["Album"], duration].compactMap(\.self)
        } else {
            name = fileName
            let size = reply["width"].flatMap { width in reply["height"].map { "\(width) x \($0)" } }
            details = [size, reply["captured"].map { String($0.prefix(10)) }].compactMap(\.self)
        }
    }
}

/// The outcome of a choice.
enum PickerOutcome: Hashable {
    case chosen
    /// The client is to get nothing.
    case cancelled
    /// The input has ended without an answer.
    case left
    /// There is nothing to answer any more, for this reason.
    case over(String)
}
