import AudioTypes
import Testing

@testable import Playback

/// Access and error logs as values and as text.
struct LogTests {
    private static func stretch(_ offset: Double = 0, _ type: AccessLog.PlaybackType = .file) -> AccessLog.Event {
        AccessLog.Event(
            playbackStartDate: 1_795_262_400.25,
            uri: "http://127.0.0.1/a b.mp3",
            playbackSessionID: "S",
            playbackType: type,
            playbackStartOffset: offset
        )
    }

    private static func transfer(
        _ bytes: Int,
        in seconds: Double,
        from address: String? = "127.0.0.1",
        media: Double? = nil,
        at date: Double = 0
    ) -> StreamTransfer {
        StreamTransfer(
            date: date,
            uri: "http://127.0.0.1/a b.mp3",
            serverAddress: address,
            bytes: bytes,
            duration: seconds,
            mediaDuration: media
        )
    }

    @Test func whatIsUnknownIsNegative() throws {
        var log = AccessLog()
        log.begin(Self.stretch(), isFetched: false)
        let event = try #require(log.events.first)
        #expect(event.numberOfMediaRequests == -1)
        #expect(event.numberOfServerAddressChanges == -1)
        #expect(event.numberOfBytesTransferred == -1)
        #expect(event.transferDuration == -1)
        #expect(event.observedBitrate == -1)
        #expect(event.observedBitrateStandardDeviation == -1)
        #expect(event.indicatedBitrate == -1)
        #expect(event.segmentsDownloadedDuration == -1)
        #expect(event.serverAddress == nil)
        #expect(event.numberOfStalls == 0)
    }

    @Test func requestsAddUp() throws {
        var log = AccessLog()
        // What was fetched before the first sound is the first stretch's.
        log.record(Self.transfer(1_000, in: 1))
        log.begin(Self.stretch(), isFetched: true)
        log.record(Self.transfer(3_000, in: 1, from: "127.0.0.2", media: 6))
        log.record(Self.transfer(2_000, in: 1, from: nil, media: 4))
        let event = try #require(log.events.first)
        #expect(event.numberOfMediaRequests == 3)
        #expect(event.numberOfBytesTransferred == 6_000)
        #expect(event.transferDuration == 3)
        #expect(event.observedBitrate == 16_000)
        #expect(abs(event.observedBitrateStandardDeviation - 6_531.97) < 0.01)
        #expect(event.serverAddress == "127.0.0.2")
        #expect(event.numberOfServerAddressChanges == 1)
        #expect(event.segmentsDownloadedDuration == 10)
        #expect(event.playbackType == .onDemand)
    }

    /// As a radio's request, which ends when the last listener leaves.
    @Test func whatComesIsCountedAsItComes() {
        var log = AccessLog()
        func progress(_ bytes: Int, _ seconds: Double) -> StreamStatus {
            var status = StreamStatus()
            status.transfer = Self.transfer(bytes, in: seconds, at: 1)
            return status
        }
        log.record(progress(500, 1))
        log.begin(Self.stretch(), isFetched: true)
        log.record(progress(1_000, 2))
        log.record(progress(4_000, 5))
        #expect(log.events.map(\.numberOfBytesTransferred) == [4_000])
        #expect(log.events.map(\.transferDuration) == [5])
        // Another one beside it.
        log.record(Self.transfer(10, in: 1, at: 2))
        log.end()
        log.begin(Self.stretch(5), isFetched: true)
        #expect(log.events.map(\.numberOfBytesTransferred) == [4_010, 0])
        log.record(progress(7_000, 8))
        #expect(log.events.map(\.numberOfBytesTransferred) == [4_010, 3_000])
        log.record(Self.transfer(8_000, in: 9, at: 1))
        #expect(log.events.map(\.numberOfBytesTransferred) == [4_010, 4_000])
        #expect(log.events.map(\.transferDuration) == [6, 4])
        #expect(log.events.map(\.numberOfMediaRequests) == [2, 0])
        // The next one is another one.
        log.record(Self.transfer(1, in: 1, at: 3))
        #expect(log.events.map(\.numberOfMediaRequests) == [2, 1])
        #expect(log.events.map(\.numberOfBytesTransferred) == [4_010, 4_001])
    }

    /// One may go on beside another; each is counted once.
    @Test func requestsBesideEachOtherAddUp() {
        var log = AccessLog()
        log.begin(Self.stretch(), isFetched: true)
        for (bytes, date) in [(100, 1.0), (10, 2.0), (200, 1.0), (20, 2.0)] {
            var status = StreamStatus()
            status.transfer = Self.transfer(bytes, in: 1, at: date)
            log.record(status)
        }
        log.record(Self.transfer(30, in: 1, at: 2))
        log.record(Self.transfer(300, in: 1, at: 1))
        #expect(log.events.map(\.numberOfBytesTransferred) == [330])
        #expect(log.events.map(\.numberOfMediaRequests) == [2])
    }

    @Test func stretchesAreApart() {
        var log = AccessLog()
        log.begin(Self.stretch(10), isFetched: true)
        log.recordStall()
        log.record(heardTo: 25)
        log.end()
        // Nothing plays.
        log.recordStall()
        log.record(heardTo: 99)
        log.begin(Self.stretch(40), isFetched: true)
        log.record(heardTo: 41.5)
        #expect(log.events.map(\.durationWatched) == [15, 1.5])
        #expect(log.events.map(\.numberOfStalls) == [1, 0])
        #expect(log.events.map(\.playbackStartOffset) == [10, 40])
    }

    @Test func theStatusIsNoted() throws {
        var log = AccessLog()
        log.begin(Self.stretch(), isFetched: true)
        var status = StreamStatus()
        status.isLive = true
        status.indicatedBitRate = 140_800
        status.bitRate = 128_000
        log.record(status)
        let event = try #require(log.events.first)
        #expect(event.indicatedBitrate == 140_800)
        #expect(event.averageAudioBitrate == 128_000)
        #expect(event.playbackType == .live)
    }

    @Test func logsStaySmall() {
        var log = AccessLog()
        var errors = ErrorLog()
        for number in 0..<1_000 {
            log.begin(Self.stretch(Double(number)), isFetched: true)
            errors.append(Self.failure("\(number)"), session: nil)
        }
        #expect(log.events.count == 100 && log.events.last?.playbackStartOffset == 999)
        #expect(errors.events.count == 100 && errors.events.last?.failure.comment == "999")
    }

    // MARK: Text

    @Test func accessIsWrittenAsText() throws {
        var log = AccessLog()
        log.begin(Self.stretch(12.5), isFetched: false)
        let lines = log.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.first == "#Version: 1.0")
        let fields = try #require(lines.first { $0.hasPrefix("#Fields: ") }).split(separator: " ").dropFirst()
        #expect(fields.prefix(4) == ["date", "uri", "cs-guid", "s-playback-type"])
        #expect(
            lines[3]
                == "2026-11-21T12:00:00.250Z \"http://127.0.0.1/a b.mp3\" S FILE 12.5 -1 0 0 -1 - -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1"
        )
        #expect(lines.last == "")
        #expect(fields.count == Self.stretch().fields.count)
    }

    private static func failure(_ comment: String, status: Int? = nil) -> StreamFailure {
        StreamFailure(
            date: 951_782_399.9996,
            uri: "http://h/",
            statusCode: status,
            domain: "HTTP",
            comment: comment,
            isFinal: false
        )
    }

    @Test(arguments: [
        ("404 Not Found", "\"404 Not Found\""), ("-", "\"-\""), ("", "\"\""), ("a \"b\"", "\"a \"\"b\"\"\""),
        ("two\nlines", "\"two lines\""), ("word", "word"),
    ])
    func errorsAreWrittenAsText(_ comment: String, _ text: String) {
        var log = ErrorLog()
        log.append(Self.failure(comment, status: 404), session: nil)
        let lines = log.text.split(separator: "\n")
        #expect(lines[2] == "#Fields: date uri s-ip cs-guid status domain comment x-final")
        // A leap day's last half millisecond is the next day.
        #expect(lines[3] == "2000-02-29T00:00:00.000Z http://h/ - - 404 HTTP \(text) no")
    }
}
