/// The names of the interface `org.freedesktop.secrets`.
package enum ServiceName {
  /// The name on the bus.
  package static let bus = "org.freedesktop.secrets"
  /// The path of the service.
  package static let root = "/org/freedesktop/secrets"

  static let service = "org.freedesktop.Secret.Service"
  static let collection = "org.freedesktop.Secret.Collection"
  static let item = "org.freedesktop.Secret.Item"
  static let session = "org.freedesktop.Secret.Session"
  static let prompt = "org.freedesktop.Secret.Prompt"
  static let properties = "org.freedesktop.DBus.Properties"
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  static let peer = "org.freedesktop.DBus.Peer"
  /// The interface of `coffer lock`, at the path of the service.
  static let control = "coffer.SecretService"
  /// Its only method: drops all keys, and returns how many apps had keys here that no agent keeps.
  static let lockKeys = "LockKeys"

  /// The path that stands for no object: of a prompt that is not needed, of an alias that nothing has.
  static let noObject = "/"
}
