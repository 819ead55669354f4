import TestSupport

extension Measurement {
    /// Covers, fetched as clients do.
    static let pictures = Measurement(
        figures: Pictures.limits.map(\.name),
        summary:
            "covers of some 500 KB in songs and beside them: CPU per 8 KB piece and per cover, and of there being none"
    ) { bench, report in
        let pictures = try await Pictures()
        var figures = Pictures.limits.map { Figure($0.name) }
        for kind in LineDaemon.Kind.installed {
            let values = try await pictures.measure(kind, bench)
            for index in figures.indices {
                let value = values[figures[index].name]
                figures[index].set(kind.rawValue, value)
                if kind == .segued { figures[index].setLimit(Pictures.limits[index].limit, for: value) }
            }
        }
        for figure in figures { report(figure) }
    }
}

/// An album whose songs carry a cover, which lies beside them, too.
private struct Pictures {
    static let limits: [(name: String, limit: Double)] = [
        ("picture_embedded_piece_us", 60), ("picture_embedded_cover_ms", 4), ("picture_beside_piece_us", 40),
        ("picture_beside_cover_ms", 2), ("picture_none_us", 250),
    ]

    private let folder: TemporaryFolder
    /// In bytes.
    private let coverSize: Int
    private static let songs = 15
    /// What a server sends of a picture unless it is asked for more, in bytes.
    private static let pieceSize = 8192

    init() async throws {
        folder = try TemporaryFolder()
        let cover = folder.file("cover.jpg")
        let noise = "nullsrc=s=820x820,geq=random(1)*255:128:128"
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", noise, "-frames:v", "1", "-q:v", "2", cover])
        coverSize = try FileBytes.read(cover).count
        let plain = folder.file("plain.flac")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "sine=duration=30", plain])
        let bytes = try FileBytes.read(plain)
        for number in 1...Self.songs { try folder.write("\(number).flac", bytes) }
        let songs = (1...Self.songs).map { folder.file("\($0).flac") }
        try ChildProcess.run("metaflac", ["--import-picture-from=" + cover] + songs)
    }

    func measure(_ kind: LineDaemon.Kind, _ bench: Bench) async throws -> [String: Double] {
        let daemon = try await LineDaemon(kind, music: folder.path)
        try await daemon.update()
        try await daemon.settle()
        let client = try daemon.client()
        let covers = bench.isQuick ? Self.songs : 4 * Self.songs
        func microseconds(_ body: (Int) throws -> Void) throws -> Double {
            let spent = daemon.process.cpuSeconds
            for number in 0..<covers { try body(number % Self.songs + 1) }
            return (daemon.process.cpuSeconds - spent) / Double(covers) * 1_000_000
        }
        func cover(_ command: String) throws -> Double {
            try microseconds { number in
                for offset in stride(from: 0, to: coverSize, by: Self.pieceSize) {
                    try client.command("\(command) \(number).flac \(offset)")
                }
            }
        }
        let pieces = Double((coverSize + Self.pieceSize - 1) / Self.pieceSize)
        let (embedded, beside) = (try cover("readpicture"), try cover("albumart"))
        let none = try microseconds { _ in try client.command("readpicture plain.flac 0") }
        return [
            "picture_embedded_piece_us": embedded / pieces, "picture_embedded_cover_ms": embedded / 1000,
            "picture_beside_piece_us": beside / pieces, "picture_beside_cover_ms": beside / 1000,
            "picture_none_us": none,
        ]
    }
}
