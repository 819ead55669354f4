package import Authorization

/// The requests of all clients: which are open, who answers them, and what was picked.
///
/// A value without a clock. From the first to the last: waiting, then choosing for as long as an owner's lease holds, then
/// done, cancelled or expired; a request whose client goes away is withdrawn, and nothing is left of it.
package struct PickerRequests: Sendable {
    private var requests: [PickerID: PickerRequest] = [:]
    private var handles: [PickerHandle: (request: PickerID, uri: String)] = [:]
    private var lastNumber: UInt32 = 0

    /// How long a request waits for an owner to take it, in seconds.
    package static let patience = 300.0
    /// The same for one that is lasting, of a client that looks at it again later.
    package static let lastingPatience = 3_600.0
    /// How long it stays with an owner who has taken it and sends nothing about it, in seconds.
    package static let lease = 120.0
    /// How long what was picked can be loaded, in seconds.
    package static let lifetime = 3_600.0
    /// How many of one party may be open.
    package static let mostOpenOfOne = 4
    /// How many there may be, with those that are over.
    package static let capacity = 128
    /// How many of clients that are not known by a name may be open, so that there is room for the others.
    package static let mostOpenOfUnnamed = 96

    package init() {}

    /// In the order in which they were made.
    package var all: [PickerRequest] { requests.values.sorted { $0.id.number < $1.id.number } }

    package var open: [PickerRequest] { all.filter(\.isOpen) }

    package subscript(id: PickerID) -> PickerRequest? { requests[id] }

    private func known(_ id: PickerID) throws(PickerError) -> PickerRequest {
        guard let request = requests[id] else { throw .noSuchRequest("\(id)") }
        return request
    }

    /// When something changes by itself; `nil` if nothing does.
    package var nextEnd: Double? { requests.values.map(\.ends).min() }

    // MARK: The client

    package mutating func add(
        _ configuration: PickerConfiguration,
        _ asker: PickerRequest.Asker,
        at now: Double
    ) throws(PickerError) -> PickerRequest {
        let ofOne = requests.values.count { $0.isOpen && $0.asker.party == asker.party }
        guard ofOne < Self.mostOpenOfOne else { throw .tooMany(ofOne) }
        guard configuration.purpose == .once || asker.isLimited else { throw .isNotLimited }
        let client = configuration.isLasting ? asker.client : nil
        guard client != nil || !configuration.isLasting else { throw .cannotLast }
        if case .place = asker.party {
            let ofUnnamed = requests.values.count { $0.isOpen && !$0.asker.isNamed }
            guard ofUnnamed < Self.mostOpenOfUnnamed else { throw .tooMany(ofUnnamed) }
        }
        if requests.count >= Self.capacity {
            guard let oldest = all.first(where: { !$0.isOpen }) else { throw .tooMany(requests.count) }
            remove(oldest.id)
        }
        lastNumber &+= 1
        var request = PickerRequest(
            id: PickerID(lastNumber),
            asker: asker,
            holder: client.map { .client($0) } ?? .connection(asker.connection),
            configuration: configuration,
            ends: now
        )
        request.ends += request.patience
        requests[request.id] = request
        return request
    }

    /// Withdraws a request, or ends what was picked for it.
    package mutating func remove(_ id: PickerID) {
        guard let request = requests.removeValue(forKey: id) else { return }
        for handle in request.given.values { handles[handle] = nil }
    }

    /// Keeps a request that was changed, with handles for what the client may load now and for nothing else.
    private mutating func store(_ request: PickerRequest) {
        var request = request
        let isGiven = request.isSelectionTold && request.configuration.purpose == .once
        let wanted = isGiven ? Set(request.selection.map(\.uri)).subtracting(request.preselected) : []
        for (uri, handle) in request.given where !wanted.contains(uri) {
            handles[handle] = nil
            request.given[uri] = nil
        }
        for uri in wanted where request.given[uri] == nil {
            let handle = PickerHandle()
            handles[handle] = (request.id, uri)
            request.given[uri] = handle
        }
        if let old = requests[request.id] {
            let isOther = request.configuration.isContinuous && !request.hasSelection(of: old)
            if request.state != old.state || isOther { request.version += 1 }
        }
        requests[request.id] = request
    }

    /// Changes a request by itself.
    private mutating func update(_ id: PickerID, _ body: (inout PickerRequest) -> Void) {
        guard var request = requests[id] else { return }
        body(&request)
        store(request)
    }

    /// The item of a handle that was given to a connection, or to a client at all of its connections.
    package func item(
        _ handle: PickerHandle,
        of connection: Int,
        _ client: PrincipalID?
    ) throws(PickerError) -> PickedItem {
        guard let (id, uri) = handles[handle], let request = requests[id],
            request.isHeld(by: connection, of: client), let item = request.selection.first(where: { $0.uri == uri })
        else { throw .noSuchHandle }
        return item
    }

    /// Whether there is something to load with a handle.
    func has(_ handle: PickerHandle) -> Bool { handles[handle] != nil }

    // MARK: The owner

    /// Gives a request to the owner at a connection; to the one who has it already, for longer.
    ///
    /// Another connection than before begins with an empty selection.
    package mutating func take(_ id: PickerID, _ face: Int, at now: Double) throws(PickerError) -> PickerRequest {
        var request = try known(id)
        switch request.state {
        case .choosing(let other) where other != face: throw .isBeingAnswered
        case .waiting, .choosing: break
        case .done, .cancelled, .expired: throw .isOver
        }
        if request.lastFace != face { request.selection = [] }
        (request.state, request.lastFace) = (.choosing(face: face), face)
        request.ends = now + Self.lease
        store(request)
        return requests[id] ?? request
    }

    /// Gives a request back, for others to take.
    package mutating func release(_ id: PickerID, _ face: Int, at now: Double) throws(PickerError) {
        try change(id, face, at: now) { request in
            request.waitAgain(at: now)
        }
    }

    /// Chooses what was preselected, before anything else is.
    package mutating func preselect(
        _ items: [PickedItem],
        _ id: PickerID,
        _ face: Int,
        at now: Double
    ) throws(PickerError) {
        try change(id, face, at: now) { request in
            request.selection = items
            request.preselected = Set(items.map(\.uri))
        }
    }

    /// Chooses items, behind those that are chosen; of one alone, in place of another one.
    ///
    /// - Throws: ``PickerError/overLimit(_:)`` when they are too many, and none is chosen then.
    package mutating func select(
        _ items: [PickedItem],
        _ id: PickerID,
        _ face: Int,
        at now: Double
    ) throws(PickerError) {
        try change(id, face, at: now) { request throws(PickerError) in
            let limit = request.configuration.limit
            var selection = limit == 1 && items.count == 1 ? [] : request.selection
            var chosen = Set(selection.map(\.uri))
            selection += items.filter { chosen.insert($0.uri).inserted }
            guard selection.count <= limit else { throw .overLimit(limit, request.configuration.kind) }
            request.selection = selection
        }
    }

    package mutating func deselect(
        _ uris: [String],
        _ id: PickerID,
        _ face: Int,
        at now: Double
    ) throws(PickerError) {
        try change(id, face, at: now) { request throws(PickerError) in
            let chosen = Set(request.selection.map(\.uri))
            if let other = uris.first(where: { !chosen.contains($0) }) { throw .isNotChosen(other) }
            let taken = Set(uris)
            request.selection.removeAll { taken.contains($0.uri) }
        }
    }

    /// Moves a chosen item to another place among those that are chosen, or as far as that is possible.
    package mutating func move(
        _ uri: String,
        to place: Int,
        _ id: PickerID,
        _ face: Int,
        at now: Double
    ) throws(PickerError) {
        try change(id, face, at: now) { request throws(PickerError) in
            guard let old = request.selection.firstIndex(where: { $0.uri == uri }) else {
                throw .isNotChosen(uri)
            }
            let item = request.selection.remove(at: old)
            request.selection.insert(item, at: min(max(0, place), request.selection.count))
        }
    }

    /// Ends the choice: the client gets a handle for each item, unless its library was extended by them.
    package mutating func finish(_ id: PickerID, _ face: Int, at now: Double) throws(PickerError) {
        try change(id, face, at: now) { request throws(PickerError) in
            guard !request.selection.isEmpty || request.mayEndEmpty else { throw .nothingIsChosen }
            let configuration = request.configuration
            // More may have been preselected.
            guard request.selection.count <= configuration.limit else {
                throw .overLimit(configuration.limit, configuration.kind)
            }
            (request.state, request.ends) = (.done, now + Self.lifetime)
        }
    }

    package mutating func cancel(_ id: PickerID, _ face: Int, at now: Double) throws(PickerError) {
        try change(id, face, at: now) { $0.end(.cancelled, at: now) }
    }

    // MARK: Time

    /// Ends what has lasted long enough.
    ///
    /// - Returns: The requests that have expired, or wait again.
    package mutating func advance(to now: Double) -> [PickerID] {
        let due = all.filter { $0.ends <= now }
        for request in due {
            switch request.state {
            case .waiting: update(request.id) { $0.end(.expired, at: now) }
            case .choosing: update(request.id) { $0.waitAgain(at: now) }
            case .done, .cancelled, .expired: remove(request.id)
            }
        }
        return due.filter(\.isOpen).map(\.id)
    }

    /// Withdraws a connection's requests that wait for an answer.
    ///
    /// - Returns: Those requests.
    package mutating func inputEnded(_ connection: Int) -> [PickerID] {
        let its = open.filter { $0.holder == .connection(connection) }.map(\.id)
        for id in its { remove(id) }
        return its
    }

    /// Withdraws a connection's requests, and gives back those that it has taken.
    ///
    /// - Returns: Those requests.
    package mutating func disconnected(_ connection: Int, at now: Double) -> [PickerID] {
        let its = all.filter { $0.holder == .connection(connection) || $0.state == .choosing(face: connection) }
        for request in its {
            if request.holder == .connection(connection) {
                remove(request.id)
            } else {
                update(request.id) { $0.waitAgain(at: now) }
            }
        }
        return its.map(\.id)
    }

    /// Changes a request of the owner who has taken it, whose lease begins anew.
    private mutating func change(
        _ id: PickerID,
        _ face: Int,
        at now: Double,
        _ body: (inout PickerRequest) throws(PickerError) -> Void
    ) throws(PickerError) {
        var request = try known(id)
        guard request.isOpen else { throw .isOver }
        guard case .choosing(let owner) = request.state, owner == face else {
            if case .choosing = request.state { throw .isBeingAnswered }
            throw .isNotTaken
        }
        request.ends = now + Self.lease
        try body(&request)
        store(request)
    }
}

extension PickerRequest {
    fileprivate func hasSelection(of other: Self) -> Bool {
        selection.count == other.selection.count && zip(selection, other.selection).allSatisfy { $0.uri == $1.uri }
    }

    fileprivate mutating func waitAgain(at now: Double) { (state, ends) = (.waiting, now + patience) }

    /// Ends without a pick; the client can still ask how.
    fileprivate mutating func end(_ state: State, at now: Double) {
        (self.state, selection) = (state, [])
        ends = now + patience
    }
}
