/// Why a call of the bus has failed.
package struct BusError: Error, Sendable {
  /// The name of the error, for example `org.freedesktop.DBus.Error.NoReply`; empty if there is no session bus.
  package let name: String
  /// What the other program says. It is not trusted.
  package let text: String

  package init(_ name: String, _ text: String = "") {
    self.name = name
    self.text = text
  }

  /// There is no session bus, or it cannot be reached.
  package static let noBus = BusError("")

  /// Whether there is no session bus.
  package var isMissingBus: Bool { name.isEmpty }
}
