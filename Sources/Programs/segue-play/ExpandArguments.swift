import AudioTypes
import Charsets
import CommandOptions
import HTTP
import MediaExpansion
import Threads

/// The entries and problems of the command line's arguments.
struct Expansion: Sendable {
    var entries: [MediaEntry] = []
    /// One line for each item that cannot be played, with its name and the reason.
    var problems: [String] = []
}

/// Expands files, folders, playlists, URLs and `-` into entries, in order.
///
/// - Parameter interrupt: Interrupts waits for the network.
func expandArguments(of options: PlayOptions, interrupt: Interrupt) async -> Expansion {
    let (selection, request) = (options.selection, options.stream.request.httpOptions)
    let expansion = try? await WorkThread.run(named: "segue-files") {
        let network = fetchingDocuments(request, interrupt: interrupt)
        var expansion = Expansion()
        let (charset, isRecursive) = (options.stream.text.charset, selection.recursive)
        let arguments = options.locations
        let lists =
            [MediaList(arguments: arguments, isRecursive: isRecursive, charset: charset, network: network)]
            + selection.playlist.map {
                MediaList(playlist: $0, isRecursive: isRecursive, charset: charset, network: network)
            }
        for list in lists {
            expansion.entries += list.entries
            expansion.problems += list.problems.map(\.description)
        }
        return expansion
    }
    return expansion ?? Expansion()
}
