/// The colours that the numbers of a picture or film mean.
package struct ColourSpace: Sendable, Hashable {
    /// Such as `sRGB`, `Display P3` or `BT.2020`; for a profile of other colours, its description.
    package let name: String

    package static let sRGB = ColourSpace(name: "sRGB")
    package static let displayP3 = ColourSpace(name: "Display P3")
    package static let adobeRGB = ColourSpace(name: "Adobe RGB")
    package static let proPhotoRGB = ColourSpace(name: "ProPhoto RGB")
    package static let bt2020 = ColourSpace(name: "BT.2020")
    package static let grey = ColourSpace(name: "Grey")
    package static let cmyk = ColourSpace(name: "CMYK")

    /// The longest description of a profile that is kept, in bytes.
    private static let descriptionLimit = 64

    private init(name: String) { self.name = name }

    /// A profile's own words; `nil` when there are none.
    package init?(profileDescription: String) {
        let words = profileDescription.split { $0.isWhitespace || $0.asciiValue.map { $0 < 0x20 } ?? false }
        var name = words.joined(separator: " ")
        while name.utf8.count > Self.descriptionLimit { name.removeLast() }
        guard !name.isEmpty else { return nil }
        self.name = name
    }

    /// The colours that code points of ITU-T H.273 stand for; `nil` when these say nothing, or name rare ones.
    ///
    /// - Parameter matrix: Tells when the primaries are not given.
    package init?(primaries: Int, transfer: Int, matrix: Int) {
        switch primaries {
        case 1: name = transfer == 13 ? Self.sRGB.name : "BT.709"
        case 5: name = "BT.601 (625 lines)"
        case 6, 7: name = "BT.601 (525 lines)"
        case 9: name = Self.bt2020.name
        case 11: name = "DCI-P3"
        case 12: name = Self.displayP3.name
        case 0, 2:
            switch matrix {
            case 1: name = "BT.709"
            case 5: name = "BT.601 (625 lines)"
            case 6: name = "BT.601 (525 lines)"
            case 9, 10: name = Self.bt2020.name
            default: return nil
            }
        default: return nil
        }
    }

    /// The colours of a profile (ICC.1), by the red, green and blue that it is made for, whatever it calls itself.
    ///
    /// - Parameter primaries: X, Y and Z of red, then of green and blue, adapted to D50.
    package init?(profilePrimaries primaries: [Double]) {
        let known = Self.profiles.first { known in
            zip(known.primaries, primaries).allSatisfy { abs($0 - $1) < Self.tolerance }
        }
        guard let known, primaries.count == known.primaries.count else { return nil }
        self = known.space
    }

    /// Profiles round their numbers, and adapt to D50 in slightly different ways.
    private static let tolerance = 0.008
    private static let profiles: [(space: ColourSpace, primaries: [Double])] = [
        (.sRGB, [0.4361, 0.2225, 0.0139, 0.3851, 0.7169, 0.0971, 0.1431, 0.0606, 0.7139]),
        (.displayP3, [0.5151, 0.2412, -0.0011, 0.2919, 0.6922, 0.0419, 0.1572, 0.0666, 0.7841]),
        (.adobeRGB, [0.6097, 0.3111, 0.0195, 0.2053, 0.6257, 0.0609, 0.1492, 0.0632, 0.7446]),
        (.proPhotoRGB, [0.7977, 0.2880, 0, 0.1352, 0.7119, 0, 0.0313, 0.0001, 0.8249]),
        (.bt2020, [0.6735, 0.2790, -0.0019, 0.1657, 0.6753, 0.0300, 0.1251, 0.0456, 0.7969]),
    ]
}

/// How a picture of more light than usual screens show is coded.
package enum HighDynamicRange: String, Sendable, Hashable {
    /// The perceptual quantiser (SMPTE ST 2084).
    case pq = "PQ"
    /// Hybrid log-gamma (ARIB STD-B67).
    case hlg = "HLG"

    /// - Parameter transfer: The transfer characteristics of ITU-T H.273.
    package init?(transfer: Int) {
        switch transfer {
        case 16: self = .pq
        case 18: self = .hlg
        default: return nil
        }
    }
}
