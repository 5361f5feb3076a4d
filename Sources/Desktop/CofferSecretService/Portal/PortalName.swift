/// The names of the back end of the portal for secrets (`org.freedesktop.impl.portal.Secret`).
package enum PortalName {
  /// The name of the back end on the bus.
  package static let bus = "org.freedesktop.impl.portal.desktop.coffer"
  /// The portal itself, which calls the back end for the programs of sandboxes.
  static let frontend = "org.freedesktop.portal.Desktop"
  static let root = "/org/freedesktop/portal/desktop"
  static let secret = "org.freedesktop.impl.portal.Secret"
  static let request = "org.freedesktop.impl.portal.Request"
  /// What the paths of requests begin with.
  static let requests = "\(root)/request/"
}
