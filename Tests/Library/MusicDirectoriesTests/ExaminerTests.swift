import AudioTypes
import Foundation
import LibraryScan
import MediaCoding
import MediaHeaders
import MusicDirectories
import PictureValues
import Songs
import Synchronization
import TestSupport
import Testing
import Threads

/// What libavformat adds to what headers tell, in whole scans.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct ExaminerTests {
    /// As long as an album, and nothing but zeros: libavformat looks for sound up to its end.
    private func zeros(in music: MusicFixture) throws {
        try music.write("zeros.mp3", "")
        let file = try #require(FileHandle(forWritingAtPath: music.path + "/zeros.mp3"))
        try file.truncate(atOffset: 40 << 30)
    }

    @Test(.timeLimit(.minutes(5))) func aFileThatTakesTooLongIsAProblem() throws {
        let music = try MusicFixture()
        try zeros(in: music)
        let sink = Rows()
        try LibraryScanner(.init(root: music.path), sink: sink, examiner: LibavformatExaminer(patience: 0.2)).scan()
        let rows = sink.rows.withLock(\.self)
        #expect(rows["zeros.mp3"]?.problem == "takes too long to be understood")
    }

    /// The end of the program does not wait for one file, and the next scan reads it again.
    @Test(.timeLimit(.minutes(5))) func aScanThatIsCancelledBreaksOff() throws {
        let music = try MusicFixture()
        try zeros(in: music)
        let (sink, control) = (Rows(), ScanControl())
        let examiner = CancelledExaminer(control: control)
        try LibraryScanner(.init(root: music.path), sink: sink, examiner: examiner).scan(control: control)
        let rows = sink.rows.withLock(\.self)
        #expect(rows.isEmpty)
    }

    /// A song of the library is what opens when it is played; the others say the same there.
    @Test func damagedFilesAreJudgedAsWhenTheyArePlayed() async throws {
        let music = try MusicFixture()
        for (codec, place, name) in [
            (MediaFixtures.Codec.vorbis, 22, "sum.ogg"), (.vorbis, 58, "setup.ogg"), (.opus, 22, "sum.opus"),
            (.opus, 37, "channels.opus"), (.flac, 7, "size.flac"), (.flac, nil, "cut.flac"), (.mp3, nil, "cut.mp3"),
            (.flac, 12, "blocks.flac"), (.vorbis, nil, "cut.ogg"),
        ] as [(MediaFixtures.Codec, Int?, String)] {
            var bytes = try FileBytes.read(try await MusicFixture.song(codec))
            if let place {
                bytes[place] ^= 0x55
            } else {
                let start = codec == .flac ? bytes.indices.first { bytes[$0...].starts(with: [0xff, 0xf8]) } : 0
                bytes = Array(bytes[..<min(bytes.count, (start ?? 0) + 500)])
            }
            try FileBytes.write(bytes, to: "\(music.path)/\(name)")
        }
        let sink = Rows()
        try LibraryScanner(.init(root: music.path), sink: sink, examiner: LibavformatExaminer()).scan()
        let rows = sink.rows.withLock(\.self)
        #expect(rows.count == 9)
        for (name, row) in rows {
            let problem: String?
            do {
                _ = try MediaProbe.probe("\(music.path)/\(name)")
                problem = nil
            } catch let error as MediaError {
                problem = "\(error.reason)"
            }
            #expect(row.problem == problem, "\(name)")
        }
        #expect(rows.values.count { $0.problem != nil } >= 5)
    }

    @Test func chaptersVideosAndRareFormatsAreKnownAndTheRestIsAProblem() async throws {
        let music = try MusicFixture()
        try music.copy(try await MediaFixtures.chapters("m4b"), to: "book.m4b")
        try music.copy(try await MusicFixture.song(.wavpack), to: "song.wv")
        try music.copy(try await MusicFixture.song(.flac), to: "song.flac")
        try music.write("text.mp3", "hello\n")
        let film = music.path + "/film.mp4"
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "testsrc=s=64x48:d=1", "-f", "lavfi", "-i", "sine=d=1", "-c:v", "mpeg4", "-c:a", "aac",
            "-metadata", "creation_time=2024-05-17T18:30:00Z", "-metadata:s:v", "rotate=90", film,
        ])
        let sink = Rows()
        try LibraryScanner(.init(root: music.path), sink: sink, examiner: LibavformatExaminer()).scan()
        let rows = sink.rows.withLock(\.self)
        #expect(rows.count == 5)
        #expect(rows["book.m4b"]?.kind == .audio)
        #expect(rows["book.m4b"]?.chapters.isEmpty == false)
        let song = try #require(rows["song.wv"])
        #expect(song.codec == "wavpack")
        #expect(song.tags.contains { $0 == (.title, "T one") })
        #expect(song.portableID != nil)
        #expect(rows["song.flac"]?.duration == song.duration)
        let video = try #require(rows["film.mp4"])
        #expect(video.kind == .video)
        #expect(video.width == 64)
        #expect(video.height == 48)
        #expect(video.captured.map { "\($0)" } == "2024-05-17T18:30:00Z")
        #expect(video.problem == nil)
        #expect(rows["text.mp3"]?.problem?.contains("media") == true)
    }

    /// The rates at which videos were captured and are shown, and the identifier of a Live Photo's.
    @Test func videosTellHowTheyWereMade() async throws {
        let music = try MusicFixture()
        for (name, rate, tags) in [
            ("plain", "30", []), ("fast", "120", []), ("slow", "30", ["com.android.capture.fps=240"]),
            ("lapse", "30", ["com.android.capture.fps=15"]), ("dark", "15", ["com.android.capture.fps=30"]),
            ("live", "30", ["com.apple.quicktime.content.identifier=FFCB-1"]),
        ] {
            try await MediaFixtures.ffmpeg(
                [
                    "-f", "lavfi", "-i", "testsrc=s=64x48:d=1:r=\(rate)", "-c:v", "mpeg4", "-movflags",
                    "use_metadata_tags",
                ]
                    + tags.flatMap { ["-metadata", $0] } + ["\(music.path)/\(name).mov"]
            )
        }
        let sink = Rows()
        try LibraryScanner(.init(root: music.path), sink: sink, examiner: LibavformatExaminer()).scan()
        let rows = sink.rows.withLock(\.self)
        #expect(
            rows.mapValues(\.subtypes) == [
                "plain.mov": [], "fast.mov": .highFrameRate, "slow.mov": .highFrameRate, "lapse.mov": .timelapse,
                "dark.mov": [], "live.mov": [],
            ]
        )
        #expect(rows["live.mov"]?.contentIdentifier?.text == "FFCB-1")
        #expect(rows["plain.mov"]?.contentIdentifier == nil)
    }

    /// libavformat gives one value of each tag, and for each name the library has another.
    @Test func tagsThatHeadersTellAreAsStored() async throws {
        let music = try MusicFixture()
        // As long as the two values that take its place, with a box around each.
        let (path, one) = (music.path + "/book.m4b", String(repeating: "x", count: 18))
        try await MediaFixtures.ffmpeg([
            "-i", try await MediaFixtures.chapters("m4b"), "-c", "copy", "-metadata", "album_artist=\(one)", path,
        ])
        let book = Data(try FileBytes.read(path))
        let place = try #require(book.range(of: Data(one.utf8)))
        let values = Data(
            "AB".utf8.flatMap { [0, 0, 0, 17] + Array("data".utf8) + [0, 0, 0, 1, 0, 0, 0, 0, $0] as [UInt8] }
        )
        let two = book[..<(place.lowerBound - 16)] + values + book[place.upperBound...]
        try FileBytes.write(Array(two), to: path)
        let sound = try FileBytes.read(try await MusicFixture.song(.adts))
        let tag = id3(
            id3Frame("TPE1", "A\0B") + id3Frame("TDRC", "2001-02-03") + id3Frame("TYER", "2001")
                + id3Frame("TCON", "(137)")
        )
        try FileBytes.write(tag + sound, to: music.path + "/sound.aac")
        let sink = Rows()
        try LibraryScanner(.init(root: music.path), sink: sink, examiner: LibavformatExaminer()).scan()
        let rows = sink.rows.withLock(\.self)
        for (name, expected) in [
            ("book.m4b", [(TagType.albumArtist, ["A", "B"])]),
            ("sound.aac", [(.artist, ["A", "B"]), (.date, ["2001-02-03"]), (.genre, ["Heavy Metal"])]),
        ] {
            let row = try #require(rows[name])
            #expect(row.codec == "aac")
            #expect(row.problem == nil)
            #expect(row.chapters.isEmpty == (name == "sound.aac"))
            let song = try music.directory.song(name)
            for (tag, values) in expected {
                #expect(row.tags.filter { $0.0 == tag }.map(\.1) == values, "\(name)")
                #expect(song.values(of: tag) == values, "\(name), which the library does not know")
            }
        }
    }
}

/// Keeps what was found.
private final class Rows: LibrarySink {
    let rows = Mutex<[String: ScannedFile]>([:])

    func folders() -> [ExactText: KnownFolder] { [:] }
    func known(in directory: String) -> [ExactText: KnownFile] { [:] }
    func store(_ batch: ScanBatch) { rows.withLock { rows in for file in batch.files { rows[file.uri] = file } } }
}

/// Has the scan cancelled once it looks into a file.
private struct CancelledExaminer: MediaExaminer {
    let control: ScanControl
    private let examiner = LibavformatExaminer(patience: 3_600)

    init(control: ScanControl) { self.control = control }

    func examine(_ path: FilePath, into file: inout ScannedFile) {
        WorkThread.startWhenPossible(named: "cancel") { control.cancel() }
        examiner.examine(path, into: &file)
    }

    func addChapters(_ path: FilePath, to file: inout ScannedFile) { examiner.addChapters(path, to: &file) }

    func breakOff() { examiner.breakOff() }
}
