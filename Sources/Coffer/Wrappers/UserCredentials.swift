/// A user's name and password, as one value. Its description shows neither.
public struct UserCredentials: Codable, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
  /// The name by which the user logs in.
  public var user: String
  /// The password.
  public var password: String

  /// Pairs a name with a password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// What they are, and nothing of them.
  public var description: String { "credentials of a user" }
  /// What they are, and nothing of them.
  public var debugDescription: String { description }
}
