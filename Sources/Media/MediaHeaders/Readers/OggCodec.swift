/// The codec of a stream in Ogg, known by its first packet, and the start of its comments.
enum OggCodec {
    case vorbis
    case opus
    case flac
    case speex

    /// - Parameter page: The first page of a stream; `nil` when the codec is another one.
    init?(_ page: OggPages.Page, _ window: inout ByteWindow) {
        let place = page.body.lowerBound
        if window.has("\u{1}vorbis", at: place) {
            self = .vorbis
        } else if window.has("OpusHead", at: place) {
            self = .opus
        } else if window.has("\u{7f}FLAC", at: place) {
            self = .flac
        } else if window.has("Speex   ", at: place) {
            self = .speex
        } else {
            return nil
        }
    }

    /// Part of the definition of identities; must not change.
    var name: StaticString {
        switch self {
        case .vorbis: "ogg-vorbis"
        case .opus: "ogg-opus"
        case .flac: "ogg-flac"
        case .speex: "ogg-speex"
        }
    }

    /// Skips the bytes of the comment packet before the vendor's length.
    ///
    /// - Returns: Whether it is a comment packet.
    func skipToComments(_ stream: inout CommentStream, _ window: inout ByteWindow) -> Bool {
        switch self {
        case .vorbis: stream.take(7, &window)?.elementsEqual("\u{3}vorbis".utf8) == true
        case .opus: stream.take(8, &window)?.elementsEqual("OpusTags".utf8) == true
        case .flac: stream.take(4, &window)?.first.flatMap { FLACBlocks.Kind(rawValue: $0 & 0x7f) } == .comments
        case .speex: true
        }
    }
}
