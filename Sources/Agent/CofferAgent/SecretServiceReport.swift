/// What `coffer-secret-service --report` prints as JSON: who owns the names of the user's session bus. `coffer` links
/// no library of the bus.
package struct SecretServiceReport: Codable, Hashable, Sendable {
  /// The process that owns a name.
  package struct Owner: Codable, Hashable, Sendable {
    package let name: String
    /// Zero if the bus does not say.
    package let process: Int32

    package init(name: String, process: Int32) {
      self.name = name
      self.process = process
    }
  }

  /// The name of the Secret Service.
  package static let secretsName = "org.freedesktop.secrets"
  /// The name of the back end of the portal for secrets of Flatpaks.
  package static let portalName = "org.freedesktop.impl.portal.desktop.coffer"
  /// The name of the broker for apps in Flatpaks.
  package static let appsName = "org.coffer.Vault1"

  /// Whether there is a session bus.
  package let hasBus: Bool
  /// The owners of those of the names that have one.
  package let owners: [Owner]

  package init(hasBus: Bool, owners: [Owner]) {
    self.hasBus = hasBus
    self.owners = owners
  }

  /// Returns the process that owns a name; nil if nobody does.
  package func process(owning name: String) -> Int32? { owners.first { $0.name == name }?.process }
}

/// The result of `coffer-secret-service --look-up`: whether the Secret Service of the session finds an item, as another
/// program would look for it.
package enum SecretServiceLookUp: String, Codable, Sendable {
  /// It was found, with its value.
  case found
  /// The collection is locked, and may have it.
  case locked
  /// The process tree of the caller may not read values; the item was found.
  case denied
  /// It is not there for a program outside of a sandbox.
  case absent
  /// The service did not answer.
  case failed
}
