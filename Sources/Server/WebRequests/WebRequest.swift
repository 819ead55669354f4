package import AudioTypes
package import Authorization
package import NIOHTTP1
package import Settings
package import WebPage

/// A request by HTTP that has passed the gate.
package struct WebRequest: Sendable {
    /// The resources that there are.
    package enum Resource: String, Sendable, Hashable, CaseIterable {
        /// The page that browsers open.
        case root = "/"
        /// One of its files, whose version and name follow.
        case page = "/page/"
        /// Whether the server answers.
        case health = "/health"
        /// Messages of JSON-RPC, one for each request.
        case call = "/api"
        /// Messages of JSON-RPC in a WebSocket.
        case socket = "/api/ws"
        /// The cookie by which a browser is a paired client.
        case cookie = "/api/cookie"
        /// Values that are watched, as server-sent events.
        case events = "/api/events"
        /// Figures for Prometheus.
        case metrics = "/metrics"
        /// Small pictures, by the command `artwork`.
        case songPicture = "/art/song"
        case filePicture = "/art/file"
        case directoryPicture = "/art/directory"
        case playlistPicture = "/art/playlist"
        case filterPicture = "/art/filter"
        /// The picture of the song that plays.
        case currentPicture = "/art/current"
        /// The stream of a zone's output, whose name and form follow.
        case stream = "/stream/"
        /// An item that the owner has picked for the client, by its handle.
        case picked = "/picked/"

        init?(path: String) {
            let withNames = [Self.stream, .picked, .page].first { path.hasPrefix($0.rawValue) }
            if let withNames { self = withNames } else { self.init(rawValue: path) }
        }

        /// Whether the response does not end by itself.
        package var stays: Bool { self == .socket || self == .events || self == .stream }

        package var methods: [HTTPMethod] {
            switch self {
            case .call: [.POST]
            case .cookie: [.POST, .DELETE]
            case .socket, .events: [.GET]
            default: [.GET, .HEAD]
            }
        }

        /// Whether a page may use it to change something.
        var changes: Bool { [.call, .socket, .cookie].contains(self) }

        /// Whether its address may have a ticket: browsers ask for it without a secret, and it changes nothing.
        package var takesTickets: Bool { isPicture || self == .stream || self == .picked }

        package var isPicture: Bool { self == .currentPicture || artworkType != nil }

        /// The word of the command `artwork` for its pictures.
        var artworkType: String? {
            switch self {
            case .songPicture: "song"
            case .filePicture: "file"
            case .directoryPicture: "directory"
            case .playlistPicture: "playlist"
            case .filterPicture: "filter"
            default: nil
            }
        }
    }

    package let resource: Resource
    package let method: HTTPMethod
    /// The zone that the client is to be in; `nil` for the listener's.
    package let zone: String?
    /// The origin of a page elsewhere, whose scripts may read the response.
    package let origin: WebOrigin?
    /// The origin of the server's own page that sends the request, where the browser tells it.
    package let pageOrigin: WebOrigin?
    /// The named client that the request is said to be of.
    package let claim: ClientPassword?
    /// The browser's cookie, not verified yet; `nil` where a page of another origin sends the request.
    package let cookie: ClientCookie?
    /// The ticket in the address, which makes the request one of the connection that the ticket stands for.
    package let ticket: String?
    package let forwarding: Forwarding
    /// The values that `/api/events` is to tell.
    package let watch: Watch
    /// The picture that is asked for.
    package let picture: PictureRequest?
    /// The stream that is asked for.
    package let stream: StreamRequest?
    /// The picked item that is asked for.
    package let picked: PickedRequest?
    /// The file of the page that is asked for, and what the browser has of it.
    package let page: (file: PageFile, conditions: RequestConditions)?
    /// A browser asks whether its page may send a request.
    package let isPreflight: Bool

    /// The topics and zones that the address names; those that there are is decided by the command `watch`.
    package struct Watch: Sendable, Hashable {
        package let topics: [String]
        package let zones: [String]
    }

    /// Of a request's head: its line and its fields.
    package static let mostHeadBytes = 8_192
    /// Seconds in which a request has to be complete.
    package static let patience = 10
}

/// Where a request comes from, if not from the other end of its connection.
package enum Forwarding: Sendable, Hashable {
    case none
    /// From someone on a network.
    case unknown
    case address(IPAddress)
}
