package import AudioTypes

/// What is to be played, in order, found from what a person named; and what of it cannot be.
///
/// Files are looked at but media are never read: at most the first KiB of a file whose name tells nothing. Everything here
/// is synchronous and may wait for a disk, and for the network where it is given one.
package struct MediaList: Sendable, Hashable {
    /// How far files are followed; what goes beyond is left out and reported.
    package struct Limits: Sendable, Hashable {
        package var entries: Int
        /// Bytes of one playlist.
        package var playlistSize: Int
        /// Playlists read in all, of together no more bytes than sixteen of the largest size.
        package var playlists: Int
        /// Playlists fetched from the network in all.
        package var documents: Int
        /// Bytes of one of those.
        package var documentSize: Int
        /// Playlists within playlists.
        package var nesting: Int
        /// How long a pipe that a playlist is read from may be silent, in milliseconds.
        package var patience: Int
        package var problems: Int

        package init(
            entries: Int = 1_000_000,
            playlistSize: Int = 16 * 1_048_576,
            playlists: Int = 1000,
            documents: Int = 32,
            documentSize: Int = 1_048_576,
            nesting: Int = 16,
            patience: Int = 10_000,
            problems: Int = 1000
        ) {
            self.entries = entries
            self.playlistSize = playlistSize
            self.playlists = playlists
            self.documents = documents
            self.documentSize = documentSize
            self.nesting = nesting
            self.patience = patience
            self.problems = problems
        }
    }

    package internal(set) var entries: [MediaEntry] = []
    /// What cannot be played, in the order in which it was found.
    ///
    /// Problems never keep the entries from being played.
    package internal(set) var problems: [MediaProblem] = []

    /// Expands a command line's arguments.
    ///
    /// - A URL is an entry, whatever it leads to; a `file:` URL is a path. A URL whose name is that of a playlist is fetched
    ///   where `network` is given, and its entries take its place; what it names can only be of the network. A list of one
    ///   station's addresses is one entry with alternatives.
    /// - `-` is a medium on standard input.
    /// - A playlist's entries take its place, also where a playlist names a playlist. A manifest of HTTP Live Streaming is
    ///   a medium.
    /// - A directory gives the media files in it, sorted as people do, then with `isRecursive` those of each directory in
    ///   it, as `ls -R` lists them. Hidden files and playlists are left out, links are followed, no directory is listed
    ///   twice. A cue sheet takes the place of the files that it describes when all of them are there.
    /// - Any other file is a medium, also when its name does not say so.
    ///
    /// - Parameters:
    ///   - arguments: A name that is not UTF-8, which no `String` holds, as a `file:` URL with its bytes percent-encoded
    ///     (`Playlists.location(ofFileSystemPath:)`). Entries name such files in the same way.
    ///   - network: Fetches playlists that URLs name; `nil` leaves them as they are.
    package init(
        arguments: [String],
        isRecursive: Bool = false,
        limits: Limits = Limits(),
        network: DocumentFetch? = nil
    ) {
        var expander = Expander(isRecursive: isRecursive, limits: limits, network: network)
        for argument in arguments { expander.add(argument: argument) }
        self = expander.list
    }

    /// Reads one playlist, also one that is only lines of locations.
    ///
    /// - Parameters:
    ///   - playlist: A file or pipe, or a URL where `network` is given; `-` reads standard input to its end, with locations
    ///     relative to the current directory.
    ///   - standardInput: The descriptor that `-` means.
    ///   - keepsMissingTracks: Whether tracks of CUE sheets are entries whose files are not there.
    package init(
        playlist: String,
        isRecursive: Bool = false,
        standardInput: Int32 = 0,
        keepsMissingTracks: Bool = false,
        limits: Limits = Limits(),
        network: DocumentFetch? = nil
    ) {
        var expander = Expander(isRecursive: isRecursive, limits: limits, network: network)
        expander.keepsMissingTracks = keepsMissingTracks
        expander.add(playlist: playlist, standardInput: standardInput)
        self = expander.list
    }

    init() {}
}
