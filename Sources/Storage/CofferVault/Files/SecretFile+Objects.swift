package import CofferFormat

extension SecretFile {
  /// Reads the object in the file. Throws as ``read(_:)``.
  package func read<Object: SecretObject>(_ type: Object.Type = Object.self) throws(VaultError) -> Object {
    try read { try Object(secretBytes: $0) }
  }

  /// Reads the object in the file. Throws as ``read(_:)``, and `integrity` if it belongs to another vault than that of a
  /// genesis.
  package func read<Object: SecretObject>(
    _ type: Object.Type = Object.self, of genesis: EntryHash
  ) throws(VaultError) -> Object {
    let object = try read(type)
    guard object.genesis == genesis else {
      throw VaultError(
        .integrity, "\(path) belongs to another vault",
        recoverySuggestion: "the folder was exchanged; restore the original folder")
    }
    return object
  }

  /// Replaces the file durably by an object. Throws as ``write(wiping:)``.
  package func write(_ object: some SecretObject) throws(VaultError) {
    var bytes = object.secretBytes()
    try write(wiping: &bytes)
  }
}
