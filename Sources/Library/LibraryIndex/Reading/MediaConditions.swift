internal import LibraryScan
internal import MediaHeaders
internal import PictureValues

/// Filters of media as conditions of SQL.
extension MediaFilter {
    /// An expression on the table `file` that is 0 or 1, and never NULL: the complement of a filter has all other media.
    ///
    /// Made of constants only.
    var condition: String {
        switch self {
        case .kind(let kind): "(\(kind.condition))"
        case .any(let parts): parts.isEmpty ? "0" : "(\(parts.map(\.condition).joined(separator: " OR ")))"
        case .all(let parts): parts.isEmpty ? "1" : "(\(parts.map(\.condition).joined(separator: " AND ")))"
        case .not(let part): "(NOT \(part.condition))"
        }
    }
}

extension MediaFilter.Kind {
    fileprivate var condition: String {
        let isImage = "file.kind = \(ScannedFile.Kind.image.number)"
        let isVideo = "file.kind = \(ScannedFile.Kind.video.number)"
        return switch self {
        case .images: isImage
        case .videos: isVideo
        case .covers:
            "\(isImage) AND lower(file.name) IN (\(CoverChoice.names.map { "'\($0)'" }.joined(separator: ",")))"
        case .livePhotos: "\(isImage) AND (\(Self.sharesContent(with: .video)) OR \(Self.hasVideoBeside))"
        case .livePhotoVideos: "\(isVideo) AND (\(Self.sharesContent(with: .image)) OR \(Self.hasImageBeside))"
        case .motionPhotos:
            "\(isImage) AND (\(Self.isNamed("mvimg_*", "*.mp.jpg", "*.mp.jpeg", "*.mp.heic")) OR \(Self.tells(.motionPhoto)))"
        case .bursts: "\(isImage) AND (\(Self.isNamed("*_burst*")) OR \(Self.tells(.burst)))"
        case .panoramas: "\(isImage) AND (\(Self.isLong) OR \(Self.tells(.panorama)))"
        case .depthEffectPhotos: "\(isImage) AND \(Self.tells(.depthEffect))"
        case .animatedImages: "\(isImage) AND \(Self.tells(.animated))"
        case .screenshots:
            "\(isImage) AND (\(Self.isNamedAsScreenshot) OR \(Self.isIn("screenshots")) OR \(Self.tells(.screenshot)))"
        case .screenRecordings:
            "\(isVideo) AND (\(Self.isNamedAsRecording) OR \(Self.isIn("screencasts", "screenrecords", "screen recordings")))"
        case .slomoVideos: "\(isVideo) AND \(Self.tells(.highFrameRate))"
        case .timelapseVideos: "\(isVideo) AND (\(Self.isNamedAsTimelapse) OR \(Self.tells(.timelapse)))"
        }
    }

    /// - Parameter subtype: Told by the file itself.
    private static func tells(_ subtype: MediaSubtypes) -> String {
        "EXISTS (SELECT 1 FROM detail WHERE detail.id = file.id AND subtypes & \(subtype.rawValue) <> 0)"
    }

    // MARK: Live Photos

    /// Whether the file has the content identifier of another one, wherever that is.
    private static func sharesContent(with kind: ScannedFile.Kind) -> String {
        """
        EXISTS (
            SELECT 1 FROM detail AS own JOIN detail AS other ON other.content = own.content
            JOIN file AS partner ON partner.id = other.id
            WHERE own.id = file.id AND partner.kind = \(kind.number) AND partner.problem IS NULL
        )
        """
    }

    /// The name up to its last dot, and that dot; the name itself where it has none.
    private static func stem(_ table: String) -> String { "rtrim(\(table).name, replace(\(table).name, '.', ''))" }

    /// The extensions of a Live Photo's video.
    private static let extensions = ["mov", "MOV", "mp4", "MP4"]
    /// A Live Photo's video lasts three seconds; longer than any, in milliseconds.
    private static let longestLivePhoto = 10_000

    private static func isShort(_ table: String) -> String {
        "coalesce(\(table).milliseconds, 0) <= \(longestLivePhoto)"
    }

    /// Whether the file and another one say that they belong to different Live Photos.
    private static let isOfOther =
        """
        EXISTS (
            SELECT 1 FROM detail AS own JOIN detail AS other ON other.id = partner.id
            WHERE own.id = file.id AND own.content <> other.content
        )
        """

    private static let hasVideoBeside =
        """
        EXISTS (
            SELECT 1 FROM file AS partner WHERE partner.directory = file.directory
            AND partner.kind = \(ScannedFile.Kind.video.number) AND partner.problem IS NULL
            AND partner.name IN (\(extensions.map { "\(stem("file")) || '\($0)'" }.joined(separator: ", ")))
            AND \(isShort("partner")) AND NOT \(isOfOther)
        )
        """

    private static let hasImageBeside =
        """
        \(isShort("file")) AND file.name IN (\(extensions.map { "\(stem("file")) || '\($0)'" }.joined(separator: ", ")))
        AND EXISTS (
            SELECT 1 FROM file AS partner WHERE partner.directory = file.directory
            AND partner.name >= \(stem("file")) AND partner.name < \(stem("file")) || char(1114111)
            AND partner.kind = \(ScannedFile.Kind.image.number) AND partner.problem IS NULL
            AND \(stem("partner")) = \(stem("file")) AND NOT \(isOfOther)
        )
        """

    // MARK: Names and sizes

    private static let isLong =
        """
        EXISTS (
            SELECT 1 FROM detail WHERE detail.id = file.id AND width > 0 AND height > 0
            AND max(width, height) >= 2 * min(width, height)
        )
        """

    /// As GNOME, KDE, Windows and Android name them, and macOS in English and German.
    private static let isNamedAsScreenshot = isNamed("screenshot*", "screen shot*", "bildschirmfoto*")

    /// As macOS in English and German, iOS, Samsung's and Google's phones, and GNOME and KDE name them.
    private static let isNamedAsRecording = isNamed(
        "screen recording*",
        "bildschirmaufnahme*",
        "screenrecording*",
        "rpreplay_*",
        "screen_recording*",
        "screen-[0-9]*",
        "screencast*"
    )

    private static let isNamedAsTimelapse = isNamed("*timelapse*", "*time-lapse*", "*time_lapse*", "*hyperlapse*")

    /// - Parameter patterns: As of files in shells, in lower case.
    private static func isNamed(_ patterns: String...) -> String {
        patterns.map { "lower(file.name) GLOB '\($0)'" }.joined(separator: " OR ")
    }

    /// - Parameter names: Of folders, in lower case.
    private static func isIn(_ names: String...) -> String {
        let conditions = names.map { "lower(folder.path) = '\($0)' OR lower(folder.path) GLOB '*/\($0)'" }
        return """
            EXISTS (
                SELECT 1 FROM directory AS folder WHERE folder.id = file.directory
                AND (\(conditions.joined(separator: " OR ")))
            )
            """
    }
}
