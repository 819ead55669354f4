import PictureValues
import Testing

@Suite struct CaptureDateTests {
    @Test(
        arguments: [
            ("2024:05:17 18:30:00", "+02:00", 1_715_963_400, "2024-05-17T18:30:00+02:00"),
            ("2024:05:17 18:30:00", "", 1_715_970_600, "2024-05-17T18:30:00"),
            ("2024:05:17 18:30:00", "   :  ", 1_715_970_600, "2024-05-17T18:30:00"),
            ("2024-05-17T18:30:00.000000Z", "", 1_715_970_600, "2024-05-17T18:30:00Z"),
            ("2024-05-17T18:30:00-0330", "", 1_715_983_200, "2024-05-17T18:30:00-03:30"),
            ("1970-01-01T00:00:00Z", "", 0, "1970-01-01T00:00:00Z"),
            ("1969-12-31T23:59:59Z", "", -1, "1969-12-31T23:59:59Z"),
            ("2000-02-29T12:00:00Z", "", 951_825_600, "2000-02-29T12:00:00Z"),
            ("9999-12-31T23:59:59Z", "", 253_402_300_799, "9999-12-31T23:59:59Z"),
        ] as [(String, String, Int64, String)]
    )
    func datesAreReadAndWritten(text: String, offset: String, seconds: Int64, shown: String) throws {
        let date = try #require(CaptureDate(text, offset: offset))
        #expect(date.seconds == seconds)
        #expect(date.description == shown)
    }

    @Test(
        arguments: [
            "", "2024", "0000:00:00 00:00:00", "2024:13:17 18:30:00", "2024:05:32 18:30:00", "2024:05:17 24:30:00",
            "2024:05:17 18:60:00", "    :  :     :  :  ", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+01:00",
        ]
    )
    func othersAreNot(text: String) { #expect(CaptureDate(text) == nil) }

    @Test func zonesOfDaysAreNone() {
        #expect(CaptureDate("2024-05-17T18:30:00+99:00")?.zone == nil)
        #expect(CaptureDate(seconds: 0, zone: 1440) == nil)
        #expect(CaptureDate(seconds: .max, zone: nil) == nil)
    }
}
