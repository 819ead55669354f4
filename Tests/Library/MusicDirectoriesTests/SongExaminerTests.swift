import Foundation
import MusicDirectories
import Songs
import TestSupport
import Testing

@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct SongExaminerTests {
    private let music: MusicFixture

    init() async throws {
        music = try MusicFixture()
        let song = try await MusicFixture.song(.flac)
        for index in 0..<40 { try music.copy(song, to: "\(index).flac") }
    }

    @Test func songsComeBackInBatches() async throws {
        let batches = Watched<[SongExaminer.Batch]>([])
        let examiner = SongExaminer(music.directory, cache: SongCache()) { batch in
            batches.withLock { $0.append(batch) }
        }
        examiner.examine((0..<40).map { "\($0).flac" } + ["no.flac"])
        #expect(
            await batches.wait(within: .patience) { $0.reduce(0) { $0 + $1.songs.count + $1.failures.count } == 41 }
        )
        let all = batches.current
        #expect(all.flatMap(\.songs).map(\.uri) == (0..<40).map { "\($0).flac" })
        #expect(all.flatMap(\.songs).allSatisfy { $0.isExamined && $0.values(of: .title) == ["T one"] })
        #expect(all.flatMap(\.failures) == ["no.flac"])
        #expect(all.count < 20)
    }

    /// What another reader has read is not read again.
    @Test func whatIsKnownIsNotLookedInto() async throws {
        let songs = Watched<[Song]>([])
        let known = Song(uri: "7.flac", tags: [(.title, "known")], isExamined: true)
        let examiner = SongExaminer(music.directory, cache: SongCache()) { uri in
            uri == known.uri ? known : nil
        } deliver: { batch in
            songs.withLock { $0 += batch.songs }
        }
        examiner.examine(["6.flac", "7.flac"])
        #expect(await songs.wait(within: .patience) { $0.count == 2 })
        #expect(songs.current.map { $0.values(of: .title) } == [["T one"], ["known"]])
    }

    /// A client that adds songs one by one has the processors for that.
    @Test func workWaitsForALull() async throws {
        let times = Watched<[ContinuousClock.Instant]>([])
        let examiner = SongExaminer(music.directory, cache: SongCache()) { batch in
            times.withLock { $0 += Array(repeating: .now, count: batch.songs.count) }
        }
        for index in 0..<20 { examiner.examine(["\(index).flac"]) }
        let last = ContinuousClock.now
        #expect(await times.wait(within: .patience) { $0.count == 20 })
        for moment in times.current { #expect(moment - last > .milliseconds(40)) }
    }

    /// Who asks for very many songs waits for a moment, not for all of them to be looked into.
    @Test func aListingIsNotKeptWaiting() throws {
        let directory = music.directory
        #expect(try directory.list("", song: directory.examining(SongCache())).allSatisfy(\.isExamined))
        let hasty = try directory.list("", song: directory.examining(SongCache(), for: .zero))
        #expect(hasty.count == 40 && !hasty.contains(where: \.isExamined))
    }

    @Test func aChangedFileIsExaminedAnew() throws {
        let cache = SongCache()
        let first = try music.directory.song("0.flac", in: cache)
        #expect(try music.directory.song("0.flac", in: cache).isIdentical(to: first))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1000)],
            ofItemAtPath: music.path + "/0.flac"
        )
        #expect(try music.directory.song("0.flac", in: cache).lastModified == 1000)
    }

    @Test func theCacheForgetsTheOldest() throws {
        let cache = SongCache(capacity: 8)
        let state = try music.directory.state(of: "0.flac")
        for index in 0..<100 {
            cache.insert(Song(uri: "\(index)"), state)
            #expect(cache.song("0", state) != nil, "what is used stays")
        }
        #expect(cache.song("50", state) == nil)
        #expect(cache.song("99", state) != nil)
    }
}

extension Listing {
    fileprivate var isExamined: Bool { if case .song(let song) = self { song.isExamined } else { false } }
}
