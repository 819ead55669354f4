import AudioTypes
import Playlists

/// Gives any bytes to all parsers and to what their callers do with the result.
///
/// The first byte chooses what is tried, the rest is the input. Its highest bit makes the limits so small that they are reached.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let content = Array(input.dropFirst())
    let limits = choice & 0x80 == 0 ? ParseLimits() : ParseLimits(entries: 3, lineLength: 20, nesting: 3, problems: 2)
    let bases = ["dir/list", "/list", "http://h/d/list?q", "file:///d/list", ""]

    let formats = PlaylistFormat.allCases
    let parsed =
        if Int(choice & 0x7f) < formats.count {
            try? Playlist(content, as: formats[Int(choice & 0x7f)], limits: limits)
        } else {
            try? Playlist(content, named: "list.m3u", readsBareText: true, limits: limits)
        }
    if let parsed { check(parsed, limits: limits, bases: bases) }

    let text = String(decoding: content.prefix(4096), as: UTF8.self)
    for base in bases {
        for syntax in [LocationSyntax.path, .uri] {
            let result = resolve(text, against: base, as: syntax)
            precondition(result != "-", "a list named standard input")
            _ = fileSystemPath(of: result)
        }
    }
    _ = resolve("a", against: text)
    let halves = text.split(separator: "\n", maxSplits: 1)
    if halves.count == 2 {
        let (left, right) = (String(halves[0]), String(halves[1]))
        _ = resolve(left, against: right, as: .uri)
        let keys = (NaturalKey(left), NaturalKey(right))
        precondition(!(keys.0 < keys.1 && keys.1 < keys.0), "no order")
    }
    precondition(fileSystemPath(of: location(ofFileSystemPath: [0x2f] + content.filter { $0 != 0 })) != nil)
    return 0
}

private func check(_ playlist: Playlist, limits: ParseLimits, bases: [String]) {
    precondition(playlist.entries.count <= limits.entries)
    precondition(playlist.problems.count <= limits.problems + 1)
    precondition(playlist.lines.count == playlist.entries.count)
    precondition(playlist.lines.allSatisfy { $0 > 0 })
    for (index, entry) in playlist.entries.enumerated() {
        precondition(!entry.location.isEmpty && !entry.location.utf8.contains(0))
        if let end = entry.end { precondition(end > entry.start ?? .zero) }
        if index < 100 { for base in bases { _ = playlist.location(ofEntry: index, against: base) } }
    }
    for problem in playlist.problems { precondition(!problem.description.utf8.contains(0x0a)) }
}

/// The program's beginning, which libFuzzer's library leaves to us because the package manager names `main` itself.
@_cdecl("fuzz_playlists_main")
func start(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
    var (count, arguments) = unsafe (count, arguments)
    return unsafe runDriver(&count, &arguments, fuzzOneInput)
}

/// `LLVMFuzzerRunDriver` of FuzzerInterface.h; words and pointers are passed alike in C and Swift.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ fuzz: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
