private import CLCMS

/// Embedded ICC profiles, by Little CMS.
enum ColourProfile {
    enum Pixels {
        case grey, rgb, cmyk, invertedCMYK

        // lcms2.h's TYPE_GRAY_8, TYPE_RGB_8, TYPE_CMYK_8 and TYPE_CMYK_8_REV, which are macros.
        fileprivate var format: UInt32 {
            switch self {
            case .grey: 3 << 16 | 1 << 3 | 1
            case .rgb: 4 << 16 | 3 << 3 | 1
            case .cmyk: 6 << 16 | 4 << 3 | 1
            case .invertedCMYK: 6 << 16 | 4 << 3 | 1 | 1 << 13
            }
        }

        fileprivate var space: cmsColorSpaceSignature {
            switch self {
            case .grey: cmsSigGrayData
            case .rgb: cmsSigRgbData
            case .cmyk, .invertedCMYK: cmsSigCmykData
            }
        }

        fileprivate var channels: Int {
            switch self {
            case .grey: 1
            case .rgb: 3
            case .cmyk, .invertedCMYK: 4
            }
        }
    }

    /// Converts pixels into sRGB, three bytes each.
    ///
    /// - Returns: `nil` when there is no profile, or none that fits the pixels.
    static func converted(_ pixels: [UInt8], _ kind: Pixels, by profile: [UInt8]) -> [UInt8]? {
        guard !profile.isEmpty, let source = unsafe cmsOpenProfileFromMem(profile, UInt32(clamping: profile.count))
        else {
            return nil
        }
        defer { unsafe cmsCloseProfile(source) }
        guard unsafe cmsGetColorSpace(source) == kind.space, let target = unsafe cmsCreate_sRGBProfile() else {
            return nil
        }
        defer { unsafe cmsCloseProfile(target) }
        let intent = UInt32(INTENT_RELATIVE_COLORIMETRIC)
        guard
            let transform = unsafe cmsCreateTransform(
                source,
                kind.format,
                target,
                Pixels.rgb.format,
                intent,
                UInt32(cmsFLAGS_BLACKPOINTCOMPENSATION)
            )
        else { return nil }
        defer { unsafe cmsDeleteTransform(transform) }
        let count = pixels.count / kind.channels
        var converted = [UInt8](repeating: 0, count: count * 3)
        unsafe cmsDoTransform(transform, pixels, &converted, UInt32(clamping: count))
        return converted
    }
}
