/// The progress of a fetch.
package struct TransferProgress: Sendable, Hashable {
  package let receivedObjects: Int
  package let totalObjects: Int
  package let receivedBytes: Int
}
