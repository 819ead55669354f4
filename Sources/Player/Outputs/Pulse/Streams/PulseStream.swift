internal import CPulse
private import Glibc

/// A stream that a program plays at a sound server: PulseAudio's sink input.
///
/// Its texts come from the program, so they are cut, and have no control characters.
package struct PulseStream: Sendable, Hashable {
    /// The server's number of the stream.
    package var index: UInt32
    /// The name of the sink where it is heard; `nil` until that is known.
    package var sink: String?
    var sinkIndex: UInt32
    /// The program's own name, and the stream's.
    package var applicationName = ""
    package var mediaName = ""
    /// The file name of the program.
    package var binary = ""
    /// The application's identifier, such as `org.mozilla.firefox`; of a Flatpak the one that its portal vouches for.
    package var applicationID = ""
    /// The purpose of the sound, in PulseAudio's words: `music`, `phone`, `event`.
    package var role = ""
    /// The process on this machine; `nil` where it is not known.
    package var process: Int32?
    /// By what the server's memory of volumes knows the stream; `nil` for one that cannot be found there again.
    package var restoreKey: String?
    /// Whether it is one of Segue's programs.
    package var isOurs = false
    package var isCorked = false
    package var level: StreamLevel
    /// Whether the stream has a volume that may be set.
    package var isAdjustable = true
    /// Whether the level is one that this process has set, so that no user has.
    package var isLevelSet = false
    /// The number of the last order for the level that was carried out; 0 for none.
    package var order = 0
    /// Whether the level is what that order came to, and no older report can follow.
    package var isLevelSettled = false

    package init(index: UInt32, sink: String? = nil, level: StreamLevel = StreamLevel([65_536, 65_536])) {
        self.index = index
        self.sink = sink
        sinkIndex = .max
        self.level = level
    }
}

extension PulseStream {
    /// Copies what the server tells about a stream.
    ///
    /// - Returns: `nil` for a stream of this process.
    init?(_ info: pa_sink_input_info, onHost host: String) {
        let properties = unsafe StreamProperties(info.proplist)
        let isOurs = properties["application.id"] == PulseConnection.applicationID
        let process = properties.process(onHost: host)
        guard !isOurs || process != getpid() else { return nil }
        var volumes = unsafe info.volume
        let channels = Int(volumes.channels)
        let values = unsafe withUnsafeBytes(of: &volumes.values) { bytes in
            unsafe Array(bytes.bindMemory(to: UInt32.self).prefix(channels))
        }
        unsafe self.init(index: info.index, level: StreamLevel(values, isMuted: info.mute != 0))
        unsafe sinkIndex = info.sink
        applicationName = properties["application.name"] ?? ""
        mediaName = properties["media.name"] ?? ""
        binary = properties["application.process.binary"] ?? ""
        applicationID = properties["pipewire.access.portal.app_id"] ?? properties["application.id"] ?? ""
        role = properties["media.role"]?.lowercased() ?? ""
        self.process = process
        self.isOurs = isOurs
        restoreKey = properties.restoreKey
        unsafe isCorked = info.corked != 0
        isAdjustable = unsafe info.has_volume != 0 && info.volume_writable != 0 && restoreKey != nil && channels > 0
    }
}

/// The properties of a stream, each at most so long, and without control characters.
@safe
private struct StreamProperties {
    private let list: OpaquePointer?

    /// In bytes.
    private static let limit = 256
    private static let keyLimit = 1_024

    init(_ list: OpaquePointer?) { unsafe self.list = list }

    subscript(name: String) -> String? {
        guard let pointer = unsafe list.flatMap({ unsafe pa_proplist_gets($0, name) }) else { return nil }
        let length = unsafe strnlen(pointer, Self.limit)
        let bytes = unsafe UnsafeRawBufferPointer(start: pointer, count: length)
        return unsafe cleanName(String(decoding: bytes, as: UTF8.self))
    }

    /// The process, if it is on this machine.
    func process(onHost host: String) -> Int32? {
        if let known = self["pipewire.sec.pid"].flatMap(Int32.init), known > 0 { return known }
        if let other = self["application.process.host"], other != host { return nil }
        return self["application.process.id"].flatMap(Int32.init).flatMap { $0 > 0 ? $0 : nil }
    }

    /// module-stream-restore's name of the stream, or the one that it would choose.
    var restoreKey: String? {
        if let known = whole("module-stream-restore.id") { return known }
        let names = [
            ("media-role", "media.role"), ("application-id", "application.id"),
            ("application-name", "application.name"), ("media-name", "media.name"),
        ]
        for (word, name) in names {
            if let value = whole(name) { return "sink-input-by-\(word):\(value)" }
        }
        return nil
    }

    /// A text that is not too long to be a key.
    private func whole(_ name: String) -> String? {
        guard let pointer = unsafe list.flatMap({ unsafe pa_proplist_gets($0, name) }) else { return nil }
        let length = unsafe strnlen(pointer, Self.keyLimit + 1)
        guard (1...Self.keyLimit).contains(length) else { return nil }
        return unsafe String(validatingCString: pointer)
    }
}

/// A name without control characters, which would change what a terminal or a log shows.
func cleanName(_ text: String) -> String {
    let isHarmless = { (scalar: Unicode.Scalar) in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
    var name = ""
    name.unicodeScalars.append(contentsOf: text.unicodeScalars.filter(isHarmless))
    return name
}
