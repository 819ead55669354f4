internal import LineProtocol
package import RemoteControl
internal import Songs

/// Gives a running server what MPD left behind, through the line protocol.
///
/// What the server has already stays as it is unless it is to be replaced, so that doing it twice does no harm.
package final class Takeover {
    package struct Choices: Sendable, Hashable {
        /// Whether the server's own queue, playlists and stickers give way.
        package var replaces: Bool
        /// Whether it may go on playing if MPD was.
        package var mayPlay: Bool

        package init(replaces: Bool = false, mayPlay: Bool = false) {
            self.replaces = replaces
            self.mayPlay = mayPlay
        }
    }

    /// What is under way, and how much of it is done.
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

    /// Does it.
    ///
    /// - Throws: When the server is gone, or does not permit it.
    package func run(_ state: ImportedState) throws(RemoteError) -> TakeoverReport {
        report.problems = state.problems
        if !state.playlists.isEmpty { try takeOver(state.playlists) }
        if !state.stickers.isEmpty { try takeOver(state.stickers) }
        if state.hasState { try takeOverQueue(state) }
        return report
    }

    // MARK: Asking

    /// Runs commands of which each may be refused, and tells how far it is.
    ///
    /// - Throws: The first refusal for want of a permission, for then all the others are refused, too.
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

    /// Runs commands, and notes those that are refused.
    ///
    /// - Parameter subject: What a command is about, by its place.
    func runNoting(_ requests: [Request], _ what: String, of subject: (Int) -> String) throws(RemoteError) {
        for (place, result) in try runEach(requests, what).enumerated() {
            if case .failure(let refusal) = result { report.note(refusal, of: subject(place)) }
        }
    }
}

/// What became of it.
package struct TakeoverReport: Sendable, Hashable {
    package var songs = 0
    package var playlists = 0
    package var stickers = 0
    /// What is in MPD's queue or playlists, and not in the server's music directory; each once, in order.
    package private(set) var missingSongs: [String] = []
    /// Those of songs that are not there.
    package var lostStickers: [ImportedSticker] = []
    /// Playlists that the server has with other songs.
    package var keptPlaylists: [String] = []
    /// How many stickers the server has with another value.
    package var keptStickers = 0
    /// How many songs the server's queue has, which therefore stays; `nil` when MPD's was taken over.
    package var keptQueue: Int?
    /// One line for each thing that could not be taken over.
    package var problems: [String] = []
    /// How often the server said the same of others.
    private var refusals: [String: Int] = [:]
    private var seen: Set<ExactText> = []

    package init() {}

    mutating func miss(_ uri: String) {
        if seen.insert(ExactText(uri)).inserted { missingSongs.append(uri) }
    }

    /// Notes that the server will not have something; of what it says many times, the first stands for all.
    mutating func note(_ refusal: Refusal, of subject: String) {
        refusals[refusal.text, default: 0] += 1
        if refusals[refusal.text] == 1 { problems.append("\(subject): the server says '\(refusal.text)'") }
    }

    /// Whether all that matters has been taken over or was there.
    ///
    /// Stickers of songs that are gone do not matter: MPD does not show them either.
    package var isComplete: Bool { missingSongs.isEmpty && problems.isEmpty }
}
