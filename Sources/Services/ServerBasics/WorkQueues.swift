package import Threads

/// The queues of work that blocks, which the event loop must not do itself.
extension WorkQueue {
    /// Queries that the library's index answers quickly.
    package static let index = WorkQueue("questions to the library", threads: 2, waiting: 1_000)
    /// Searches by regular expression: one at a time, so that other queries have a processor and a reader of the index.
    package static let expressions = WorkQueue("searches by regular expression", threads: 1, waiting: 64)
    /// Reads of stored playlists.
    package static let playlists = WorkQueue("stored playlists", threads: 2, waiting: 250)
    /// Changes of stored playlists: each reads, changes and writes a file, so there is one at a time.
    package static let playlistChanges = WorkQueue("changes of stored playlists", threads: 1, waiting: 250)
    /// Playlists fetched from the network.
    package static let network = WorkQueue("fetched playlists", threads: 16, waiting: 0)
    /// Questions to the sound server.
    package static let sinks = WorkQueue("questions to the sound server", threads: 2, waiting: 64)
    /// Moving and switching outputs, in order.
    package static let outputs = WorkQueue("changes of outputs", threads: 1, waiting: 64)
    /// Reading the stored state of zones that are being created.
    package static let zones = WorkQueue("new zones", threads: 1, waiting: 64)
    /// The file of the alarms' bell, which no dead file system may hold up.
    package static let bell = WorkQueue("the bell of alarms", threads: 1, waiting: 0)
    /// Other programs' streams: their processes, and the file of their levels.
    package static let streams = WorkQueue("streams of other programs", threads: 1, waiting: 0)
    /// Checking the passwords of named clients, which takes a processor and 16 MB for a while.
    package static let passwords = WorkQueue("checks of passwords", threads: 1, waiting: 32)
    /// QR codes of invitations, whose library is loaded for the first one.
    package static let codes = WorkQueue("QR codes", threads: 1, waiting: 16)
    /// Waiting for state to reach the disk at shutdown.
    package static let state = WorkQueue("state", threads: 1, waiting: 0)
    /// The file of the machine's time zone.
    package static let timeZone = WorkQueue("the time zone", threads: 1, waiting: 0)
    /// Pictures of stations.
    package static let stations = WorkQueue("pictures of stations", threads: 2, waiting: 0)
    /// Speaking texts.
    package static let speech = WorkQueue("spoken texts", threads: 2, waiting: 0)
    /// The server's own chores, in order.
    package static let housekeeping = WorkQueue("tidying", threads: 1, waiting: 0)
    /// The server's own library queries.
    package static let upkeep = WorkQueue("looks at the queue's songs", threads: 1, waiting: 0)

    /// Files of the music directory, and others.
    ///
    /// - Parameter uri: Any of the files. All files below one top-level directory share the same threads, so that a
    ///   dead file system mounted there does not block the others.
    package static func files(_ uri: String) -> WorkQueue {
        WorkQueue("requests for files", place: topFolder(of: uri), threads: 2, inAll: 16, waiting: 250)
    }

    /// Fingerprints of songs, each of which takes a processor for a while.
    package static func fingerprints(_ uri: String) -> WorkQueue {
        WorkQueue("fingerprints", place: topFolder(of: uri), threads: 1, inAll: 2, waiting: 64)
    }

    /// The songs that alarms play.
    package static func alarms(_ uri: String) -> WorkQueue {
        WorkQueue("songs of alarms", place: topFolder(of: uri), threads: 2, inAll: 8, waiting: 0)
    }

    /// Pictures of songs, which clients request by the hundred.
    package static func pictures(_ uri: String) -> WorkQueue {
        WorkQueue("pictures", place: topFolder(of: uri), threads: 2, inAll: 16, waiting: 250)
    }

    /// Pictures that are made small: a file that is decoded for seconds holds up no picture that is only read.
    ///
    /// Its threads wait for each other's pictures, so there are more of them than decode.
    package static func artwork(_ uri: String) -> WorkQueue {
        WorkQueue("artwork", place: topFolder(of: uri), threads: 4, inAll: 16, waiting: 250)
    }

    /// Artwork that is made before it is asked for, one at a time.
    package static func artworkAhead(_ uri: String) -> WorkQueue {
        WorkQueue("artwork of what plays", place: topFolder(of: uri), threads: 1, inAll: 4, waiting: 0)
    }

    /// Artwork that sessions tell of.
    ///
    /// - Parameter path: Of a file; empty for an address.
    package static func artworkOfSessions(_ path: String) -> WorkQueue {
        WorkQueue("artwork of sessions", place: topFolder(of: path), threads: 2, inAll: 4, waiting: 0)
    }
}

/// The top-level directory of a URI or an absolute path; empty for the root and for files directly in it.
private func topFolder(of uri: String) -> String {
    let start = uri.utf8.first == UInt8(ascii: "/") ? uri.utf8.index(after: uri.startIndex) : uri.startIndex
    guard let slash = uri.utf8[start...].firstIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(uri[..<slash])
}
