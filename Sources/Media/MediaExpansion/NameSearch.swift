internal import Files

/// Finds files whose names are spelled in another way than they are on the disk: in the other Unicode form, as lists from a
/// Mac are, or in another case, as lists from Windows may be.
///
/// Each folder is read once, so one search serves all the names of a list.
package struct NameSearch {
    /// Whether a path is that of a file or folder.
    private let exists: (_ path: [UInt8]) -> Bool
    /// The names in a folder; the empty path is where paths begin.
    private let list: (_ folder: [UInt8]) -> [String]
    private var folders: [[UInt8]: Names] = [:]

    /// A folder's names by their spellings.
    private struct Names {
        /// Strings are equal in all Unicode forms.
        var byForm: [String: [String]] = [:]
        var byCase: [String: [String]] = [:]

        init(_ names: [String]) {
            for name in names {
                byForm[name, default: []].append(name)
                byCase[name.lowercased(), default: []].append(name)
            }
        }

        /// The only name that is another one in a different Unicode form, or else in a different case.
        func only(like name: String) -> String? {
            let alike = byForm[name] ?? byCase[name.lowercased()] ?? []
            return alike.count == 1 ? alike[0] : nil
        }
    }

    /// Folders that are kept in mind.
    private static let mostFolders = 1_000

    package init(exists: @escaping ([UInt8]) -> Bool, list: @escaping ([UInt8]) -> [String]) {
        (self.exists, self.list) = (exists, list)
    }

    /// The only path that another one may mean; `nil` if there is none, or more than one.
    package mutating func path(like path: [UInt8]) -> [UInt8]? {
        let slash = UInt8(ascii: "/")
        var place: [UInt8] = path.first == slash ? [slash] : []
        for component in path.split(separator: slash) {
            let start = place.isEmpty || place.last == slash ? place : place + [slash]
            let next = start + component
            if exists(next) {
                place = next
                continue
            }
            guard let name = String(validating: component, as: UTF8.self), let found = names(in: place).only(like: name)
            else { return nil }
            place = start + Array(found.utf8)
        }
        return place == path ? nil : place
    }

    private mutating func names(in folder: [UInt8]) -> Names {
        if let known = folders[folder] { return known }
        if folders.count >= Self.mostFolders { folders.removeAll() }
        let names = Names(list(folder))
        folders[folder] = names
        return names
    }
}

extension NameSearch {
    /// Of paths of the file system.
    init() {
        self.init {
            FileName(bytes: $0).flatMap { try? FileStatus(of: $0) } != nil
        } list: { folder in
            let folder = folder.isEmpty ? FileName.here : FileName(bytes: folder) ?? .here
            return ((try? contents(of: folder)) ?? []).compactMap { String(validating: $0.name, as: UTF8.self) }
        }
    }
}
