import Files
import Glibc
import TerminalText
import Threads

/// Reads a terminal's keys on a thread of its own, which sleeps until one is pressed.
final class Keyboard: Sendable {
    private let input: Int32
    /// A byte written here tells the thread whether to read: `1` or `0`.
    private let control: Int32

    /// A keyboard that is not read yet.
    init?(input: Int32, handler: @escaping @Sendable ([Key]) -> Void) {
        var pipe: [Int32] = [-1, -1]
        guard unsafe Glibc.pipe(&pipe) == 0 else { return nil }
        self.input = input
        control = pipe[1]
        let commands = pipe[0]
        WorkThread.startWhenPossible(named: "segue-keys") { Self.read(input, commands: commands, handler: handler) }
    }

    /// Starts or stops reading: in the background, input belongs to other jobs.
    func setReading(_ isReading: Bool) { TextOutput(number: control).write(isReading ? "1" : "0") }

    private static func read(_ input: Int32, commands: Int32, handler: ([Key]) -> Void) {
        var parser = KeyParser()
        var isReading = false
        var bytes = [UInt8](repeating: 0, count: 256)
        while true {
            let ready = Readiness.wait(for: [.readable(commands), .readable(isReading ? input : -1)])
            if ready[0] {
                guard unsafe Glibc.read(commands, &bytes, 1) == 1 else { return }
                isReading = bytes[0] == UInt8(ascii: "1")
            } else if ready[1] {
                let count = unsafe Glibc.read(input, &bytes, bytes.count)
                if count > 0 {
                    let keys = parser.parse(bytes[..<count])
                    if !keys.isEmpty { handler(keys) }
                } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                    // The end, a terminal that has gone, or the background: stop reading until requested again.
                    isReading = false
                }
            }
        }
    }
}
