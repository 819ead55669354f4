extension Draft {
    /// Reads mpd.conf.
    mutating func read(mpdConf text: String, _ reading: inout Reading) {
    }
}
