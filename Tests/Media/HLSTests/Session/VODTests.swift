import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing
import Threads

@testable import HLS
@testable import Segments

/// Presentations with an end, from a real server.
@Suite(.blocking, .timeLimit(.minutes(5)), .enabled(if: isEquipped, "needs nginx and ffmpeg")) struct VODTests {
    /// The bytes of files of a folder, one after the other.
    private func files(_ folder: String, _ names: [String]) throws -> [UInt8] {
        try names.flatMap { try FileBytes.read("\(folder)/\($0)") }
    }

    @Test(arguments: [NetworkMaterial.Segments.ts, .fmp4, .encrypted])
    func everySegmentIsReadOnceAndInOrder(form: NetworkMaterial.Segments) async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(form, seconds: 9)
        try server.publish(folder: folder, as: "vod")
        let listening = Listening(server.url("vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)

        let part = try #require(listening.state.current.parts.first?.part)
        #expect(listening.reasons == [.start])
        #expect(part.container == (form == .fmp4 ? .fragmentedMP4 : .mpegTS))
        #expect(part.startTime == 0)
        #expect(abs((listening.state.current.presentation?.duration ?? 0) - 9) < 0.1)
        #expect(listening.state.current.presentation?.isLive == false)
        if form == .ts { #expect(listening.bytes == (try files(folder, (0..<5).map { "\($0).ts" }))) }
        if form == .fmp4 {
            #expect(listening.bytes == (try files(folder, ["init.mp4"] + (0..<5).map { "\($0).m4s" })))
        }
        let heard = try secondsHeard(listening)
        #expect(heard.order == Array(0..<9), "\(heard.text)")
        #expect(heard.faults() == [])
        #expect(listening.connections.last == .complete)

        // One connection, and nothing asked for that is not needed or twice.
        let requests = try await server.waitForRequests { $0.count >= 6 }
        #expect(Set(requests.map(\.connection)).count == 1)
        #expect(Set(requests.map(\.path)).count == requests.count)
        #expect(requests.count == (form == .ts ? 6 : 7))
    }

    @Test func aMasterPlaylistCostsOneRequestMore() async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.variants([48, 128], seconds: 4), as: "vod")
        let listening = Listening(server.url("vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.state.current.presentation?.indicatedBitRate == 140_800)
        let requests = try await server.waitForRequests { $0.count >= 4 }
        #expect(requests.map(\.path).prefix(2) == ["/vod/index.m3u8", "/vod/128/index.m3u8"])
        #expect(!requests.contains { $0.path.hasPrefix("/vod/48/") })
        #expect(try secondsHeard(listening).faults() == [])
    }

    @Test func aLimitTakesTheVariantThatHasLess() async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.variants([48, 128], seconds: 4), as: "vod")
        var options = StreamOptions()
        options.preferredPeakBitRate = 100_000
        let listening = Listening(server.url("vod/index.m3u8"), options)
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.state.current.parts.first?.part.indicatedBitRate == 52_800)
        #expect(!server.requests.contains { $0.path.hasPrefix("/vod/128/") })
    }

    @Test(arguments: [(TrackSelection.automatic, "en"), (.language("de"), "de"), (.number(2), "de")])
    func aLanguageIsAPlaylistOfItsOwn(track: TrackSelection, expected: String) async throws {
        let server = try await WebServer.start()
        for language in ["en", "de"] {
            try server.publish(
                folder: try await NetworkMaterial.segments(.fmp4, seconds: 4),
                as: "vod/\(language)"
            )
        }
        try server.publish(
            text: """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,URI="en/index.m3u8"
                #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",URI="de/index.m3u8"
                #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.4d401e,mp4a.40.2",AUDIO="a"
                video/index.m3u8

                """,
            as: "vod/index.m3u8"
        )
        let listening = Listening(server.url("vod/index.m3u8"), track: track)
        #expect(try await listening.waitForEnd() == nil)
        #expect(server.requests.dropFirst().allSatisfy { $0.path.hasPrefix("/vod/\(expected)/") })
        let presentation = try #require(listening.state.current.presentation)
        #expect(presentation.audioTracks.map(\.language) == ["en", "de"])
        #expect(presentation.selectedTrack == (expected == "en" ? 0 : 1))
    }

    @Test func aDiscontinuityIsAPartOfItsOwn() async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.segments(.ts, seconds: 4), as: "vod/a")
        try server.publish(folder: try await NetworkMaterial.segments(.fmp4, seconds: 4), as: "vod/b")
        try server.publish(
            text: """
                #EXTM3U
                #EXT-X-TARGETDURATION:2
                #EXTINF:2,
                a/0.ts
                #EXTINF:2,
                a/1.ts
                #EXT-X-DISCONTINUITY
                #EXT-X-MAP:URI="b/init.mp4"
                #EXTINF:2,
                b/0.m4s
                #EXTINF:2,
                b/1.m4s
                #EXT-X-ENDLIST

                """,
            as: "vod/index.m3u8"
        )
        let listening = Listening(server.url("vod/index.m3u8"), chunk: 777)
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .discontinuity])
        #expect(listening.state.current.parts.map(\.part.container) == [.mpegTS, .fragmentedMP4])
        #expect(listening.state.current.parts.map(\.part.startTime) == [0, 4])
        #expect(listening.state.current.parts.map(\.part.timeline) == [0, 1])
        let heard = try secondsHeard(listening)
        #expect(heard.order == [0, 1, 2, 3, 0, 1, 2, 3], "\(heard.text)")
    }

    @Test func packedAudioIsOnePart() async throws {
        let server = try await WebServer.start()
        let source = try await MediaFixtures.position(.adts, seconds: 6, sampleRate: 48_000)
        let bytes = try FileBytes.read(source)
        // Cut between frames, each piece with the tag that carries its time stamp.
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 10] + [UInt8](repeating: 0, count: 10)
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
        for (index, piece) in adtsPieces(bytes, frames: 94).enumerated() {
            try server.publish(bytes: tag + piece, as: "vod/\(index).aac")
            list += "#EXTINF:\(94 * 1024 / 48_000.0),\n\(index).aac\n"
        }
        try server.publish(text: list + "#EXT-X-ENDLIST\n", as: "vod/index.m3u8")
        let listening = Listening(server.url("vod/index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start])
        #expect(listening.state.current.parts.first?.part.container == .packedAudio)
        let heard = try secondsHeard(listening)
        #expect(heard.order == Array(0..<6), "\(heard.text)")
    }

    private func adtsPieces(_ bytes: [UInt8], frames: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var (place, count) = (0, 0)
        while place + 7 <= bytes.count {
            let size = Int(bytes[place + 3] & 3) << 11 | Int(bytes[place + 4]) << 3 | Int(bytes[place + 5] >> 5)
            if count % frames == 0 { pieces.append([]) }
            pieces[pieces.count - 1] += bytes[place..<min(bytes.count, place + size)]
            (place, count) = (place + size, count + 1)
        }
        return pieces
    }

    @Test(arguments: ["", "whole/"])
    func oneFileMayHoldAllSegments(place: String) async throws {
        let server = try await WebServer.start(.whole("whole/"))
        let folder = try await NetworkMaterial.segments(.fmp4, seconds: 6)
        let names = ["init.mp4", "0.m4s", "1.m4s", "2.m4s"]
        let sizes = try names.map { try FileBytes.read("\(folder)/\($0)").count }
        try server.publish(bytes: try files(folder, names), as: "all.mp4")
        var list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"\(sizes[0])@0\"\n"
        list += "#EXTINF:2,\n#EXT-X-BYTERANGE:\(sizes[1])@\(sizes[0])\nall.mp4\n"
        for size in sizes[2...] { list += "#EXTINF:2,\n#EXT-X-BYTERANGE:\(size)\nall.mp4\n" }
        try server.publish(text: list + "#EXT-X-ENDLIST\n", as: "index.m3u8")
        let listening = Listening(server.url("\(place)index.m3u8"))
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.bytes == (try files(folder, names)))
    }

    @Test func aSeekBeginsAPartAtItsSegment() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 20)
        try server.publish(folder: folder, as: "vod")
        let listening = Listening(server.url("vod/index.m3u8"), chunk: 4096)
        listening.order { session in
            let start = session.seek(to: 15)
            #expect(abs(start - 14) < 0.05)
            #expect(session.plan.range.upperBound > 19.9)
        }
        #expect(try await listening.waitForEnd() == nil)
        #expect(listening.reasons == [.start, .seek])
        let part = try #require(listening.state.current.parts.last)
        #expect(part.part.soundFrom == 15)
        #expect(abs(part.part.startTime - 14) < 0.05)
        #expect(part.part.timeline == 0)
        #expect(part.bytes == (try files(folder, (7..<11).map { "\($0).ts" })))
        // What lies between was not asked for.
        #expect(server.requests(of: "vod/4.ts").isEmpty)
    }

    @Test func aSeekAfterTheEndPlaysAgain() async throws {
        let server = try await WebServer.start()
        let folder = try await NetworkMaterial.segments(.ts, seconds: 4)
        try server.publish(folder: folder, as: "vod")
        let url = server.url("vod/index.m3u8")
        let client = HTTPClient(HTTPOptions(), interrupt: Interrupt()) { _ in }
        let document = try client.fetch(url, atMost: 1 << 20)
        let session = SegmentSession(
            HLSPlaylists(PresentationRequest(document, url: url, client: client)),
            client: client,
            options: StreamOptions(),
            decryptor: OpenSSLDecryptor.Factory(),
            report: { _ in }
        )
        _ = try session.open()
        // A demuxer that has seen enough needs not read to the end.
        #expect(try session.nextPart()?.reason == .start)
        let second = try #require(try session.nextPart())
        #expect(abs(second.startTime - 2) < 0.05)
        #expect(second.reason == .gap)
        // What is rounded up to three segments.
        _ = try session.nextPart()
        #expect(try session.nextPart() == nil)
        session.seek(to: 0)
        #expect(try session.nextPart()?.reason == .seek)
    }

    @Test(arguments: [
        "file:///etc/passwd", "data:text/plain,x", "concat:a|b", "subfile,,start,0,end,0,,:/etc/passwd", "pipe:0",
        "ftp://127.0.0.1/x",
    ])
    func nothingOfThisMachineIsReachable(location: String) async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.segments(.ts, seconds: 4), as: "vod")
        let scheme = location.prefix { $0 != ":" && $0 != "," }
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
        let segment = "#EXTINF:2,\nvod/0.ts\n#EXT-X-ENDLIST\n"
        let lists = [
            "segment": "\(head)#EXTINF:2,\n\(location)\n#EXT-X-ENDLIST\n",
            "key": "\(head)#EXT-X-KEY:METHOD=AES-128,URI=\"\(location)\"\n\(segment)",
            "map": "\(head)#EXT-X-MAP:URI=\"\(location)\"\n\(segment)",
            "variant": "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n\(location)\n",
        ]
        for (name, text) in lists {
            try server.publish(text: text, as: "\(name).m3u8")
            let end = try await Listening(server.url("\(name).m3u8")).waitForEnd()
            // What has no scheme of its own is a name on the server, which does not have it.
            let isName = scheme == "subfile"
            let words = try #require(end, "\(name)")
            #expect(words.contains(isName ? "404" : "which a playlist must not name"), "\(name): \(words)")
        }
    }

    @Test(arguments: [
        ("#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"", "the segments are encrypted by SAMPLE-AES, which is not supported"),
        ("#EXT-X-KEY:METHOD=AES-128,URI=\"short\"", "the key has 5 bytes instead of 16"),
    ])
    func encryptionThatCannotBeUndoneIsAnError(line: String, words: String) async throws {
        let server = try await WebServer.start()
        try server.publish(folder: try await NetworkMaterial.segments(.ts, seconds: 4), as: "vod")
        try server.publish(text: "short", as: "short")
        let list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(line)\n#EXTINF:2,\nvod/0.ts\n#EXT-X-ENDLIST\n"
        try server.publish(text: list, as: "index.m3u8")
        #expect(try await Listening(server.url("index.m3u8")).waitForEnd() == words)
    }
}
