/// A shuffled playing order of a queue's slots.
struct RandomOrder: Sendable {
    private(set) var slots: [UInt32]
    /// The position of each slot.
    private var places: [UInt32]

    /// - Parameter capacity: One more than the highest slot.
    init(_ slots: [UInt32], capacity: Int) {
        self.slots = slots
        places = Array(repeating: 0, count: capacity)
        settlePlaces(from: 0)
    }

    var count: Int { slots.count }

    subscript(place: Int) -> UInt32 { slots[place] }

    func place(of slot: UInt32) -> Int { Int(places[Int(slot)]) }

    mutating func append(_ slot: UInt32) {
        while places.count <= Int(slot) { places.append(0) }
        places[Int(slot)] = UInt32(slots.count)
        slots.append(slot)
    }

    mutating func swapPlaces(_ first: Int, _ second: Int) {
        slots.swapAt(first, second)
        places[Int(slots[first])] = UInt32(first)
        places[Int(slots[second])] = UInt32(second)
    }

    /// Moves a slot; the position is counted without it.
    mutating func move(_ slot: UInt32, to place: Int) {
        let old = self.place(of: slot)
        slots.remove(at: old)
        slots.insert(slot, at: place)
        settlePlaces(from: min(old, place))
    }

    mutating func remove(_ slot: UInt32) {
        let place = place(of: slot)
        slots.remove(at: place)
        settlePlaces(from: place)
    }

    /// Adopts the order of another list of the same slots, or of fewer.
    mutating func replace(by slots: [UInt32]) {
        self.slots = slots
        settlePlaces(from: 0)
    }

    private mutating func settlePlaces(from first: Int) {
        for place in first..<slots.count { places[Int(slots[place])] = UInt32(truncatingIfNeeded: place) }
    }
}
