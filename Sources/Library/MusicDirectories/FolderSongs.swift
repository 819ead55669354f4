package import Files
internal import Songs

/// The songs of one directory at one moment, for finding many of them by name.
///
/// Reading a directory costs a few times what looking at one of its files does.
package struct FolderSongs: Sendable {
    private let states: [ExactText: FileStatus]

    /// Blocks.
    ///
    /// - Parameter uri: The directory's.
    package init(_ music: MusicDirectory, _ uri: String) throws(MusicDirectoryError) {
        var states: [ExactText: FileStatus] = [:]
        for file in try DirectoryScan(music, uri).files
        where file.state.kind == .file && !file.isLink && isPlayable(file.name) {
            states[ExactText(file.name)] = file.state
        }
        self.states = states
    }

    /// The state of a song's file; `nil` for a link and for anything that is no song, which have to be looked at singly.
    package func state(of name: String) -> FileStatus? { states[ExactText(name)] }
}
