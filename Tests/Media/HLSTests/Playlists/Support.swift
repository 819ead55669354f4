import Testing

@testable import HLS
@testable import Segments

/// The media playlist in a text, which must be one.
func media(_ text: String, url: String = "", defined: [String: String] = [:]) throws -> MediaPlaylist {
    guard case .media(let playlist) = try HLSDocument.parse(Array(text.utf8), url: url, defined: defined) else {
        throw SegmentError.nestedMaster
    }
    return playlist
}

func master(_ text: String, url: String = "") throws -> MasterPlaylist {
    guard case .master(let playlist) = try HLSDocument.parse(Array(text.utf8), url: url) else {
        throw SegmentError.notAPlaylist
    }
    return playlist
}

/// What reading a text fails with.
func failure(_ text: String) -> SegmentError? {
    switch Result(catching: { () throws(SegmentError) in try HLSDocument.parse(Array(text.utf8)) }) {
    case .success: nil
    case .failure(let error): error
    }
}
