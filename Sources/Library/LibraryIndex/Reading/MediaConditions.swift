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
        case .livePhotos: "\(isImage) AND \(Self.hasVideoBeside)"
        case .motionPhotos:
            "\(isImage) AND (\(Self.isNamed("mvimg_*", "*.mp.jpg", "*.mp.jpeg", "*.mp.heic")))"
        case .bursts: "\(isImage) AND \(Self.isNamed("*_burst*"))"
        case .panoramas: "\(isImage) AND \(Self.isLong)"
        case .screenshots: "\(isImage) AND (\(Self.isNamedAsScreenshot) OR \(Self.isIn("screenshots")))"
        case .screenRecordings:
            "\(isVideo) AND (\(Self.isNamedAsRecording) OR \(Self.isIn("screencasts", "screenrecords", "screen recordings")))"
        }
    }

    /// The name up to its last dot, and that dot; the name itself where it has none.
    private static let stem = "rtrim(file.name, replace(file.name, '.', ''))"

    private static let hasVideoBeside =
        """
        EXISTS (
            SELECT 1 FROM file AS film WHERE film.directory = file.directory AND film.kind = \(ScannedFile.Kind.video.number)
            AND film.problem IS NULL AND film.name IN (\(["mov", "MOV", "mp4", "MP4"].map { "\(stem) || '\($0)'" }.joined(separator: ", ")))
        )
        """

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
