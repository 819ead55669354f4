internal import CPulse

/// Levels that are to be written into module-stream-restore's memory, for streams that ended while they were changed.
///
/// The memory keeps the volume that a stream ended with for the next one of its name, so the level is replaced in the
/// entry, which is read first: its channels and its device stay.
struct RestoreMemory {
    private var wanted: [String: StreamLevel] = [:]
    /// Those for which the memory is being read.
    private var isReading: [String: StreamLevel] = [:]
    private var found: [Entry] = []

    private struct Entry {
        var name: String
        var map: pa_channel_map
        var volume: pa_cvolume
        var device: String?
        var isMuted: Bool
    }

    private static let limit = 256

    /// - Returns: Whether the memory is to be read now.
    mutating func add(_ key: String, _ level: StreamLevel) -> Bool {
        guard wanted.count < Self.limit else { return false }
        wanted[key] = level
        return start()
    }

    /// - Returns: Whether there is something to do, for which the memory is to be read.
    mutating func start() -> Bool {
        guard isReading.isEmpty, !wanted.isEmpty else { return false }
        (isReading, wanted) = (wanted, [:])
        return true
    }

    mutating func learn(_ info: pa_ext_stream_restore_info) {
        guard let pointer = unsafe info.name, let name = unsafe String(validatingCString: pointer),
            let level = isReading[name]
        else { return }
        var volume = unsafe info.volume
        // An entry without channels has no volume.
        if volume.channels > 0 {
            unsafe pa_cvolume_set(&volume, UInt32(volume.channels), level.loudness)
            if level.volumes.count == Int(volume.channels) {
                unsafe withUnsafeMutableBytes(of: &volume.values) { bytes in
                    let places = unsafe bytes.bindMemory(to: UInt32.self)
                    for (place, value) in level.volumes.enumerated() { unsafe places[place] = value }
                }
            }
        }
        found.append(
            unsafe Entry(
                name: name,
                map: info.channel_map,
                volume: volume,
                device: info.device.map { unsafe String(cString: $0) },
                isMuted: level.isMuted
            )
        )
    }

    /// Writes the entries that were found, which no stream that plays takes up.
    ///
    /// - Returns: Their names.
    mutating func write(_ context: OpaquePointer) -> [String] {
        defer { (isReading, found) = ([:], []) }
        for entry in found {
            unsafe entry.name.withCString { name in
                unsafe withOptionalCString(entry.device) { device in
                    var info = unsafe pa_ext_stream_restore_info(
                        name: name,
                        channel_map: entry.map,
                        volume: entry.volume,
                        device: device,
                        mute: entry.isMuted ? 1 : 0
                    )
                    unsafe release(pa_ext_stream_restore_write(context, PA_UPDATE_REPLACE, &info, 1, 0, nil, nil))
                }
            }
        }
        return found.map(\.name)
    }

    /// - Returns: Nothing, since the server has no memory that could be written.
    mutating func forgetAll() -> [String] {
        self = RestoreMemory()
        return []
    }
}

private func withOptionalCString(_ text: String?, _ body: (UnsafePointer<CChar>?) -> Void) {
    guard let text else { return body(nil) }
    unsafe text.withCString { unsafe body($0) }
}
