import Foundation
import MusicFiles
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
        examiner.examine((0..<40).map { "\($0).flac" } + ["no.flac"], .background, generation: 3)
        #expect(
            await batches.wait(within: .seconds(60)) { $0.reduce(0) { $0 + $1.songs.count + $1.failures.count } == 41 }
        )
        let all = batches.current
        #expect(all.flatMap(\.songs).map(\.uri) == (0..<40).map { "\($0).flac" })
        #expect(all.flatMap(\.songs).allSatisfy { $0.isExamined && $0.values(of: .title) == ["T one"] })
        #expect(all.flatMap(\.failures) == [.doesNotExist("no.flac")])
        #expect(all.allSatisfy { $0.generation == 3 })
        #expect(all.count < 20)
    }

    @Test func whatIsAskedForNowComesFirst() async throws {
        let order = Watched<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let examiner = SongExaminer(music.directory, cache: SongCache()) { batch in
            order.withLock { $0 += batch.songs.map(\.uri) }
            if batch.generation == 0 { gate.wait() }
        }
        // The first batch holds the thread until everything has been asked for.
        examiner.examine(["0.flac"], .now)
        #expect(await order.wait(within: .seconds(60)) { $0 == ["0.flac"] })
        examiner.examine(["1.flac", "2.flac"], .background, generation: 1)
        examiner.examine(["3.flac"], .now, generation: 1)
        examiner.examine(["4.flac"], .background, generation: 2)
        gate.signal()
        #expect(await order.wait(within: .seconds(60)) { $0.count == 5 })
        #expect(order.current == ["0.flac", "3.flac", "1.flac", "2.flac", "4.flac"])
    }

    /// Whoever adds songs one by one has the processors for that; what somebody waits for is not put off.
    @Test func backgroundWorkWaitsForALull() async throws {
        let times = Watched<[String: ContinuousClock.Instant]>([:])
        let examiner = SongExaminer(music.directory, cache: SongCache()) { batch in
            times.withLock { times in for song in batch.songs { times[song.uri] = .now } }
        }
        for index in 0..<20 { examiner.examine(["\(index).flac"], .background) }
        let last = ContinuousClock.now
        examiner.examine(["39.flac"], .now)
        #expect(await times.wait(within: .seconds(60)) { $0.count == 21 })
        let found = times.current
        let urgent = try #require(found["39.flac"])
        for index in 0..<20 {
            let moment = try #require(found["\(index).flac"])
            #expect(moment > urgent && moment - last > .milliseconds(40))
        }
    }

    @Test func whatIsCancelledIsNotDelivered() async throws {
        let order = Watched<[String]>([])
        let gate = DispatchSemaphore(value: 0)
        let examiner = SongExaminer(music.directory, cache: SongCache()) { batch in
            order.withLock { $0 += batch.songs.map(\.uri) }
            if batch.generation == 0 { gate.wait() }
        }
        examiner.examine(["0.flac"], .now)
        #expect(await order.wait(within: .seconds(60)) { !$0.isEmpty })
        examiner.examine(["1.flac", "2.flac"], .background, generation: 1)
        examiner.cancel(before: 2)
        examiner.examine(["3.flac"], .background, generation: 1)
        examiner.examine(["4.flac"], .background, generation: 2)
        gate.signal()
        #expect(await order.wait(within: .seconds(60)) { $0.contains("4.flac") })
        #expect(order.current == ["0.flac", "4.flac"])
    }

    @Test func aChangedFileIsExaminedAnew() throws {
        let cache = SongCache()
        let first = try music.directory.song("0.flac", in: cache)
        #expect(try music.directory.song("0.flac", in: cache) === first)
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
