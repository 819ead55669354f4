package import Authorization
package import MediaHeaders
package import ServerRights

/// A client's request for pictures, videos or songs that the owner picks.
package struct PickerRequest: Sendable {
    package enum State: Sendable, Hashable {
        /// For an owner to take it.
        case waiting
        /// The owner at this connection has taken it.
        case choosing(face: Int)
        case done
        case cancelled
        /// No owner has taken it in time.
        case expired
    }

    /// The client that asks.
    package struct Asker: Sendable, Hashable {
        package let connection: Int
        /// As the owner knows the client; given by the server.
        package let name: String
        /// All clients that are one for the limits of requests.
        package let party: Party
        /// The client as grants know it; `nil` for one that they do not know.
        package let client: PrincipalID?
        /// Whether it sees a part of the library, which can be extended.
        package let isLimited: Bool

        package init(
            connection: Int,
            name: String,
            party: Party,
            client: PrincipalID? = nil,
            isLimited: Bool = false
        ) {
            (self.connection, self.name, self.party) = (connection, name, party)
            (self.client, self.isLimited) = (client, isLimited)
        }

        var isNamed: Bool { if case .named = party { true } else { false } }
    }

    package enum Party: Sendable, Hashable {
        case named(ClientName)
        /// All others from there: a machine may have many addresses.
        case place(ClientPlace)
    }

    /// The one that may see a request, wait for its end, load what was picked and withdraw it.
    package enum Holder: Sendable, Hashable {
        /// The connection that has made it, with which it ends.
        case connection(Int)
        /// The client, at all of its connections.
        case client(PrincipalID)
    }

    package let id: PickerID
    package let asker: Asker
    package let holder: Holder
    package let configuration: PickerConfiguration
    package internal(set) var state = State.waiting
    /// The items that are chosen, in the order in which that was done.
    package internal(set) var selection: [PickedItem] = []
    /// The URIs of the items that were preselected, which the client has already.
    var preselected: Set<String> = []
    /// The handles that the client has, by their items' URIs.
    var given: [String: PickerHandle] = [:]
    /// Counts the states, and where it is continuous the selections.
    package internal(set) var version = 0
    /// The connection that has taken it last.
    package internal(set) var lastFace: Int?
    /// When it expires, the lease of its face or its handles end; in seconds, on a clock that always goes on.
    package internal(set) var ends: Double

    /// Of the items that the client can load, in their order.
    package var handles: [PickerHandle] { selection.compactMap { handle(of: $0) } }

    /// Of an item that the client can load; `nil` for one that was preselected, and where nothing is to be loaded.
    package func handle(of item: PickedItem) -> PickerHandle? { given[item.uri] }

    /// Whether the client may know what is chosen.
    package var isSelectionTold: Bool {
        switch state {
        case .done: true
        case .waiting, .choosing: configuration.isContinuous
        case .cancelled, .expired: false
        }
    }

    /// Whether nothing may be chosen in the end, as all that was preselected may be taken back.
    package var mayEndEmpty: Bool { !configuration.preselected.isEmpty }

    /// How long it waits for an owner to take it, and how long its end is told, in seconds.
    var patience: Double { configuration.isLasting ? PickerRequests.lastingPatience : PickerRequests.patience }

    /// Whether a client at a connection has it.
    package func isHeld(by connection: Int, of client: PrincipalID?) -> Bool {
        switch holder {
        case .connection(let one): one == connection
        case .client(let one): one == client
        }
    }

    /// Whether it waits for the owner.
    package var isOpen: Bool {
        switch state {
        case .waiting, .choosing: true
        case .done, .cancelled, .expired: false
        }
    }
}

extension PickerRequest.State {
    /// A word for clients.
    package var name: String {
        switch self {
        case .waiting: "waiting"
        case .choosing: "choosing"
        case .done: "done"
        case .cancelled: "cancelled"
        case .expired: "expired"
        }
    }
}

/// Names a request: `p1`, `p2` and so on since the server's start.
package struct PickerID: Sendable, Hashable, CustomStringConvertible {
    let number: UInt32

    init(_ number: UInt32) { self.number = number }

    package init?(_ text: String) {
        guard text.utf8.first == UInt8(ascii: "p"), text.utf8.count <= 11, let number = UInt32(text.dropFirst()),
            "p\(number)" == text
        else { return nil }
        self.number = number
    }

    package var description: String { "p\(number)" }
}

/// Why something cannot be done with a request.
package enum PickerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is none of this name, or none for this client.
    case noSuchRequest(String)
    /// Others wait for the owner: so many of this client, or in all.
    case tooMany(Int)
    /// The client asks again and again.
    case tooOften
    /// Another connection has taken it.
    case isBeingAnswered
    /// The client has not taken it, or its lease has ended.
    case isNotTaken
    /// It was answered, has expired or was withdrawn.
    case isOver
    /// More would be chosen than the client asks for.
    case overLimit(Int, PickerConfiguration.Kind)
    case nothingIsChosen
    case isNotChosen(String)
    /// Not among those that the client asks for.
    case doesNotMatch(String, PickerConfiguration.Kind)
    case noSuchHandle
    /// The file that was picked is gone.
    case missingResource
    /// A song that is to be loaded has no file, such as a track of a CUE sheet.
    case noFile(String)
    /// The file is another one than the library knows, or the song another one than was chosen.
    case hasChanged(String)
    /// The client that has asked is known by another name now.
    case isAnotherClient
    /// Another file has taken its place, or it was written to.
    case invalidResource
    case limitOutOfRange
    /// Its filter names them.
    case noVideosAmongPictures
    /// A video whose file tells more than pictures and sound, for this reason.
    case cannotBeCopied(String, MediaCopyError)
    /// Pictures are not a part of limited libraries.
    case onlySongsExtend
    /// A limited library is extended when all is chosen, by songs that are known by their URIs.
    case notForLibraries(String)
    case tooManyPreselected
    /// A lasting request is the client's, which is not known.
    case cannotLast
    /// The client sees all songs.
    case isNotLimited
    /// The client's limited library has as many parts as there can be.
    case libraryIsFull

    package var description: String {
        switch self {
        case .noSuchRequest(let name): "there is no request \(name)"
        case .tooMany(let count): "\(count) requests are open already, which is the most"
        case .tooOften: "too many requests; try again in a minute"
        case .isBeingAnswered: "another owner answers this request"
        case .isNotTaken: "this request has to be taken first"
        case .isOver: "this request is over"
        case .overLimit(let limit, let kind):
            "the client asks for at most \(limit) \(limit == 1 ? kind.singular : kind.plural)"
        case .nothingIsChosen: "nothing is chosen"
        case .isNotChosen(let uri): "\(uri) is not chosen"
        case .doesNotMatch(let uri, let kind): "there is no \(kind.singular) \(uri) that the client asks for"
        case .noSuchHandle: "there is no such handle"
        case .missingResource: "missingResource: the file is not there any more"
        case .noFile(let uri): "missingResource: \(uri) is a part of another file, or is not there any more"
        case .hasChanged(let uri): "invalidResource: \(uri) is not what the library knew any more"
        case .isAnotherClient: "the client that has asked is known by another name now"
        case .invalidResource: "invalidResource: the file was changed after it was picked"
        case .limitOutOfRange: "a limit is 0 to \(PickerConfiguration.mostItems)"
        case .noVideosAmongPictures: "there are no videos among pictures: kind videos, or kind media for both"
        case .cannotBeCopied(let uri, let reason):
            "\(uri) cannot be given without the places and names that may be in its file: \(reason)"
        case .onlySongsExtend: "a limited library is extended by songs only"
        case .notForLibraries(let key): "'\(key)' is not for the purpose extend"
        case .tooManyPreselected: "at most \(PickerConfiguration.mostItems) items can be preselected"
        case .cannotLast: "a lasting request is that of a client known to the server"
        case .isNotLimited: "this client's library is not limited"
        case .libraryIsFull:
            "the client's library has no room for more: at most \(LibraryScope.mostParts) parts of \(LibraryScope.longestText) bytes"
        }
    }
}
