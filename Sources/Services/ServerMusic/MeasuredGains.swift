package import AudioTypes
package import LibraryService
private import Synchronization

/// The library, as players ask it on their decode threads how loud a song was measured to be.
package final class MeasuredGains: Sendable {
    private let library = Mutex<MusicLibrary?>(nil)

    /// Answers from a library from now on.
    package func use(_ library: MusicLibrary) { self.library.withLock { $0 = library } }

    /// The gain of a file of the music directory; `nil` when it was not measured.
    ///
    /// Blocks for a moment, on the disk of the index.
    package func gain(_ uri: String) -> ReplayGain? { library.withLock(\.self)?.measuredGain(uri) }
}
