internal import HTTP

/// Keys and initialisation sections, each fetched once.
struct SegmentSecrets {
    private static let mostKeys = 64
    /// Limit of an initialisation section's size: some contain the index of a whole film.
    private static let mapLimit = 8 << 20

    private var keys: [String: [UInt8]] = [:]
    private var map: (source: SegmentMap, base: String, bytes: [UInt8])?

    /// The decryptor of a segment of the playlist at `base`; `nil` for an unencrypted one.
    mutating func decryptor(
        _ encryption: SegmentEncryption?,
        in base: String,
        client: HTTPClient,
        factory: any SegmentDecryptorFactory
    ) throws(SegmentError) -> (any SegmentDecryptor)? {
        switch encryption {
        case nil: return nil
        case .unsupported(let method): throw .unsupportedEncryption(method)
        case .aes128(let uri, let iv):
            let key = try key(location(uri, in: base, what: "the key"), client: client)
            guard let decryptor = factory.makeDecryptor(key: key, iv: iv) else { throw .cannotDecrypt }
            return decryptor
        }
    }

    private mutating func key(_ url: String, client: HTTPClient) throws(SegmentError) -> [UInt8] {
        if let key = keys[url] { return key }
        let answer = Result { () throws(HTTPError) in try client.fetch(url, atMost: 4096) }
        let key = try answer.mapError { SegmentError.http($0, what: "the key") }.get().bytes
        guard key.count == 16 else { throw .badKey(bytes: key.count) }
        if keys.count >= Self.mostKeys { keys = [:] }
        keys[url] = key
        return key
    }

    /// The initialisation section of segments with this map.
    mutating func initialization(
        _ source: SegmentMap,
        in base: String,
        client: HTTPClient,
        factory: any SegmentDecryptorFactory
    ) throws(SegmentError) -> [UInt8] {
        if let map, map.source == source, map.base == base { return map.bytes }
        let url = try location(source.uri, in: base, what: "the initialisation section")
        let decryptor = try decryptor(source.encryption, in: base, client: client, factory: factory)
        let stream = SegmentStream(url, range: source.byteRange, client: client, decryptor: decryptor)
        let answer = Result { () throws(HTTPError) in try stream.readAll(atMost: Self.mapLimit) }
        let bytes = try answer.mapError { SegmentError.http($0, what: "the initialisation section") }.get()
        map = (source, base, bytes)
        return bytes
    }
}
