/// The verified author of a version: an app on a machine, or the vault's owner.
public struct ItemWriter: Hashable, Sendable {
  /// The app's full identifier; nil if the vault's owner wrote the version without an app.
  public let application: String?
  /// The name of the machine that wrote the version.
  public let device: String
}
