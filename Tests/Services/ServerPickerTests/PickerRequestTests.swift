import Authorization
import Files
import LibraryIndex
import PictureValues
import ServerRights
import SongFilters
import Songs
import TestSupport
import Testing

@testable import ServerPicker

/// The requests as a value: every state, and whatever is not possible in it.
@Suite struct PickerRequestTests {
    private let files = PickedFiles()
    private let owner = 7
    private static let kind = PickerConfiguration.Kind.media(.pictures, nil)
    private var requests = PickerRequests()

    private mutating func open(limit: Int = 1, of connection: Int = 1, at now: Double = 0) throws -> PickerID {
        let configuration = try PickerConfiguration(limit: limit)
        let asker = PickerRequest.Asker.frame(connection)
        return try requests.add(configuration, asker, at: now).id
    }

    private mutating func openNamed(_ connection: Int) throws -> PickerID {
        let name = try #require(ClientName("frame\(connection)"))
        let asker = PickerRequest.Asker(connection: connection, name: name.text, party: .named(name))
        return try requests.add(PickerConfiguration(), asker, at: 0).id
    }

    private func selection(_ id: PickerID) -> [String] { requests[id]?.selection.map(\.uri) ?? [] }

    private func refusal(_ handle: PickerHandle, of connection: Int) -> PickerError? {
        do throws(PickerError) {
            _ = try requests.item(handle, of: connection, nil)
            return nil
        } catch {
            return error
        }
    }

    // MARK: From the first state to the last

    @Test mutating func aPickIsTheClientsAlone() throws {
        let id = try open(limit: 3)
        #expect(requests[id]?.state == .waiting)
        _ = try requests.take(id, owner, at: 1)
        #expect(requests[id]?.state == .choosing(face: owner))
        try requests.select(files["a", "b"], id, owner, at: 2)
        try requests.select(files["c"], id, owner, at: 3)
        try requests.move("c", to: 0, id, owner, at: 4)
        try requests.deselect(["a"], id, owner, at: 5)
        #expect(selection(id) == ["c", "b"])
        try requests.finish(id, owner, at: 6)
        let handles = requests[id]?.handles ?? []
        #expect(Set(handles).count == 2)
        #expect(try handles.map { try requests.item($0, of: 1, nil).uri } == ["c", "b"])
        for other in [0, 2, owner] {
            #expect(refusal(handles[0], of: other) == .noSuchHandle)
        }
        #expect(refusal(PickerHandle(), of: 1) == .noSuchHandle)
        requests.remove(id)
        #expect(refusal(handles[0], of: 1) == .noSuchHandle)
    }

    @Test mutating func nobodyElseAnswers() throws {
        let id = try open(limit: 3)
        #expect(throws: PickerError.isNotTaken) { try requests.select(files["a"], id, owner, at: 0) }
        #expect(throws: PickerError.isNotTaken) { try requests.cancel(id, owner, at: 0) }
        _ = try requests.take(id, owner, at: 0)
        #expect(throws: PickerError.isBeingAnswered) { try requests.take(id, 8, at: 0) }
        #expect(throws: PickerError.isBeingAnswered) { try requests.select(files["a"], id, 8, at: 0) }
        #expect(throws: PickerError.isBeingAnswered) { try requests.finish(id, 8, at: 0) }
        #expect(throws: PickerError.isBeingAnswered) { try requests.release(id, 8, at: 0) }
        #expect(throws: PickerError.nothingIsChosen) { try requests.finish(id, owner, at: 0) }
        try requests.select(files["a"], id, owner, at: 0)
        try requests.release(id, owner, at: 0)
        // The same connection goes on; another one begins with nothing chosen.
        _ = try requests.take(id, owner, at: 0)
        #expect(selection(id) == ["a"])
        try requests.release(id, owner, at: 0)
        _ = try requests.take(id, 8, at: 0)
        #expect(selection(id) == [])
        try requests.cancel(id, 8, at: 0)
        #expect(requests[id]?.state == .cancelled && selection(id).isEmpty)
        for _ in 0..<2 {
            #expect(throws: PickerError.isOver) { try requests.take(id, owner, at: 0) }
            #expect(throws: PickerError.isOver) { try requests.finish(id, 8, at: 0) }
        }
    }

    // MARK: What is chosen beforehand

    /// A request for as many as two, with three that are chosen beforehand.
    private mutating func openPreselected() throws -> PickerID {
        let names = try ["1", "2", "3"].map { digit in
            try #require(AssetIdentifier(String(repeating: digit, count: 32)))
        }
        let configuration = try PickerConfiguration(limit: 2, preselected: names + names)
        #expect(configuration.preselected == names)
        let id = try requests.add(configuration, .frame(1), at: 0).id
        _ = try requests.take(id, owner, at: 0)
        try requests.preselect(files["a", "b", "c"], id, owner, at: 0)
        return id
    }

    @Test mutating func moreThanTheLimitMayBePreselected() throws {
        let id = try openPreselected()
        #expect(selection(id) == ["a", "b", "c"])
        let tooMany = PickerError.overLimit(2, Self.kind)
        #expect(throws: tooMany) { try requests.finish(id, owner, at: 0) }
        #expect(throws: tooMany) { try requests.select(files["d"], id, owner, at: 0) }
        try requests.deselect(["a", "b"], id, owner, at: 0)
        try requests.select(files["d"], id, owner, at: 0)
        try requests.finish(id, owner, at: 0)
        // The client has the first one already.
        #expect(requests[id]?.state == .done && selection(id) == ["c", "d"])
        let handles = try #require(requests[id]?.handles)
        #expect(try handles.map { try requests.item($0, of: 1, nil).uri } == ["d"])
    }

    @Test mutating func allThatIsPreselectedMayBeTakenBack() throws {
        let id = try openPreselected()
        try requests.deselect(["a", "b", "c"], id, owner, at: 0)
        try requests.finish(id, owner, at: 0)
        #expect(requests[id]?.state == .done && selection(id) == [])
    }

    @Test func preselectionIsBounded() throws {
        let name = try #require(AssetIdentifier(String(repeating: "a", count: 32)))
        let many = Array(repeating: name, count: PickerConfiguration.mostItems + 1)
        #expect(throws: PickerError.tooManyPreselected) { try PickerConfiguration(preselected: many) }
        #expect(throws: PickerError.notForLibraries("preselected")) {
            try PickerConfiguration(.songs(nil), .extend, preselected: [name])
        }
        for text in ["", "a", String(repeating: "A", count: 32), String(repeating: "g", count: 32)] {
            #expect(AssetIdentifier(text) == nil)
        }
    }

    // MARK: While the owner chooses

    @Test mutating func aContinuousClientGetsWhatIsChosenNow() throws {
        let configuration = try PickerConfiguration(limit: 3, isContinuous: true)
        let id = try requests.add(configuration, .frame(1), at: 0).id
        func uris() throws -> [String] {
            try (requests[id]?.handles ?? []).map { try requests.item($0, of: 1, nil).uri }
        }
        _ = try requests.take(id, owner, at: 0)
        try requests.select(files["a", "b"], id, owner, at: 0)
        #expect(try uris() == ["a", "b"])
        let handles = requests[id]?.handles ?? []
        #expect(refusal(handles[0], of: 2) == .noSuchHandle)
        try requests.move("b", to: 0, id, owner, at: 0)
        try requests.deselect(["a"], id, owner, at: 0)
        #expect(try uris() == ["b"])
        #expect(refusal(handles[0], of: 1) == .noSuchHandle)
        // What is taken back and chosen again has another handle; what stays keeps its own.
        try requests.select(files["a"], id, owner, at: 0)
        #expect(requests[id]?.handles.first == handles[1] && requests[id]?.handles.last != handles[0])
        try requests.finish(id, owner, at: 0)
        #expect(try uris() == ["b", "a"] && requests[id]?.handles.first == handles[1])
        #expect(throws: PickerError.notForLibraries("continuous")) {
            try PickerConfiguration(.songs(nil), .extend, isContinuous: true)
        }
    }

    @Test mutating func whatIsNotGivenInTheEndIsLost() throws {
        for end in 0..<3 {
            let configuration = try PickerConfiguration(isContinuous: true)
            let id = try requests.add(configuration, .frame(1), at: 0).id
            _ = try requests.take(id, owner, at: 0)
            try requests.select(files["a"], id, owner, at: 0)
            let handle = try #require(requests[id]?.handles.first)
            switch end {
            case 0: try requests.cancel(id, owner, at: 0)
            case 1: requests.remove(id)
            // Another owner begins anew.
            default:
                try requests.release(id, owner, at: 0)
                _ = try requests.take(id, owner + 1, at: 0)
            }
            #expect(refusal(handle, of: 1) == .noSuchHandle && !requests.has(handle))
        }
    }

    /// Others learn nothing of what is chosen before the end.
    @Test mutating func versions() throws {
        let id = try open(limit: 2)
        _ = try requests.take(id, owner, at: 0)
        try requests.select(files["a"], id, owner, at: 0)
        try requests.deselect(["a"], id, owner, at: 0)
        try requests.select(files["b"], id, owner, at: 0)
        #expect(requests[id]?.version == 1 && requests[id]?.handles == [])
        try requests.finish(id, owner, at: 0)
        #expect(requests[id]?.version == 2 && requests[id]?.handles.count == 1)
    }

    // MARK: The limit

    @Test mutating func oneTakesThePlaceOfAnother() throws {
        let id = try open()
        _ = try requests.take(id, owner, at: 0)
        try requests.select(files["a"], id, owner, at: 0)
        try requests.select(files["b"], id, owner, at: 0)
        #expect(selection(id) == ["b"])
        #expect(throws: PickerError.overLimit(1, Self.kind)) { try requests.select(files["a", "c"], id, owner, at: 0) }
        #expect(selection(id) == ["b"])
    }

    /// Whatever is chosen and taken back: never more than the limit, none twice, and in the order in which it was chosen.
    @Test(arguments: 0..<50) mutating func theSelectionIsWithinTheLimit(_ seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        let limit = Int.random(in: 1...5, using: &generator)
        let id = try open(limit: limit)
        _ = try requests.take(id, owner, at: 0)
        var expected: [String] = []
        for _ in 0..<60 {
            let uris = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
                PickedFiles.names[Int.random(in: 0..<8, using: &generator)]
            }
            switch Int.random(in: 0..<3, using: &generator) {
            case 0:
                let left = expected.filter { !uris.contains($0) }
                if uris.allSatisfy(expected.contains) {
                    try requests.deselect(uris, id, owner, at: 0)
                    expected = left
                } else {
                    #expect(throws: PickerError.self) { try requests.deselect(uris, id, owner, at: 0) }
                }
            case 1:
                guard let uri = expected.randomElement(using: &generator) else { continue }
                let place = Int.random(in: -1...9, using: &generator)
                try requests.move(uri, to: place, id, owner, at: 0)
                expected.removeAll { $0 == uri }
                expected.insert(uri, at: min(max(0, place), expected.count))
            default:
                var wanted = limit == 1 && uris.count == 1 ? [] : expected
                for uri in uris where !wanted.contains(uri) { wanted.append(uri) }
                let chosen = uris.map { files[$0][0] }
                if wanted.count <= limit {
                    try requests.select(chosen, id, owner, at: 0)
                    expected = wanted
                } else {
                    #expect(throws: PickerError.overLimit(limit, Self.kind)) {
                        try requests.select(chosen, id, owner, at: 0)
                    }
                }
            }
            #expect(selection(id) == expected)
        }
    }

    // MARK: Too many

    @Test mutating func aClientHasFewOpenRequests() throws {
        for _ in 0..<PickerRequests.mostOpenOfOne { _ = try open() }
        #expect(throws: PickerError.tooMany(4)) { try open() }
        let id = try open(of: 2)
        _ = try requests.take(id, owner, at: 0)
        try requests.cancel(id, owner, at: 0)
        for _ in 0..<PickerRequests.mostOpenOfOne { _ = try open(of: 2) }
    }

    /// What is over gives way to new requests; what is open does not.
    @Test mutating func thereAreNeverTooMany() throws {
        for connection in 0..<PickerRequests.mostOpenOfUnnamed { _ = try open(of: connection) }
        #expect(throws: PickerError.tooMany(96)) { try open(of: 1_000) }
        // Those that are known have places of their own.
        for connection in PickerRequests.mostOpenOfUnnamed..<PickerRequests.capacity {
            _ = try openNamed(connection)
        }
        #expect(throws: PickerError.tooMany(128)) { try openNamed(1_000) }
        let first = try #require(requests.all.first?.id)
        _ = try requests.take(first, owner, at: 0)
        try requests.select(files["a"], first, owner, at: 0)
        try requests.finish(first, owner, at: 0)
        let handle = try #require(requests[first]?.handles.first)
        _ = try openNamed(1_000)
        #expect(requests[first] == nil && requests.all.count == PickerRequests.capacity)
        #expect(refusal(handle, of: 0) == .noSuchHandle)
    }

    // MARK: Copies

    /// As many pixels as the file has, as far as that is reasonable.
    @Test(
        arguments: [
            ((4000, 3000), (4000, 3000)), ((8000, 6000), (5656, 4242)), ((30_000, 2), (16_384, 1)),
            ((100, 20_000), (82, 16_384)), ((1, 1), (1, 1)),
        ] as [((Int, Int), (Int, Int))]
    ) func copiesHaveABoundedSize(of size: (Int, Int), copy: (Int, Int)) throws {
        let medium = PickedFiles.medium("a", PixelSize(size.0, size.1))
        #expect(PictureCopy(of: medium).size == PixelSize(copy.0, copy.1))
        #expect(PictureCopy(of: PickedFiles.medium("a", nil)).side == 4_898)
    }

    @Test(arguments: [
        ("x/a.heic", "a.jpg"), ("a.b.png", "a.b.jpg"), ("x/.jpg", "picture.jpg"), ("x/a", "a.jpg"),
        // With a combining mark, the slash is no character by itself.
        ("x/\u{301}a.png", "\u{301}a.jpg"),
    ])
    func copiesHaveNamesOfTheirFormat(of uri: String, name: String) {
        #expect(PictureCopy(of: PickedFiles.medium(uri, nil)).name == name)
    }

    // MARK: Songs

    /// Songs that extend a library are seen, not loaded: there is nothing to load them with.
    @Test mutating func aLibraryIsExtended() throws {
        let configuration = try PickerConfiguration(.songs(nil), .extend, limit: 2)
        #expect(throws: PickerError.isNotLimited) { try requests.add(configuration, .frame(1), at: 0) }
        let guest = try #require(ClientName("guest"))
        let asker = PickerRequest.Asker(
            connection: 1,
            name: "guest",
            party: .named(guest),
            client: .named(guest),
            isLimited: true
        )
        let id = try requests.add(configuration, asker, at: 0).id
        _ = try requests.take(id, owner, at: 0)
        try requests.select([PickedFiles.song("a"), PickedFiles.song("b")], id, owner, at: 0)
        #expect(throws: PickerError.overLimit(2, .songs(nil))) {
            try requests.select([PickedFiles.song("c")], id, owner, at: 0)
        }
        try requests.finish(id, owner, at: 0)
        #expect(requests[id]?.state == .done && requests[id]?.handles == [] && selection(id) == ["a", "b"])
        requests.remove(id)
    }

    @Test func aSongIsToldByItsTags() {
        let tags: [(TagType, String)] = [(.title, "One"), (.artist, "A"), (.artist, "B")]
        let song = PickableSong(Song(uri: "x/y.flac", tags: tags, duration: 3))
        #expect(song.title == "One" && song.artist == "A, B" && song.album == nil && song.duration == 3)
        #expect(PickedItem(.song(song)).name == "y.flac")
    }

    @Test func errorsNameWhatIsAskedFor() {
        #expect("\(PickerError.overLimit(1, .songs(nil)))" == "the client asks for at most 1 song")
        #expect("\(PickerError.overLimit(2, Self.kind))" == "the client asks for at most 2 pictures")
        #expect(
            "\(PickerError.doesNotMatch("a", .songs(nil)))" == "there is no song a that the client asks for"
        )
    }

    // MARK: Texts

    @Test func namesAreOfOneForm() {
        for text in ["p1", "p0", "p4294967295"] { #expect(PickerID(text)?.description == text) }
        for text in ["", "p", "1", "p01", "p+1", "p-1", "p1 ", "P1", "p4294967296", "p٣", "p99999999999999999999"] {
            #expect(PickerID(text) == nil, "\(text)")
        }
        let handle = PickerHandle()
        #expect(PickerHandle(handle.text) == handle && handle.text.utf8.count == 32)
        for text in ["", "0", handle.text + "00", String(handle.text.dropLast()) + "g"] {
            #expect(PickerHandle(text) == nil, "\(text)")
        }
    }

    @Test func promptsShowAsTheyAreWritten() {
        for text in ["", "Für die Küche 👩‍👩‍👧", String(repeating: "x", count: 200), "שלום"] {
            #expect(PickerPrompt(text)?.text == text)
        }
        let wrong = [
            String(repeating: "x", count: 201), "a\u{1b}[31m", "a\nb", "a\tb", "\u{202e}gpj.exe", "a\u{2028}b",
            "\u{85}",
            "\u{feff}", "\u{e000}",
        ]
        for text in wrong { #expect(PickerPrompt(text) == nil, "\(text.debugDescription)") }
    }

    @Test func configurationsAreBounded() throws {
        #expect(try PickerConfiguration(limit: 0).limit == 1_000)
        #expect(try PickerConfiguration(limit: 1_000).limit == 1_000)
        for limit in [-1, 1_001, Int.min, Int.max] {
            #expect(throws: PickerError.limitOutOfRange) { try PickerConfiguration(limit: limit) }
        }
        #expect(throws: PickerError.noVideosAmongPictures) {
            try PickerConfiguration(.media(.pictures, .any([.images, .not(.videos)])))
        }
        #expect(throws: PickerError.onlySongsExtend) { try PickerConfiguration(Self.kind, .extend) }
    }
}

/// Files that can be chosen.
struct PickedFiles {
    static let names = ["a", "b", "c", "d", "e", "f", "g", "h"]

    subscript(_ uris: String...) -> [PickedItem] {
        uris.map { uri in PickedItem(.picture(Self.medium(uri, nil)), .unknown) }
    }

    static func song(_ uri: String) -> PickedItem { PickedItem(.song(PickableSong(Song(uri: uri)))) }

    static func medium(_ uri: String, _ size: PixelSize?) -> LibraryMedium {
        LibraryMedium(
            uri: uri,
            kind: .image,
            size: 1,
            lastModified: 1,
            dimensions: size,
            captured: nil,
            duration: nil,
            isCover: false
        )
    }
}

extension PickerRequest.Asker {
    /// A client of an address of its own.
    static func frame(_ connection: Int) -> Self {
        let place = ClientPlace.network([10, 0, UInt8(connection / 256), UInt8(connection % 256)])
        return Self(connection: connection, name: "frame\(connection)", party: .place(place))
    }
}
