import AudioTypes
import Foreground
import Glibc
import Verbs

/// What the command line's arguments stand for.
struct Expansion: Sendable {
    var entries: [MediaEntry] = []
    /// One line for each thing that cannot be played, naming it and the reason.
    var problems: [String] = []
}

/// The entries that files, folders, playlists, URLs and `-` stand for, in order.
func expandArguments(_ arguments: [String], playlists: [String], isRecursive: Bool) async -> Expansion {
    var expansion = Expansion()
    for location in arguments + playlists {
        let entry = MediaEntry(location: location)
        if location != "-", !entry.isURL, unsafe access(location, R_OK) != 0 {
            expansion.problems.append("\(location): \(unsafe String(cString: strerror(errno)))")
        } else {
            expansion.entries.append(entry)
        }
    }
    return expansion
}
