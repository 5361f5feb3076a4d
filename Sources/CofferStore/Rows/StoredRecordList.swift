package import CofferCrypto

/// A list of records that stay valid after a revocation, as the store knows it.
package struct StoredRecordList: Hashable, Sendable {
  /// The hash that the revocation names.
  package let hash: Bytes32
  /// The identifier of the file on the remote: nil if the remote does not have the list, empty if it is unknown.
  package let published: [UInt8]?
}
