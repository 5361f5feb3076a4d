internal import CofferCrypto

/// What a new machine keeps while it waits for the answer to its request, beside its device file and delivery file.
package struct PendingEnrolment: Sendable {
  package let key: InvitationKey
  /// The repository's URL.
  package let url: String
  /// The file with the request, which the repository has too: the same bytes are posted again if they get lost.
  package let file: [UInt8]
  package let request: InvitationRequest

  package init(key: InvitationKey, url: String, request: InvitationRequest) {
    self.key = key
    self.url = url
    self.request = request
    file = request.sealed(under: key)
  }

  /// Returns the bytes. They are secret; the caller must wipe them.
  package func secretBytes() -> [UInt8] {
    var writer = ByteWriter(reserving: 128 + url.utf8.count + file.count)
    writer.begin(.pendingEnrolment)
    writer.secret(key.key.secret)
    writer.string(url)
    writer.data(file)
    return writer.bytes
  }

  /// Reads the bytes, and opens the request. The caller must wipe them.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.pendingEnrolment.name)
    try reader.begin(.pendingEnrolment)
    let secret = try reader.secret(32, "key")
    do throws(CryptoError) {
      key = InvitationKey(try SymmetricKey(secret))
    } catch {
      throw reader.failure(.invalidValue, "key")
    }
    url = try reader.string("url", cap: Limits.urlByteCount)
    file = try reader.data("request", cap: Limits.invitationFileByteCount)
    try reader.finish()
    request = try InvitationRequest(opening: file, with: key)
  }
}
