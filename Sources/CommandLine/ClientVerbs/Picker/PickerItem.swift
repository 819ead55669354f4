import ProtocolClient
import TerminalText
import TextEncodings

/// A picture, video or song that can be chosen.
struct PickerItem: Hashable {
    let uri: String
    /// The name by which it is told from others.
    let name: String
    /// The words below its picture.
    let caption: String
    /// A few words more.
    let details: [String]

    init?(_ reply: ServerReply, isSong: Bool) {
        guard let uri = reply["file"] else { return nil }
        self.uri = uri
        let fileName = uri.lastPathComponent
        if isSong {
            let title = reply["Title"] ?? fileName
            name = reply["Artist"].map { "\($0) - \(title)" } ?? title
            details = [reply["Album"], Self.duration(reply)].compactMap(\.self)
            caption = ([name] + details).joined(separator: ", ")
        } else {
            name = fileName
            details = [Self.duration(reply), Self.size(reply), Self.date(reply)].compactMap(\.self)
            caption = [Self.duration(reply), name].compactMap(\.self).joined(separator: " ")
        }
    }

    /// Of a video or song.
    static func duration(_ reply: ServerReply) -> String? {
        reply["duration"].flatMap { Double($0) }.map { clockText(Int(saturating: $0.rounded())) }
    }

    /// Of a picture or video, in pixels.
    static func size(_ reply: ServerReply) -> String? {
        reply["width"].flatMap { width in reply["height"].map { "\(width) x \($0)" } }
    }

    /// The day on which a picture or video was taken.
    static func date(_ reply: ServerReply) -> String? { reply["captured"].map { String($0.prefix(10)) } }
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
