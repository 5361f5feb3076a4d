internal import CDBus
internal import CofferPlatform

/// A connection of its own with the user's session bus.
@safe final class SessionBus {
  /// An argument of a call.
  enum Argument {
    case text(String)
    case variant(String)
    case path(String)
    case paths([String])
  }

  private let connection: OpaquePointer

  private init(_ connection: OpaquePointer) { unsafe self.connection = unsafe connection }

  deinit {
    unsafe dbus_connection_close(connection)
    unsafe dbus_connection_unref(connection)
  }

  /// Connects to the bus that the environment names.
  static func connect() throws(ImportError) -> SessionBus {
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    guard let connection = unsafe dbus_bus_get_private(DBUS_BUS_SESSION, &error) else {
      throw ImportError(
        "there is no session bus", recoverySuggestion: "run the command in the desktop session of the secret service")
    }
    unsafe dbus_connection_set_exit_on_disconnect(connection, 0)
    return unsafe SessionBus(connection)
  }

  /// Calls a method, and waits for its result for at most `timeout` seconds.
  func call(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [Argument] = [],
    timeout: Int = 60
  ) throws(ImportError) -> [BusValue] {
    guard let message = unsafe dbus_message_new_method_call(service, path, interface, method) else {
      throw Self.failure(method, "the call cannot be made")
    }
    defer { unsafe dbus_message_unref(message) }
    var place = unsafe DBusMessageIter()
    unsafe dbus_message_iter_init_append(message, &place)
    for argument in arguments { unsafe Self.append(argument, to: &place) }
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    guard
      let reply = unsafe dbus_connection_send_with_reply_and_block(connection, message, Int32(timeout * 1_000), &error)
    else { throw Self.failure(method, unsafe error.name.map { unsafe String(cString: $0) } ?? "no answer") }
    defer { unsafe dbus_message_unref(reply) }
    return unsafe BusValue.all(in: reply)
  }

  /// Waits for a signal from an object, and returns its values.
  func awaitSignal(
    _ interface: String, _ name: String, from path: String, timeout: Duration, after begin: () throws -> Void
  ) throws -> [BusValue] {
    unsafe dbus_bus_add_match(connection, "type='signal',interface='\(interface)',path='\(path)'", nil)
    unsafe dbus_connection_flush(connection)
    try begin()
    let end = ContinuousClock.now + timeout
    while ContinuousClock.now < end {
      guard unsafe dbus_connection_read_write(connection, 1_000) != 0 else { break }
      while let message = unsafe dbus_connection_pop_message(connection) {
        defer { unsafe dbus_message_unref(message) }
        if unsafe dbus_message_is_signal(message, interface, name) != 0,
          unsafe dbus_message_has_path(message, path) != 0
        {
          return unsafe BusValue.all(in: message)
        }
      }
    }
    throw Self.failure(name, "no answer")
  }

  private static func failure(_ method: String, _ reason: String) -> ImportError {
    ImportError(
      "the secret service did not answer \(method): \(reason)",
      recoverySuggestion: "check that a secret service runs (gnome-keyring, KWallet or KeePassXC) and is unlocked")
  }

  private static func append(_ argument: Argument, to place: inout DBusMessageIter) {
    switch argument {
    case .text(let text): unsafe append(text, "s", to: &place)
    case .path(let path): unsafe append(path, "o", to: &place)
    case .variant(let text):
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_open_container(&place, Int32(UInt8(ascii: "v")), "s", &inner)
      unsafe append(text, "s", to: &inner)
      unsafe dbus_message_iter_close_container(&place, &inner)
    case .paths(let paths):
      var inner = unsafe DBusMessageIter()
      unsafe dbus_message_iter_open_container(&place, Int32(UInt8(ascii: "a")), "o", &inner)
      for path in paths { unsafe append(path, "o", to: &inner) }
      unsafe dbus_message_iter_close_container(&place, &inner)
    }
  }

  private static func append(_ text: String, _ kind: Unicode.Scalar, to place: inout DBusMessageIter) {
    unsafe text.withCString { text in
      var pointer: UnsafePointer<CChar>? = unsafe text
      _ = unsafe dbus_message_iter_append_basic(&place, Int32(kind.value), &pointer)
    }
  }
}
