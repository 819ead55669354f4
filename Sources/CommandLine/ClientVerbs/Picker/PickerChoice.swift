import LineProtocol
import ProtocolClient

/// A request that the user answers, and the server's side of the choice.
final class PickerChoice {
    let session: Session
    private(set) var request: ServerReply
    /// Whether this client asks itself.
    let isOwn: Bool

    init(_ session: Session, _ request: ServerReply, isOwn: Bool) {
        (self.session, self.request, self.isOwn) = (session, request, isOwn)
    }

    var name: String { request["request"] ?? "" }
    var limit: Int { request["limit"].flatMap { Int($0) } ?? 1 }
    var chosenCount: Int { request["chosen"].flatMap { Int($0) } ?? 0 }
    /// Whether the answer may be that nothing is chosen, as all that was preselected may be taken back.
    var mayEndEmpty: Bool { request["preselected"] != nil }
    var isOfSongs: Bool { PickerText.kind(request) == .songs }
    /// The kind of artwork that shows an item: a song's cover, or the picture in a file.
    var artworkType: String { isOfSongs ? "song" : "file" }
    /// Of several.
    var noun: String { PickerText.noun(request, count: 2) }

    /// Sentences that tell who asks, for what, and what the client will learn.
    var introduction: [String] {
        let (who, amount) = (request["from"] ?? "A client", PickerText.amount(request))
        let promise =
            PickerText.extends(request)
            ? "It will see what you choose from now on, beside what it sees already."
            : "It will see only what you choose."
        return [
            isOwn ? "Choose \(amount)." : "\(who) asks for \(amount). \(promise)",
            request["prompt"].map { "“\($0)”" },
            request["filter"].map { "\(isOfSongs ? "Filter" : "Kinds"): \($0)" },
        ]
        .compactMap(\.self)
    }

    /// Takes the request, or keeps it for longer.
    ///
    /// - Returns: The reason, where that is not possible.
    func take() throws(RemoteError) -> String? {
        do {
            request = try session.run("picking", "take", name)
            return nil
        } catch {
            guard let refusal = error.refusal else { throw error }
            return refusal.known == .doesNotExist ? "the client has withdrawn it, or is gone" : refusal.text
        }
    }

    /// Kinds of what the client asks for, of which the user can look at one alone; none of songs.
    var kinds: [String] { PickerText.kind(request).kinds }

    /// The items of a part of the library.
    ///
    /// - Parameters:
    ///   - part: A folder of pictures, or songs with some words; empty for all.
    ///   - filter: Of pictures and videos, beside the client's; `nil` for all of these.
    func items(in part: String, _ filter: String?, _ range: Range<Int>) throws(RemoteError) -> [ServerReply] {
        // With a slash, a folder of the name of a kind is meant.
        var words = part.isEmpty ? [] : [isOfSongs ? PickerText.expression(part) : part + "/"]
        if let filter { words += ["filter", filter] }
        let window = ["window", "\(range.lowerBound):\(range.upperBound)"]
        return try session.connection.run(Request("picking", ["items", name] + words + window))
            .groups(startingWith: "file")
    }

    /// The items that are chosen, in their order.
    func selection() throws(RemoteError) -> [ServerReply] {
        try session.run("picking", "selection", name).groups(startingWith: "file")
    }

    func select(_ uris: [String]) throws(RemoteError) { try session.pick("select", uris, for: name) }

    func deselect(_ uris: [String]) throws(RemoteError) { try session.pick("deselect", uris, for: name) }

    /// Moves a chosen item to another place among those.
    func move(_ uri: String, to place: Int) throws(RemoteError) {
        try session.run("picking", "move", name, uri, String(place))
    }
}
