internal import GRDB

/// The sets of tags that songs have: few combinations among many songs.
enum SongMasks {
    /// Each combination once.
    static func all(_ db: Database) throws -> [Int] {
        var masks: [Int] = []
        // Skip from one to the next in the index.
        try Query(
            db,
            """
            WITH RECURSIVE step (mask) AS (
                SELECT min(mask) FROM file WHERE tagset IS NOT NULL
                UNION ALL
                SELECT (SELECT min(mask) FROM file WHERE tagset IS NOT NULL AND mask > step.mask) FROM step
                WHERE step.mask IS NOT NULL
            )
            SELECT mask FROM step WHERE mask IS NOT NULL
            """
        ).each { masks.append($0.int(0)) }
        return masks
    }

    /// Selects the songs that have none of some tags.
    static func lacking(_ kinds: Int, _ db: Database) throws -> Clause {
        let masks = try all(db).filter { $0 & kinds == 0 }
        if masks.isEmpty { return .never }
        guard masks.count <= 200 else { return .sql("file.mask & \(kinds) = 0", []) }
        return .sql("file.mask IN (\(masks.map(String.init).joined(separator: ",")))", [], isSelective: true)
    }
}
