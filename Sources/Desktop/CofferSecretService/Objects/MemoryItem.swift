internal import CofferCrypto

/// An item of the collection `session`, which is in guarded memory only.
struct MemoryItem {
  let identifier: String
  var label: String
  var attributes: [String: String]
  var contentType: String
  var secret: SecretText
  let created: UInt64
  var modified: UInt64
}
