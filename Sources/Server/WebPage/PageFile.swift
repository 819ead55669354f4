internal import Synchronization
internal import TextEncodings

/// A file of the page that browsers open.
///
/// The files are in the program. All but the first have addresses with the version of the whole, so a browser keeps them for
/// as long as it likes, and modules name each other by relative addresses.
package final class PageFile: Sendable {
    /// Of its content, such as `text/html; charset=utf-8`.
    package let type: String
    /// Whether its address will never be that of other content.
    package let isNamed: Bool
    /// Whether it is the script that serves the page while the server is away.
    package let isWorker: Bool
    private let packed: PackedFile
    /// The bytes as they are, and compressed, decoded when they are first asked for.
    private let bytes = Mutex<(plain: [UInt8]?, gzip: [UInt8]?)>((nil, nil))

    private init(_ packed: PackedFile) {
        self.packed = packed
        isNamed = packed.name != Self.first
        isWorker = packed.name == "worker.js"
        let ending = packed.name.split(separator: ".").last ?? ""
        type = Self.types["\(ending)"] ?? "application/octet-stream"
    }

    /// - Parameter path: In the server's address: `/`, or `/page/VERSION/NAME`.
    /// - Returns: `nil` where there is no such file, or not in that version.
    package static func at(_ path: String) -> PageFile? { files[path] }

    /// The path below which all files but the first are.
    package static let folder = "/page/"

    /// An entity tag, in quotation marks: both forms of the file have their own (RFC 9110, section 8.8.3.3).
    package static func tag(isCompressed: Bool) -> String { isCompressed ? "\"\(version)-gzip\"" : "\"\(version)\"" }

    /// The file's bytes.
    package func body(isCompressed: Bool) -> [UInt8] {
        bytes.withLock { bytes in
            if isCompressed {
                let gzip = bytes.gzip ?? packed.decoded(packed.gzip)
                bytes.gzip = gzip
                return gzip
            }
            let plain = bytes.plain ?? packed.decoded(packed.plain)
            bytes.plain = plain
            return plain
        }
    }

    private static let first = "index.html"

    private static let files = Dictionary(
        uniqueKeysWithValues: packed.map { file in
            (file.name == first ? "/" : "\(folder)\(version)/\(file.name)", PageFile(file))
        }
    )

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "webmanifest": "application/manifest+json",
    ]
}

/// A file as the build has packed it, in base64.
struct PackedFile: Sendable {
    let name: String
    let plain: StaticString
    let gzip: StaticString

    fileprivate func decoded(_ text: StaticString) -> [UInt8] {
        Base64.decoded(Array("\(text)".utf8)[...]) ?? []
    }
}
