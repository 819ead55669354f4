import AudioTypes
import Glibc
import HTTP
import MediaCoding
import MediaHeaders
import PictureValues
import Songs
import TestSupport
import Threads

/// Reads files with some of their numbers changed, as the scanner and the player do, until time is up, or one ends it:
/// `media-fuzzer FOLDER SECONDS SEED [pictures]`.
///
/// With the last word it decodes them as `segue-pictures` does.
///
/// What is read at the moment lies in FOLDER/now, below the name of the file that it was made of; the number printed last
/// is the seed that it was made with, and 0 SECONDS reads it alone. An input that takes longer than 20 seconds ends the
/// process by SIGALRM.
@main
struct MediaFuzzer {
    static func main() throws {
        let arguments = CommandLine.arguments
        let decodesPictures = arguments.dropFirst(4) == ["pictures"]
        guard arguments.count == 4 || decodesPictures, let seconds = Double(arguments[2]),
            var seed = UInt64(arguments[3])
        else {
            print("media-fuzzer FOLDER SECONDS SEED [pictures]")
            exit(64)
        }
        let folder = arguments[1]
        let names = names(in: folder)
        guard !names.isEmpty else { exit(66) }
        let files = names.map { (name: $0, mutation: Mutation(contents(of: "\(folder)/\($0)"))) }
        if decodesPictures { PictureFuzzing.prepare() }
        let end = ContinuousClock.now + .seconds(seconds)
        var counts = (inputs: 0, opened: 0)
        repeat {
            var generator = SplitMix(state: seed)
            guard let (name, original) = files.randomElement(using: &generator) else { break }
            var mutation = original
            mutation.change(&generator)
            let path = "\(folder)/now/\(name)"
            write(mutation.bytes, to: path)
            print(seed, name)
            fflush(nil)
            alarm(20)
            scan(mutation.bytes, path)
            if decodesPictures ? PictureFuzzing.decode(path, &generator) : play(path) { counts.opened += 1 }
            counts.inputs += 1
            _ = unsafe unlink(path)
            seed += 1
        } while ContinuousClock.now < end
        print("\(counts.inputs) inputs, \(counts.opened) of them opened")
        if decodesPictures { print("\(PictureFuzzing.peakMegabytes) MB at most") }
    }

    private static func scan(_ bytes: [UInt8], _ path: String) {
        var file = ScannedFile(uri: path, size: bytes.count, modified: 0, inode: 0)
        var reader = HeaderReader()
        _ = reader.read(bytes, into: &file)
        if let picture = reader.picture(bytes) {
            precondition(picture.shownSize.pixelCount > 0 && (picture.colourSpace?.name.utf8.count ?? 0) <= 64)
        }
        if let duration = file.duration {
            precondition(duration >= 0 && duration <= MediaTime.limit, "a duration of \(duration) s")
        }
        guard let info = try? MediaProbe.probe(path) else { return }
        // As the library keeps them.
        for chapter in info.chapters { precondition(chapter.start.milliseconds.magnitude <= 10_000_000_000_000) }
        _ = info.duration?.milliseconds
    }

    /// Plays the first seconds, and goes to some places.
    private static func play(_ path: String) -> Bool {
        do {
            var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
            var converter = AudioConverter(output: .cd)
            try read(&reader, &converter)
            let duration = reader.duration ?? MediaTime(seconds: 2)
            for time in [
                MediaTime(seconds: 0.5), MediaTime(seconds: duration.seconds / 2), duration, MediaTime(seconds: 1e300),
            ] {
                _ = try reader.seek(to: time)
                precondition(reader.nextTime.seconds.isFinite)
                try read(&reader, &converter)
            }
            return true
        } catch {
            return false
        }
    }

    private static func read(_ reader: inout MediaReader, _ converter: inout AudioConverter) throws {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<8 {
            let result = try unsafe bytes.withUnsafeMutableBytes {
                try unsafe reader.read(into: $0, through: &converter, AudioConverter.Settings())
            }
            switch result {
            case .frames(let count): precondition(count >= 0)
            case .needsFinish: converter.reset()
            case .starved, .metadata: break
            case .ended: return
            }
        }
    }
}
