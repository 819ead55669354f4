import Foundation
import TestSupport
import TestThreads
import Testing

/// `segue probe` of pictures, here and on the network.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Programs.missing.isEmpty })
struct PictureProbeTests {
    @Test func picturesAreProbedByTheirHeaders() async throws {
        let server = try await WebServer.start()
        // Far more than is fetched follows the header.
        let picture = MadeMedia.jpeg(width: 4000, height: 3000) + [UInt8](repeating: 0, count: 8 << 20)
        let path = server.root + "/photo.jpg"
        try FileBytes.write(picture, to: path)
        try FileBytes.write([UInt8](repeating: 7, count: 5_000), to: server.root + "/other.jpg")
        let places = [path, "http://127.0.0.1:\(server.port)/photo.jpg", "http://127.0.0.1:\(server.port)/other.jpg"]
        let result = try await ChildProcess(
            Programs.path("segue"),
            ["probe", "--json"] + places,
            environment: Programs.environment()
        ).wait()
        let lines = result.outputText.split(separator: "\n").map(String.init)
        let facts = #""kind":"image","container":"jpeg","codec":"mjpeg","width":4000,"height":3000,"orientation":1,"#
        #expect(lines.count == 3, "\(result.errorText)")
        #expect(lines[0].hasPrefix(#"{"location":"\#(path)",\#(facts)"#))
        #expect(lines[1].hasPrefix(#"{"location":"\#(places[1])",\#(facts)"#))
        #expect(lines[2].contains("not a media file"))
        #expect(result.status == .code(1))
    }
}
