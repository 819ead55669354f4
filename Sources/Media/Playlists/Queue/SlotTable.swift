/// Maps each entry of a queue to its position.
///
/// An entry keeps one slot while it is in the queue, so that references by slot stay valid when its position changes.
/// Slots are small numbers and are reused.
struct SlotTable: Sendable {
    private var slots: [UInt32: UInt32] = [:]
    private var positions: [UInt32] = []
    private var free: [UInt32] = []

    /// One more than the highest slot ever used.
    var capacity: Int { positions.count }

    func position(of slot: UInt32) -> Int { Int(positions[Int(slot)]) }

    func slot(ofID id: UInt32) -> UInt32? { slots[id] }

    func contains(id: UInt32) -> Bool { slots[id] != nil }

    mutating func add(id: UInt32) -> UInt32 {
        let slot: UInt32
        if let last = free.popLast() {
            slot = last
        } else {
            slot = UInt32(positions.count)
            positions.append(0)
        }
        slots[id] = slot
        return slot
    }

    mutating func setPosition(_ position: Int, of slot: UInt32) {
        positions[Int(slot)] = UInt32(truncatingIfNeeded: position)
    }

    mutating func remove(id: UInt32) {
        if let slot = slots.removeValue(forKey: id) { free.append(slot) }
    }

    mutating func removeAll() { self = SlotTable() }

    mutating func reserve(_ added: Int) {
        // For a few, the array grows by itself: reserving exactly would copy each time.
        guard added > slots.count else { return }
        slots.reserveCapacity(slots.count + added)
        positions.reserveCapacity(positions.count + added)
    }
}
