package import Coffer
internal import CofferBus
internal import CofferPlatform
internal import CofferSystem

/// The broker on the session bus that serves apps in sandboxes, `coffer-secret-service --apps`.
package enum SandboxBroker {
  package static let bus = "org.coffer.Vault1"
  package static let path = "/org/coffer/Vault1"
  /// The only method: it returns a socket for requests, of which each caller has a few.
  package static let open = "Open"

  /// Whether this process is in a Flatpak, whose own vault would be a private one.
  package static var isNeeded: Bool { FileManager.default.fileExists(atPath: "/.flatpak-info") }

  /// How long the broker may take to examine the caller, in seconds.
  private static let timeout = 60

  /// Connects with the broker. Throws `notEntitled` if the sandbox does not permit it, and for an app that the broker
  /// does not serve.
  package static func connect() throws(VaultError) -> RequestSocket {
    do throws(BusError) {
      let values = try SessionBus.connect().call(bus, path, bus, open, timeout: timeout)
      if case .descriptor(let socket)? = values.first {
        let copy = fcntl(socket.descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { return RequestSocket(Descriptor(owning: copy)) }
      }
      throw BusError("")
    } catch {
      switch error.name {
      case "org.freedesktop.DBus.Error.AccessDenied" where !error.text.isEmpty:
        throw VaultError(
          .notEntitled, error.text.sanitizedForTerminal(limit: 1_000),
          recoverySuggestion: "start the Flatpak again; if it is the bus that refuses this, \(permissionAdvice)")
      case "", "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner",
        "org.freedesktop.DBus.Error.AccessDenied":
        throw VaultError(
          .notEntitled, "this app is in a sandbox, and cannot reach Coffer outside of it",
          recoverySuggestion: permissionAdvice)
      default:
        throw VaultError(
          .busy, "Coffer outside of the sandbox does not answer: \(error.name.sanitizedForTerminal(limit: 200))",
          recoverySuggestion: "try again")
      }
    }
  }

  private static let permissionAdvice =
    "add --talk-name=\(bus) to the finish-args of the app's manifest; if it has that, install Coffer on this machine, and run: coffer secret-service install --apps"
}
