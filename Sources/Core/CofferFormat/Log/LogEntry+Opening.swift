extension LogEntry {
  /// Opens the sealed form of an entry, and compares it with what the signer has made: whoever has the transport key
  /// can seal an entry again, and could leave out the boxes, which only the envelope has. The caller must verify the
  /// signature, and that no newer transport key seals the entry.
  ///
  /// With `acceptsOtherBoxes`, an entry that introduces this key may have other boxes than those that it names: for a
  /// reader that has the key, and that may not be shown the entry in another form. Throws `otherKind` for an envelope
  /// of something else, `doesNotOpen` for another key, and `invalidValue` if the entry introduces another transport key
  /// than this one, and for boxes that it does not name.
  package init(
    opening envelope: Envelope, with key: TransportKey, acceptingOtherBoxes acceptsOtherBoxes: Bool = false
  ) throws(FormatError) {
    guard envelope.content == .logEntry else {
      throw FormatError(.otherKind, object: ObjectKind.logEntry.name, field: "content")
    }
    try self.init(bytes: envelope.open(with: key.key))
    if let statement = try transportKeyStatement {
      guard statement.generation == envelope.generation, statement.commitment == key.commitment else {
        throw FormatError(.invalidValue, object: ObjectKind.envelope.name, field: "generation")
      }
      if acceptsOtherBoxes { return }
    }
    guard try names(boxesOf: envelope) else {
      throw FormatError(.invalidValue, object: ObjectKind.envelope.name, field: "boxes")
    }
  }

  /// Whether the boxes of an envelope are those that this entry names, in the order in which they were signed: at least
  /// one if it introduces a transport key, otherwise none.
  package func names(boxesOf envelope: Envelope) throws(FormatError) -> Bool {
    guard let statement = try transportKeyStatement else { return envelope.boxes.isEmpty }
    return !envelope.boxes.isEmpty && envelope.boxesHash == statement.boxes
  }

  /// The statement, if it introduces a transport key.
  package var transportKeyStatement: TransportKeyStatement? {
    get throws(FormatError) {
      guard kind == Statement.Kind.transportKey.rawValue, case .transportKey(let statement)? = try Statement.parse(self)
      else { return nil }
      return statement
    }
  }
}
