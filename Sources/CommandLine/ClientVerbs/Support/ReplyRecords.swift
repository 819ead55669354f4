import ProtocolClient
import Records
import TextEncodings

extension ServerReply {
    /// The reply's records, for programs.
    func records(_ shape: RecordShape) -> [JSON] { shape.records(of: lines) }

    /// The reply as one record, with lines that other commands have given.
    ///
    /// - Parameter others: Lines without a value are left out.
    func record(_ shape: RecordShape, _ others: (key: String, value: String?)...) -> JSON {
        shape.record(lines + others.compactMap { line in line.value.map { (line.key, $0) } })
    }

    private var lines: [ReplyLine] { pairs.map { ($0.key, $0.value) } }
}
