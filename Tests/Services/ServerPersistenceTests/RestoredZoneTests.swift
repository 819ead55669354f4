import Playlists
import Songs
import StateStore
import Testing
import Zones

@testable import ServerPersistence

/// What an earlier version, or another program, has journalled is within bounds when it is taken up.
@Suite struct RestoredZoneTests {
    @Test(arguments: [
        ["0", "1e300"], ["1e300"], ["nan"], ["-1", "3"], ["5", "5"], ["0", "inf"], ["1e11"], ["3", "nan"],
    ])
    func rangesOutOfBoundsAreDropped(_ range: [String]) {
        var zone = RestoredZone()
        zone.apply(Record("length", "1"))
        zone.apply(Record("song", ["0", "1", "0", "one.flac"] + range))
        #expect(zone.songs.map(\.song.uri) == ["one.flac"])
        #expect(zone.songs.first?.song.range == nil)
    }

    @Test func rangesWithinBoundsStay() {
        var zone = RestoredZone()
        zone.apply(Record("length", "1"))
        zone.apply(Record("song", ["0", "1", "0", "one.flac", "1.5", "1e10"]))
        #expect(zone.songs.first?.song.range?.end == 1e10)
    }
}
