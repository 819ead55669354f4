private import Glibc
import TestSupport

/// A music directory of many songs: hard links to a few short files, a thousand in each folder.
final class MusicFolder {
    private let folder: TemporaryFolder
    let uris: [String]

    var path: String { folder.path }

    init(songs: Int) async throws {
        let tags = ["artist=An Artist", "album=An Album", "title=A Song of Some Length", "date=2001", "genre=Rock"]
        let source = try await MediaFixtures.file("bench-short.flac") { path in
            let options = tags.flatMap { ["-metadata", $0] }
            try MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "sine=duration=0.5"] + options + [path])
        }
        folder = try TemporaryFolder()
        let bytes = try FileBytes.read(source)
        var uris: [String] = []
        for number in 0..<songs {
            let album = "album \(number / 1_000)"
            if number % 1_000 == 0 {
                _ = try folder.makeFolder(album)
                try folder.write("\(album)/0.flac", bytes)
            } else {
                let place = folder.file("\(album)/\(number % 1_000).flac")
                unsafe link(folder.file("\(album)/0.flac"), place)
            }
            uris.append("\(album)/\(number % 1_000).flac")
        }
        self.uris = uris
    }
}
