import Glibc
import TestSupport
import Testing

/// What `apt purge segue` removes, by the package's own script, in a mount namespace of its own.
@Suite(.enabled("not root, so unshare(1) is not allowed") { getuid() == 0 })
struct PurgeTests {
    private let folder: TemporaryFolder
    private let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    init() throws { folder = try TemporaryFolder() }

    /// Purges when the state folder has these files.
    ///
    /// - Returns: The files that are left below it, and whether the account was removed.
    private func purge(_ files: [String]) throws -> (left: [String], removedAccount: Bool) {
        // The machine's own folders and accounts are not there.
        let script = """
            set -eu
            mount -t tmpfs none /var/lib
            mount -t tmpfs none /var/cache
            [ ! -d /etc/segue ] || mount -t tmpfs none /etc/segue
            mkdir -p /var/cache/segue/pictures tools
            touch /var/cache/segue/pictures/1
            printf '#!/bin/sh\\necho segue' >tools/getent
            printf '#!/bin/sh\\ntouch removed' >tools/userdel
            chmod 755 tools/*
            for file; do
                mkdir -p "/var/lib/segue/$(dirname "$file")"
                touch "/var/lib/segue/$file"
            done
            PATH="$PWD/tools:$PATH" sh "\(root)/packaging/debian/postrm" purge
            [ ! -e /var/cache/segue ] || echo cache
            [ ! -e /var/lib/segue ] || (cd /var/lib/segue && find . -type f)
            """
        let words = ["--mount", "sh", "-c", script, "sh"] + files
        let output = try ChildProcess.run("unshare", words, folder: folder.path).outputText
        let left = output.split(separator: "\n").map { String($0.hasPrefix("./") ? $0.dropFirst(2) : $0) }
        return (left.sorted(), unsafe access(folder.file("removed"), F_OK) == 0)
    }

    private let made = [
        "zones/default.journal", "zones/default.position", "zones.journal", "stickers.journal", "clients.journal",
        "clients.journal.damaged-1", "library.db", "library.db-wal", "library.db-reading.suspects", "tls-identity.pem",
        "foreign-levels", "fifos", "lock",
    ]

    @Test func musicPlaylistsAndTheirAccountStay() throws {
        let own = ["music/album/song.flac", "playlists/evening.m3u", "notes.txt"]
        let (left, removedAccount) = try purge(made + own)
        #expect(left == own.sorted())
        #expect(!removedAccount)
    }

    @Test func nothingOfSegueIsLeftWhereItsOwnerHasNothing() throws {
        let (left, removedAccount) = try purge(made)
        #expect(left.isEmpty)
        #expect(removedAccount)
    }
}
