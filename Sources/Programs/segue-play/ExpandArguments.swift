import AudioTypes
import HTTP
import MediaFiles
import Mixing
import Verbs

/// What the command line's arguments stand for.
struct Expansion: Sendable {
    var entries: [MediaEntry] = []
    /// One line for each thing that cannot be played, naming it and the reason.
    var problems: [String] = []
}

/// The entries that files, folders, playlists, URLs and `-` stand for, in order.
///
/// - Parameter interrupt: Ends waiting for the network.
func expandArguments(of options: PlayOptions, interrupt: Interrupt) async -> Expansion {
    let (selection, request) = (options.selection, options.stream.request.httpOptions)
    let expansion = try? await WorkThread.run(named: "segue-files") {
        let network = fetchingDocuments(request, interrupt: interrupt)
        var expansion = Expansion()
        let lists =
            [MediaList(arguments: options.locations, isRecursive: selection.recursive, network: network)]
            + selection.playlist.map { MediaList(playlist: $0, isRecursive: selection.recursive, network: network) }
        for list in lists {
            expansion.entries += list.entries
            expansion.problems += list.problems.map(\.description)
        }
        return expansion
    }
    return expansion ?? Expansion()
}
