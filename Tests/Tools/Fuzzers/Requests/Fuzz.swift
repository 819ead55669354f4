import LineProtocol
import ProtocolClient

/// Takes any bytes for a request, and any words for a client's.
///
/// The first byte chooses: even ones are a line as it comes, odd ones words between zeros, which are quoted first.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let choice = input.first else { return 0 }
    let content = input.dropFirst()
    if choice & 1 == 0 { takeApart(content) } else { bringBack(content) }
    return 0
}

/// Whatever comes is a request or a failure that fits into a line.
private func takeApart(_ line: ArraySlice<UInt8>) {
    do {
        let request = try RequestLine(parsing: Array(line))
        precondition(request.arguments.count <= RequestLine.mostArguments)
        precondition(!request.command.isEmpty && request.command.utf8.allSatisfy { $0 < 0x80 && $0 > 0x20 })
        precondition(RequestLine.beginsWithWord(Array(line)))
        precondition(request.arguments.reduce(0) { $0 + $1.unicodeScalars.count } <= line.count)
        reply(to: request)
    } catch {
        var reply = Reply()
        reply.ack(error, index: 0, command: "")
        precondition(reply.bytes.last == 0x0a && reply.bytes.dropLast().allSatisfy { $0 != 0x0a })
    }
}

/// A value in a reply stays one line, which clients can read.
private func reply(to request: RequestLine) {
    for argument in request.arguments {
        var reply = Reply()
        reply.line("file", argument)
        precondition(reply.bytes.count <= 4_096 && reply.bytes.dropLast().allSatisfy { $0 != 0x0a })
        precondition(String(validating: reply.bytes, as: UTF8.self) != nil)
    }
}

/// What the client quotes is what the server reads.
private func bringBack(_ content: ArraySlice<UInt8>) {
    let words = content.split(separator: 0, maxSplits: RequestLine.mostArguments - 1, omittingEmptySubsequences: false)
        .map { String(decoding: $0.map { $0 == 0 || $0 == 0x0a || $0 == 0x0d ? 0x20 : $0 }, as: UTF8.self) }
    let line = Request("find", words).line
    precondition(line.last == 0x0a && line.dropLast().allSatisfy { $0 != 0x0a })
    let request = try? RequestLine(parsing: Array(line.dropLast()))
    precondition(request?.command == "find" && request?.arguments == words)
}

/// The program's beginning, which libFuzzer's library leaves to us because the package manager names `main` itself.
@_cdecl("fuzz_requests_main")
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
