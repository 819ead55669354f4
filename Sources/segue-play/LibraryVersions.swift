/// The libraries that playing depends on, as they are loaded now.
func libraryVersions() -> [(name: String, version: String)] {
    []
}
