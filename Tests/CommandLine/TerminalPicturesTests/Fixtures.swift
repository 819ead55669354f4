import Files
import Foundation
import PictureValues
import PictureWorkers
import TestSupport
import Testing

/// Films and pictures that ffmpeg makes, and what it decodes from them.
enum Fixtures {
    static let missing = ChildProcess.missing("ffmpeg")

    static let usual = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac"]
    static let silent: [String] = usual.dropLast(2) + ["-an"]

    /// A film, with sound unless its options leave that out, whose frames all differ: a clock that runs and a bar that moves.
    static func film(
        _ name: String = "film.mp4",
        seconds: Int = 4,
        in folder: TemporaryFolder,
        _ options: [String] = usual
    ) throws -> String {
        let path = folder.file(name)
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=25:duration=\(seconds)",
                "-f", "lavfi", "-i", "sine=frequency=440:duration=\(seconds)",
            ] + options + [path]
        )
        return path
    }

    /// A film with two videos, of which the second one, in German, is its default, and all red.
    static func angles(seconds: Int = 4, in folder: TemporaryFolder) throws -> String {
        let red = ["-f", "lavfi", "-i", "color=red:size=320x240:rate=25:duration=\(seconds)"]
        let maps = ["-map", "0:v", "-map", "1:a", "-map", "2:v", "-metadata:s:v:1", "language=ger"]
        let defaults = ["-disposition:v:0", "0", "-disposition:v:1", "default"]
        return try film("angles.mkv", seconds: seconds, in: folder, red + maps + usual + defaults)
    }

    /// A film's frame as ffmpeg shows it in 80 x 60 pixels.
    ///
    /// - Parameter video: The number of its video stream, from 0; `nil` for the one that is best.
    static func frame(
        _ number: Int,
        of path: String,
        video: Int? = nil,
        in folder: TemporaryFolder
    ) throws -> Bitmap {
        let size = try #require(PixelSize(80, 60))
        let raw = folder.file("frame-\(number).rgb")
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-i", path,
            ] + (video.map { ["-map", "0:v:\($0)"] } ?? []) + [
                "-vf",
                "select=eq(n\\,\(number)),scale=\(size.width):\(size.height):flags=area+accurate_rnd+full_chroma_int+full_chroma_inp",
                "-frames:v", "1", "-f",
                "rawvideo", "-pix_fmt", "rgb24", raw,
            ]
        )
        return Bitmap(size, channels: 3, pixels: try FileBytes.read(raw))
    }
}

extension Bitmap {
    /// The mean difference of samples, 0 to 255; 255 for pictures of different sizes.
    func difference(to other: Bitmap) -> Double {
        guard size == other.size else { return 255 }
        let (ours, theirs) = (flattened(on: .black).pixels, other.flattened(on: .black).pixels)
        let sum = zip(ours, theirs).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(ours.count)
    }
}

extension Fixtures {
    // What terminals answer.
    static let kitty = "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62;4c"
    static let fullColour = "\u{1b}P1$r0;48:2:1:2:3m\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62c"

    static func segue(_ words: [String], answer: String) throws -> TerminalProcess {
        try TerminalProcess(
            try builtProgram("segue"),
            words,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/proc/nonexistent"],
            columns: 80,
            rows: 34,
            answer: answer
        )
    }
}
