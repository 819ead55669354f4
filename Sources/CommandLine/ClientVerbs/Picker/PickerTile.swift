import Files
import PictureValues
import PictureWorkers
import ProtocolClient
import TerminalPictures

/// A picture of an item that is wanted in some cells.
struct PickerTile: Hashable, Sendable {
    let uri: String
    let canvas: TerminalCanvas

    /// The steps in which the server is asked for sizes, in pixels, so that it has made most of them before.
    private static let sides = [256, 512, 1_024]

    /// The longest side that is useful, in pixels.
    var side: Int {
        let longest = canvas.pixels.longestSide
        return Self.sides.first { $0 >= longest } ?? min(longest, 4_096)
    }
}

/// The outcome of getting a picture.
enum PickerPicture: Sendable {
    case made(TerminalPicture)
    /// For this reason.
    case failed(String)

    /// In bytes.
    var cost: Int {
        switch self {
        case .made(let picture): picture.text.count + 128
        case .failed(let reason): reason.utf8.count + 128
        }
    }
}

/// Gets pictures from the server and makes them fit for a terminal, on one thread.
///
/// All calls block.
final class PickerPictures {
    private let connect: @Sendable () -> RemoteConnection?
    private let type: String
    private var connection: RemoteConnection?
    private let worker = PictureWorker(program: PictureTerminal.program)

    /// - Parameters:
    ///   - type: Of artwork, in the server's words.
    ///   - connect: Opens a connection of this thread's own.
    init(_ type: String, _ connect: @escaping @Sendable () -> RemoteConnection?) {
        (self.type, self.connect) = (type, connect)
    }

    func picture(_ tile: PickerTile) -> PickerPicture {
        // The server may have ended a connection that was silent for long.
        for isLast in [false, true] {
            connection = connection ?? connect()
            guard let connection else { break }
            do {
                let bytes = try connection.binary("artwork", type, tile.uri, String(tile.side))
                let order = TerminalOrder(tile.canvas, isOfCover: true)
                return .made(try worker.show(order, of: PictureWorker.file(with: bytes)))
            } catch let error as RemoteError {
                if let refusal = error.refusal { return .failed(refusal.text) }
                self.connection = nil
                if isLast { return .failed("\(error)") }
            } catch {
                return .failed("\(error)")
            }
        }
        return .failed("the server does not answer")
    }
}
