/// A user name and a password as one value. Its descriptions and its mirror contain neither.
public struct UserCredentials: Codable, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The user name.
  public var user: String
  /// The password.
  public var password: String

  /// Creates credentials from a user name and a password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// A redacted description.
  public var description: String { "credentials of a user" }
  /// A redacted description.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` prints no secret.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
