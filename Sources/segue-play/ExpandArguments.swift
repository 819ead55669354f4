import AudioTypes
import MediaFiles
import Mixing

/// What the command line's arguments stand for.
struct Expansion: Sendable {
    var entries: [MediaEntry] = []
    /// One line for each thing that cannot be played, naming it and the reason.
    var problems: [String] = []
}

/// The entries that files, folders, playlists, URLs and `-` stand for, in order.
func expandArguments(_ arguments: [String], playlists: [String], isRecursive: Bool) async -> Expansion {
    let expansion = try? await WorkThread.run(named: "segue-files") {
        var expansion = Expansion()
        let lists =
            [MediaList(arguments: arguments, isRecursive: isRecursive)]
            + playlists.map { MediaList(playlist: $0, isRecursive: isRecursive) }
        for list in lists {
            expansion.entries += list.entries
            expansion.problems += list.problems.map(\.description)
        }
        return expansion
    }
    return expansion ?? Expansion()
}
