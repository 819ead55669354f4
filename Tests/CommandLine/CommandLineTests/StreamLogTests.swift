import AudioTypes
import Foreground
import Testing

@testable import Playback

@Suite struct StreamLogTests {
    private static func errors(_ comments: String...) -> ErrorLog {
        var log = ErrorLog()
        for comment in comments {
            let failure = StreamFailure(
                date: 1_000,
                uri: "http://h/x",
                statusCode: 503,
                domain: "HTTP",
                comment: comment,
                isFinal: false
            )
            log.append(failure, session: "S")
        }
        return log
    }

    private static func access(_ starts: Double...) -> AccessLog {
        var log = AccessLog()
        for start in starts {
            let event = AccessLog.Event(
                playbackStartDate: start,
                uri: "http://h/x",
                playbackSessionID: "S",
                playbackType: .live,
                playbackStartOffset: 0
            )
            log.begin(event, isFetched: true)
            log.end()
        }
        return log
    }

    @Test func textNamesItsFieldsWheneverTheyChange() {
        var log = StreamLog(path: "x.log")
        let item = PlayerItem.ID(number: 1)
        #expect(log.failed(ErrorLog()) == [])
        #expect(log.played(item, AccessLog()) == [])
        let first = log.failed(Self.errors("503 Busy"))
        #expect(first.count == 4)
        #expect(first.prefix(2).allSatisfy { $0.hasPrefix("#") })
        #expect(first[2].hasPrefix("#Fields: date uri "))
        #expect(first[3].hasPrefix("1970-01-01T00:16:40.000Z http://h/x "))
        #expect(first[3].contains(#""503 Busy""#))
        #expect(log.failed(Self.errors("503 Busy", "reset")).count == 1)
        let played = log.played(item, Self.access(2_000))
        #expect(played.count == 2)
        #expect(played[0].hasPrefix("#Fields: "))
        #expect(played[1].hasPrefix("1970-01-01T00:33:20.000Z "))
        // Only what is new.
        #expect(log.played(item, Self.access(2_000, 3_000)).map { $0.prefix(19) } == ["1970-01-01T00:50:00"])
        #expect(log.played(item, Self.access(2_000, 3_000)) == [])
        #expect(log.played(PlayerItem.ID(number: 2), Self.access(2_000)).count == 1)
        #expect(log.failed(Self.errors("gone")).count == 2)
    }

    @Test func jsonHasWhatIsKnown() {
        var log = StreamLog(path: "x.JSON")
        #expect(
            log.failed(Self.errors("503 Busy")) == [
                """
                {"log":"error","date":1000,"uri":"http://h/x","playbackSessionID":"S","errorStatusCode":503,\
                "errorDomain":"HTTP","errorComment":"503 Busy","isFinal":"no"}
                """
            ]
        )
        let played = log.played(PlayerItem.ID(number: 1), Self.access(2_000))
        #expect(played.count == 1)
        #expect(played[0].hasPrefix(#"{"log":"access","playbackStartDate":2000,"uri":"http://h/x","#))
        #expect(!played[0].contains("-1"))
    }
}
