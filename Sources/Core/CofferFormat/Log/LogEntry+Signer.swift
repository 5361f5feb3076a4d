extension LogEntry.Signer {
  /// The signer as an author, and as the recipient of boxes.
  package var id: AuthorID {
    switch self {
    case .root: .root
    case .admin(let id): id
    }
  }

  package init(_ id: AuthorID) { self = id == .root ? .root : .admin(id) }
}

extension ByteWriter {
  package mutating func signer(_ signer: LogEntry.Signer) {
    u8(signer == .root ? 1 : 2)
    fixed(signer.id.raw)
  }
}

extension ByteReader {
  package mutating func signer() throws(FormatError) -> LogEntry.Signer {
    let kind = try u8("signer")
    let signer = LogEntry.Signer(AuthorID(try bytes16("signer")))
    guard kind == (signer == .root ? 1 : 2) else { throw failure(.invalidValue, "signer") }
    return signer
  }
}
