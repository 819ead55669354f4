internal import LineProtocol
package import ProtocolClient
internal import Songs

/// Imports MPD's state into a running server, through the line protocol.
///
/// Existing state of the server stays as it is unless it is to be replaced, so that a second import does no harm.
package final class Takeover {
    package struct Choices: Sendable, Hashable {
        /// Whether to replace the server's own queue, playlists and stickers.
        package var replaces: Bool
        /// Whether to continue playback if MPD was playing.
        package var mayPlay: Bool

        package init(replaces: Bool = false, mayPlay: Bool = false) {
            self.replaces = replaces
            self.mayPlay = mayPlay
        }
    }

    /// The current step, and how much of it is done.
    package struct Progress: Sendable, Hashable {
        package var what: String
        package var done: Int
        package var count: Int
    }

    let connection: RemoteConnection
    let choices: Choices
    var report = TakeoverReport()
    private let onProgress: (Progress) -> Void

    package init(
        _ connection: RemoteConnection,
        _ choices: Choices = Choices(),
        onProgress: @escaping (Progress) -> Void = { _ in }
    ) {
        self.connection = connection
        self.choices = choices
        self.onProgress = onProgress
    }

    /// Runs the import.
    ///
    /// - Throws: When the server is gone, or denies permission.
    package func run(_ state: ImportedState) throws(RemoteError) -> TakeoverReport {
        report.problems = state.problems
        if !state.playlists.isEmpty { try takeOver(state.playlists) }
        if !state.stickers.isEmpty { try takeOver(state.stickers) }
        if state.hasState { try takeOverQueue(state) }
        return report
    }

    // MARK: Asking

    /// Runs commands that may be refused one by one, and reports progress.
    ///
    /// - Throws: The first refusal for lack of permission, since the server would refuse all others, too.
    func runEach(_ requests: [Request], _ what: String) throws(RemoteError) -> [Result<ServerReply, Refusal>] {
        let onProgress = onProgress
        let results = try connection.runEach(requests) { done in
            onProgress(Progress(what: what, done: done, count: requests.count))
        }
        for case .failure(let refusal) in results where refusal.known == .permission {
            throw RemoteError.refused(refusal)
        }
        return results
    }

    /// Runs commands, and reports those that are refused.
    ///
    /// - Parameter subject: Names the subject of a command, given its index.
    func runNoting(_ requests: [Request], _ what: String, of subject: (Int) -> String) throws(RemoteError) {
        for (place, result) in try runEach(requests, what).enumerated() {
            if case .failure(let refusal) = result { report.record(refusal, of: subject(place)) }
        }
    }
}

/// The result of an import.
package struct TakeoverReport: Sendable, Hashable {
    package var songs = 0
    package var playlists = 0
    package var stickers = 0
    /// Songs in MPD's queue or playlists that are not in the server's music directory; each once, in order.
    package private(set) var missingSongs: [String] = []
    /// Stickers of songs that do not exist.
    package var lostStickers: [ImportedSticker] = []
    /// Playlists of the server that have other songs, and so were kept.
    package var keptPlaylists: [String] = []
    /// The number of stickers of the server that have other values, and so were kept.
    package var keptStickers = 0
    /// The number of songs in the server's queue, which was therefore kept; `nil` when MPD's was imported.
    package var keptQueue: Int?
    /// One line for each item that could not be imported.
    package var problems: [String] = []
    /// The number of refusals with the same text.
    private var refusals: [String: Int] = [:]
    private var seen: Set<ExactText> = []

    package init() {}

    mutating func miss(_ uri: String) {
        if seen.insert(ExactText(uri)).inserted { missingSongs.append(uri) }
    }

    /// Records a refusal; only the first of those with the same text is listed.
    mutating func record(_ refusal: Refusal, of subject: String) {
        refusals[refusal.text, default: 0] += 1
        if refusals[refusal.text] == 1 { problems.append("\(subject): the server says '\(refusal.text)'") }
    }

    /// Whether everything that matters was imported or already present.
    ///
    /// Stickers of missing songs do not matter: MPD does not show them either.
    package var isComplete: Bool { missingSongs.isEmpty && problems.isEmpty }
}
