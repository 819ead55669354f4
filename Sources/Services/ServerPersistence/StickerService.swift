package import LineProtocol
package import ServerBasics
internal import ServerRooms
internal import Settings
internal import Songs
package import Stickers

/// The server's stickers, within the configured limits.
///
/// Belongs to the server's event loop.
package final class StickerService {
    package private(set) var store = StickerStore()
    private let configuration: CurrentConfiguration
    /// Called with each change made by a client or by a move of songs.
    private let changed: (StickerStore.Record) -> Void

    package init(_ configuration: CurrentConfiguration, changed: @escaping (StickerStore.Record) -> Void) {
        self.configuration = configuration
        self.changed = changed
    }

    /// - Returns: Whether anything changed.
    @discardableResult
    package func change(_ body: (inout StickerStore) -> StickerStore.Record?) -> Bool {
        guard let record = body(&store) else { return false }
        changed(record)
        return true
    }

    /// Replays a change from the journal.
    package func restore(_ record: StickerStore.Record) { _ = store.apply(record) }

    /// Throws unless there is room for a sticker.
    package func requireRoom(
        for name: String,
        _ value: String,
        of uri: String,
        _ type: StickerType
    ) throws(AckError) {
        let limits = configuration.value.limits
        if uri.utf8.count > limits.maxURIBytes { throw exceeds("max-uri-size", limits.maxURIBytes) }
        guard max(name.utf8.count, value.utf8.count) <= limits.maxStickerBytes else {
            throw exceeds("max-sticker-size", limits.maxStickerBytes)
        }
        let old = store.get(type, uri, name)
        if old == nil, store.count >= limits.maxStickers {
            throw exceeds("max-stickers", limits.maxStickers, .system)
        }
        let bytes = store.byteCount + StickerStore.byteCount(uri, name, value)
        guard
            bytes - (old.map { StickerStore.byteCount(uri, name, $0) } ?? 0) <= limits.maxStickersBytes
        else {
            throw exceeds("max-stickers-size", limits.maxStickersBytes, .system)
        }
    }
}
