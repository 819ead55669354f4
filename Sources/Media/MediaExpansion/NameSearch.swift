internal import Files

/// Finds files whose names are spelled in another way than they are on the disk: in the other Unicode form, as lists from a
/// Mac are, or in another case, as lists from Windows may be.
struct NameSearch {
    /// The names in each folder that was read.
    private var folders: [FileName: [String]] = [:]

    /// The only file that a name may mean; `nil` if there is none, or more than one.
    mutating func file(like file: FileName) -> FileName? {
        var place = file.bytes.first == UInt8(ascii: "/") ? FileName(bytes: [UInt8(ascii: "/")]) : nil
        for component in file.bytes.split(separator: UInt8(ascii: "/")) {
            let name = Array(component)
            guard let next = place?.appending(name) ?? FileName(bytes: name) else { return nil }
            if (try? FileStatus(of: next)) != nil {
                place = next
                continue
            }
            guard let wanted = String(validating: name, as: UTF8.self),
                let found = onlyName(like: wanted, among: names(in: place ?? .here))
            else { return nil }
            place = place?.appending(Array(found.utf8)) ?? FileName(bytes: Array(found.utf8))
        }
        return place
    }

    private mutating func names(in folder: FileName) -> [String] {
        if let known = folders[folder] { return known }
        let names = ((try? contents(of: folder)) ?? []).compactMap { String(validating: $0.name, as: UTF8.self) }
        folders[folder] = names
        return names
    }
}

/// The only one of some names that is another one in a different Unicode form, or else in a different case; `nil` if there is
/// none, or more than one.
package func onlyName(like name: String, among names: [String]) -> String? {
    // Strings are equal in all forms.
    let same = names.filter { $0 == name }
    if !same.isEmpty { return same.count == 1 ? same[0] : nil }
    let folded = name.lowercased()
    let alike = names.filter { $0.lowercased() == folded }
    return alike.count == 1 ? alike[0] : nil
}
