private import Foundation

extension NetworkMaterial {
    /// How the segments of a presentation of DASH are found.
    package nonisolated enum DASH: String, CaseIterable, Sendable {
        /// Their times are listed.
        case timeline
        /// They are as long as the manifest says.
        case numbers
        /// All are in one file, whose ranges are listed.
        case list
        /// All are in one file, which has an index.
        case index
        /// Opus in WebM, each with its time.
        case webM
        /// All in one file of WebM, which has an index.
        case cues

        /// What the segments' file is called.
        package var isWebM: Bool { self == .webM || self == .cues }
    }

    /// A folder with a presentation and its manifest, `index.mpd`; its segments are numbered from 1.
    ///
    /// - Parameter kilobits: Of its representations.
    package static func dash(_ form: DASH, seconds: Int, segment: Int = 2, kilobits: [Int] = [128]) throws -> String {
        let source = try MediaFixtures.position(.wav, seconds: seconds, sampleRate: 48_000)
        let name = kilobits.map(String.init).joined(separator: "-")
        return try MediaFixtures.file("dash-\(form.rawValue)-\(name)-\(seconds)x\(segment)") { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            if form == .cues { return try makeFileWithCues(source, segment: segment, in: folder) }
            let codec = form == .webM ? "libopus" : "aac"
            let streams = kilobits.indices.flatMap { ["-map", "0:a", "-b:a:\($0)", "\(kilobits[$0])k"] }
            let way: [String] =
                switch form {
                case .timeline, .cues: []
                case .numbers: ["-use_timeline", "0"]
                case .list: ["-single_file", "1", "-single_file_name", "all-$RepresentationID$.mp4"]
                case .index:
                    ["-single_file", "1", "-global_sidx", "1", "-single_file_name", "all-$RepresentationID$.mp4"]
                case .webM: ["-dash_segment_type", "webm"]
                }
            let names = [
                "-init_seg_name", "init-$RepresentationID$.mp4", "-media_seg_name", "$RepresentationID$-$Number$.m4s",
            ]
            let encoder = ["-i", source] + streams + ["-c:a", codec, "-f", "dash", "-seg_duration", "\(segment)"]
            let sets = ["-adaptation_sets", "id=0,streams=a"]
            try MediaFixtures.ffmpeg(encoder + way + names + sets + ["\(folder)/index.mpd"])
        }
    }

    private static func makeFileWithCues(_ source: String, segment: Int, in folder: String) throws {
        let length = "\(segment * 1000)"
        let encoder = ["-i", source, "-c:a", "libopus", "-b:a", "128k", "-f", "webm", "-dash", "1"]
        try MediaFixtures.ffmpeg(encoder + ["-cluster_time_limit", length, "\(folder)/all.webm"])
        let sets = ["-adaptation_sets", "id=0,streams=0"]
        try MediaFixtures.ffmpeg(
            ["-f", "webm_dash_manifest", "-i", "\(folder)/all.webm", "-map", "0", "-c", "copy"]
                + ["-f", "webm_dash_manifest"] + sets + ["\(folder)/index.mpd"]
        )
        // The muxer writes down the file's whole path.
        let text = try String(contentsOfFile: "\(folder)/index.mpd", encoding: .utf8)
        let own = text.replacingOccurrences(of: "\(folder)/all.webm", with: "all.webm")
        try FileBytes.write(Array(own.utf8), to: "\(folder)/index.mpd")
    }
}
