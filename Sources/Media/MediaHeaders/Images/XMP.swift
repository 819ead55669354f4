internal import PictureValues
internal import Playlists

/// The facts in a picture's XMP packet that tell how it was made (ISO 16684-1).
struct XMP {
    private(set) var subtypes: MediaSubtypes = []

    /// Longer than packets with all of a picture's history, in bytes.
    static let longest = 262_144
    /// More elements within each other than packets have.
    private static let mostLevels = 64
    /// More attributes of one element than programs for photographers write.
    private static let mostAttributes = 1_024

    /// The namespaces whose properties are looked at.
    private enum Namespace: String {
        /// Motion Photo format 1.0, and bursts of Google's cameras.
        case camera = "http://ns.google.com/photos/1.0/camera/"
        case item = "http://ns.google.com/photos/1.0/container/item/"
        /// Photo Sphere XMP metadata.
        case panorama = "http://ns.google.com/photos/1.0/panorama/"
        case depth = "http://ns.google.com/photos/1.0/depthmap/"
        /// Dynamic Depth 1.0.
        case dynamicDepth = "http://ns.google.com/photos/dd/1.0/depthmap/"
        /// CIPA DC-010, EXIF in XMP.
        case exif = "http://ns.adobe.com/exif/1.0/"
    }

    /// Whether any of the properties may be in a packet: the others need not be parsed.
    private static func mayTell(_ range: Range<Int>, _ window: borrowing ByteWindow) -> Bool {
        window.firstPlace(of: "ns.google.com/photos/", in: range) != nil
            || window.firstPlace(of: "UserComment", in: range) != nil
    }

    init(_ range: Range<Int>, _ window: inout ByteWindow) {
        let packet = range.prefix(Self.longest)
        guard window.load(packet.lowerBound, packet.count), Self.mayTell(packet, window) else { return }
        read(Array(window[packet]))
    }

    init(_ bytes: [UInt8]) {
        var window = ByteWindow()
        window.begin(bytes)
        self.init(0..<bytes.count, &window)
    }

    /// A property is an attribute of an element, or an element, whose text is its value or within its value.
    private mutating func read(_ bytes: [UInt8]) {
        var reader = XMLReader(bytes, nestingLimit: Self.mostLevels, attributeLimit: Self.mostAttributes)
        var namespaces: [String: Namespace] = [:]
        var open: (namespace: Namespace, name: String, level: Int)?
        while let event = reader.next() {
            switch event {
            case .start(let name, let attributes):
                for (key, value) in attributes where key.hasPrefix("xmlns:") {
                    namespaces[String(key.dropFirst(6))] = Namespace(rawValue: value)
                }
                for (key, value) in attributes {
                    guard let colon = key.firstIndex(of: ":"), let namespace = namespaces[String(key[..<colon])] else {
                        continue
                    }
                    add(namespace, key[key.index(after: colon)...].lowercased(), value)
                }
                if let namespace = namespaces[reader.prefix] { open = (namespace, name, reader.path.count) }
            case .text(let text):
                if let open { add(open.namespace, open.name, text) }
            case .end:
                if let level = open?.level, reader.path.count < level { open = nil }
            }
        }
    }

    /// - Parameter name: In lower case.
    private mutating func add(_ namespace: Namespace, _ name: String, _ value: String) {
        let value = value.trimmingPrefix { $0.isWhitespace }
        switch (namespace, name) {
        case (.camera, "motionphoto"), (.camera, "microvideo"): if value == "1" { subtypes.insert(.motionPhoto) }
        case (.camera, "burstid"): if !value.isEmpty { subtypes.insert(.burst) }
        case (.item, "semantic"):
            if value == "MotionPhoto" { subtypes.insert(.motionPhoto) }
            if value == "Depth" { subtypes.insert(.depthEffect) }
        case (.panorama, _): subtypes.insert(.panorama)
        case (.depth, _), (.dynamicDepth, _): subtypes.insert(.depthEffect)
        case (.exif, "usercomment"): if value == "Screenshot" { subtypes.insert(.screenshot) }
        default: break
        }
    }
}
