package import AudioTypes
package import Charsets

/// The media to play, in order, expanded from arguments; and the problems found.
///
/// Files are examined but media are never read: at most the first KiB of a file without a known extension. Every call
/// is synchronous and may wait for a disk, and for the network if that is enabled.
package struct MediaList: Sendable, Hashable {
    /// Limits of the expansion; the excess is left out and reported.
    package struct Limits: Sendable, Hashable {
        package var entries: Int
        /// Bytes of one playlist.
        package var playlistSize: Int
        /// Playlists read in total, with together no more bytes than sixteen of the largest size.
        package var playlists: Int
        /// Playlists fetched from the network in total.
        package var documents: Int
        /// Bytes of one fetched playlist.
        package var documentSize: Int
        /// Nesting depth of playlists.
        package var nesting: Int
        /// How long a pipe with a playlist may be silent, in seconds.
        package var patience: Double
        package var problems: Int

        package init(
            entries: Int = 1_000_000,
            playlistSize: Int = 16 * 1_048_576,
            playlists: Int = 1000,
            documents: Int = 32,
            documentSize: Int = 1_048_576,
            nesting: Int = 16,
            patience: Double = 10,
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
    /// Media that cannot be played, in the order in which they were found.
    ///
    /// Problems never prevent the entries from being played.
    package internal(set) var problems: [MediaProblem] = []

    /// Expands a command line's arguments.
    ///
    /// - A URL is an entry, whatever it leads to; a `file:` URL is a path. A URL with a playlist's extension is fetched
    ///   if `network` is set, and replaced by its entries; they can only be on the network. A list of one station's
    ///   URLs is one entry with alternatives.
    /// - `-` is a medium on standard input.
    /// - A playlist is replaced by its entries, also within a playlist. An HLS manifest is a medium.
    /// - A directory is replaced by the media files in it, in natural order, then with `isRecursive` those of each
    ///   directory in it, in the order of `ls -R`. Hidden files and playlists are left out, links are followed, no
    ///   directory is listed twice. A cue sheet replaces the files that it describes when all of them exist.
    /// - Any other file is a medium, even without a known extension.
    ///
    /// - Parameters:
    ///   - arguments: A name that is not UTF-8, which no `String` can hold, as a `file:` URL with its bytes
    ///     percent-encoded (`Playlists.location(ofFileSystemPath:)`). Entries name such files in the same way.
    ///   - charset: Of playlists that are not UTF-8; `nil` to judge by each.
    ///   - network: Fetches playlists at URLs; `nil` leaves the URLs as they are.
    package init(
        arguments: [String],
        isRecursive: Bool = false,
        limits: Limits = Limits(),
        charset: Charset? = nil,
        network: DocumentFetch? = nil
    ) {
        var expander = Expander(isRecursive: isRecursive, limits: limits, network: network)
        expander.charset = charset
        for argument in arguments { expander.add(argument: argument) }
        self = expander.list
    }

    /// Reads one playlist, even one with only lines of locations.
    ///
    /// - Parameters:
    ///   - playlist: A file or pipe, or a URL where `network` is given; `-` reads standard input to its end, with
    ///     locations relative to the current directory.
    ///   - standardInput: The descriptor for `-`.
    ///   - needsName: Whether a text from the network is a playlist only by its type or name. Otherwise clients could
    ///     read any text by loading it as a playlist.
    ///   - keepsMissingTracks: Whether tracks of CUE sheets with missing files are kept.
    ///   - charset: Of playlists that are not UTF-8; `nil` to judge by each.
    package init(
        playlist: String,
        isRecursive: Bool = false,
        standardInput: Int32 = 0,
        keepsMissingTracks: Bool = false,
        needsName: Bool = false,
        limits: Limits = Limits(),
        charset: Charset? = nil,
        network: DocumentFetch? = nil
    ) {
        var expander = Expander(isRecursive: isRecursive, limits: limits, network: network)
        expander.charset = charset
        expander.keepsMissingTracks = keepsMissingTracks
        expander.needsName = needsName
        expander.add(playlist: playlist, standardInput: standardInput)
        self = expander.list
    }

    init() {}
}
