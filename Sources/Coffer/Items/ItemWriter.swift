/// The verified author of a version.
public struct Writer: Hashable, Sendable {
  /// The app's full identifier; nil where the vault's owner wrote it without an app.
  public let application: String?
  /// The name of the machine on which it was written.
  public let device: String
}
