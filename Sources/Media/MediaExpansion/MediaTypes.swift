/// The file name extensions of media.
package enum MediaType {
    /// Lossless formats first: of several candidate files the best one is chosen.
    package static let audioExtensions = [
        "flac", "wv", "ape", "tak", "tta", "wav", "wave", "w64", "rf64", "aif", "aiff", "aifc", "shn", "dsf",
        "dff", "caf", "au", "snd", "alac", "mka", "m4a", "m4b", "m4r", "opus", "ogg", "oga", "oggflac", "spx",
        "mp3", "mp2", "mp1", "mpga", "aac", "adts", "ac3", "eac3", "ec3", "dts", "dtshd", "mlp", "thd", "mpc",
        "mp+", "mpp", "wma", "ra", "amr", "awb", "3ga", "gsm", "voc", "oma", "aa3", "at3", "aa", "aax", "weba",
        "mod", "xm", "it", "s3m", "mptm",
    ]
    package static let videoExtensions = [
        "mkv", "webm", "mp4", "m4v", "mov", "qt", "avi", "divx", "ts", "m2ts", "mts", "m2t", "mpg", "mpeg",
        "mpe", "m1v", "m2v", "vob", "ogv", "ogx", "ogm", "oggtheora", "flv", "f4v", "wmv", "asf", "rm", "rmvb",
        "3gp", "3g2", "mxf", "nut", "wtv", "dv",
    ]

    private static let ranks = Dictionary(
        uniqueKeysWithValues: (audioExtensions + videoExtensions).enumerated().map { ($1, $0) }
    )

    /// The extension's rank, audio before video; `nil` when it is not a medium's.
    package static func rank(ofExtension suffix: String) -> Int? { ranks[suffix.lowercased()] }
}
