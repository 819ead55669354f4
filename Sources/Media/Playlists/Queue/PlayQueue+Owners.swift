/// The owners of entries: those that added them, where that is known.
extension PlayQueue {
    /// The name of the client that added an entry.
    package func owner(at position: Int) -> String? {
        let number = Int(entries[position].owner)
        return number == 0 ? nil : owners[number - 1]
    }

    /// Records who added entries; beyond 65,535 different names nothing is recorded.
    package mutating func setOwner(_ name: String, of range: Range<Int>) {
        let number = self.number(ofOwner: name)
        for position in range { entries[position].owner = number }
    }

    /// How many entries a client has added.
    package func count(ofOwner name: String) -> Int {
        guard let index = owners.firstIndex(of: name) else { return 0 }
        let number = UInt16(index + 1)
        return entries.count { $0.owner == number }
    }

    /// The number by which entries know a name, from 1; 0 for none.
    mutating func number(ofOwner name: String?) -> UInt16 {
        guard let name else { return 0 }
        if let index = owners.firstIndex(of: name) { return UInt16(index + 1) }
        guard owners.count < Int(UInt16.max) else { return 0 }
        owners.append(name)
        return UInt16(owners.count)
    }
}
