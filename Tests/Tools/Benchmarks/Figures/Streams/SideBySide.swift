import Foundation
import TestSupport

extension Measurement {
    /// A server that limits each connection.
    static let sideBySide = Measurement(
        figures: ["side_by_side"],
        summary:
            "HLS of 26 kB/s at 16 kB/s for each connection: how much is silent in 40 s, and when the first sound comes"
    ) { bench, report in
        let material = 60
        let length = 40.0
        let folder = try await NetworkMaterial.segments(.ts, seconds: material)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".ts") }
        let bytes = try names.reduce(0) { try $0 + FileBytes.read("\(folder)/\($1)").count }
        let web = try await WebServer.start(.slow("slow/", rate: bytes / material * 16 / 26))
        try web.publish(folder: folder, as: "a")
        let begin = ContinuousClock.now
        let listeners = try await StreamListener.all(web.url("slow/a/index.m3u8"))
        try await Moments.sleep(until: length + 10, after: begin)
        var silence: [StreamContestant: Double] = [:]
        var first: [StreamContestant: Double] = [:]
        for listener in listeners {
            let recording = listener.capture.current
            guard let frame = recording.firstSound(after: 0) else { continue }
            first[listener.contestant] = recording.time(of: frame).seconds(since: begin)
            let silences = listener.heard(from: frame).silences.filter { $0.start < length }
            silence[listener.contestant] = silences.reduce(0) { $0 + min($1.duration, length - $1.start) }
        }
        var figure = Figure("side_by_side")
        figure.set("seconds", length)
        figure.set("_silence_s", of: silence)
        figure.set("_first_sound_s", of: first)
        figure.setLimit(1, for: silence[.segue])
        report(figure)
    }
}
