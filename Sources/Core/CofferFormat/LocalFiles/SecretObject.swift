/// A file with secrets of a machine, which belongs to one vault.
package protocol SecretObject: Sendable {
  /// The hash of the vault's genesis.
  var genesis: EntryHash { get }
  /// Returns the file's bytes. They can be secret; the caller must wipe them.
  func secretBytes() -> [UInt8]
  /// Reads the file's bytes. The caller must wipe them.
  init(secretBytes: [UInt8]) throws(FormatError)
}
