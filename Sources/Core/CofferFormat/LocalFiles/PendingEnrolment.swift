internal import CofferCrypto

/// What a new machine keeps while it waits for the answer to its request, beside its device file and delivery file.
package struct PendingEnrolment: SecretObject {
  package let key: InvitationKey
  /// The repository's URL.
  package let url: String
  /// The file with the request, which the repository has too: the same bytes are posted again if they get lost.
  package let file: [UInt8]
  package let request: InvitationRequest

  package var genesis: EntryHash { request.genesis }

  package init(key: InvitationKey, url: String, request: InvitationRequest) {
    self.key = key
    self.url = url
    self.request = request
    file = request.sealed(under: key)
  }

  package func secretBytes() -> [UInt8] {
    var writer = ByteWriter(reserving: 128 + url.utf8.count + file.count)
    writer.begin(.pendingEnrolment)
    writer.secret(key.key.secret)
    writer.string(url)
    writer.data(file)
    return writer.bytes
  }

  /// Also opens the request.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.pendingEnrolment.name)
    try reader.begin(.pendingEnrolment)
    key = InvitationKey(try reader.symmetricKey("key"))
    url = try reader.string("url", cap: Limits.urlByteCount)
    file = try reader.data("request", cap: Limits.invitationFileByteCount)
    try reader.finish()
    request = try InvitationRequest(opening: file, with: key)
  }
}
