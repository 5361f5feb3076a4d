/// How to reach remotes over HTTP.
package struct HTTPSettings: Sendable, Hashable {
  /// The path of a file with the certificate authorities to trust instead of those of the system; nil for these.
  package var certificateAuthorityFile: String?

  /// Whether `http://` may leave this machine. Then everybody on the way sees who syncs when, and can refuse the sync,
  /// but opens nothing.
  package var allowsInsecureHTTP = false

  /// A user name and a password that came with the URL, separated by a zero byte, or nil.
  package var credential: [UInt8]?

  package init() {}
}
