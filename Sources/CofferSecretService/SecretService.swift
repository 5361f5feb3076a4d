package import CofferBus

/// The service on the thread of the bus: it knows who calls, and gives each call to the worker of the caller's app.
final class SecretService {
  private let server: BusServer

  init(_ server: BusServer) { self.server = server }

  /// Takes a call or a signal.
  func receive(_ message: BusMessage) {
    guard message.kind == .call else { return }
    server.send(
      .failure(of: message, name: "org.freedesktop.DBus.Error.NotSupported", text: "the service is not ready"))
  }

  /// Ends the service: the secrets of sessions are wiped.
  func end() {}
}
