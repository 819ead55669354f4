import Files
import Glibc
import PictureValues
import PictureWorkers
import Synchronization
import TerminalPictures
import TerminalText

/// The covers of files that play in the foreground, as files that the desktop's panels can read.
///
/// All calls block.
final class CoverFiles: Sendable {
    private struct State {
        /// The one that was made last.
        var path: String?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let folder: String?

    init() {
        folder = TerminalTraits.variable("XDG_RUNTIME_DIR").flatMap { $0.isEmpty ? nil : $0 + "/segue" }
    }

    /// The longest side of covers, in pixels.
    private static let side = 512

    /// The cover embedded in a file, made small, else the one that lies beside it; `nil` where there is none.
    ///
    /// - Parameter number: Distinguishes it from those before: panels keep a picture by its address.
    func cover(of path: String, number: Int) -> String? {
        if let embedded = made(of: path, isEmbedded: true, number: number) { return embedded }
        guard let beside = coverFile(beside: path) else { return nil }
        // Of kinds that panels may not read, one that they do is made.
        let isCommon = beside.lastIndex(of: ".").map { PictureFormat(fileExtension: String(beside[$0...].dropFirst())) }
        return isCommon ?? nil != nil ? beside : made(of: beside, isEmbedded: false, number: number)
    }

    private func made(of path: String, isEmbedded: Bool, number: Int) -> String? {
        guard let folder, let file = try? Descriptor(path, .reading) else { return nil }
        var order = PictureOrder(side: Self.side)
        order.isOfCover = isEmbedded
        // Its process ends with it.
        guard let picture = try? PictureWorker(program: PictureTerminal.program, yields: true).make(order, of: file)
        else {
            return nil
        }
        makeFolders(folder)
        let made = "\(folder)/cover-\(getpid())-\(number).jpg"
        guard (try? AtomicFile.make(made, isNew: false, { try $0.write(picture.bytes) })) != nil else { return nil }
        return keep(made) ? made : nil
    }

    /// Removes the file before.
    ///
    /// - Returns: Whether the new one is still wanted.
    private func keep(_ made: String) -> Bool {
        let (spare, isWanted) = state.withLock { state in
            guard !state.isClosed else { return (made as String?, false) }
            defer { state.path = made }
            return (state.path, true)
        }
        if let spare, spare != made || !isWanted { try? AtomicFile.remove(spare) }
        return isWanted
    }

    /// Removes what was made.
    func close() {
        let last = state.withLock { state in
            state.isClosed = true
            return state.path
        }
        if let last { try? AtomicFile.remove(last) }
    }
}
