internal import CDBus
internal import CofferPlatform
internal import CofferSystem
internal import Dispatch
internal import Synchronization

/// A connection of its own with the user's session bus. One thread uses it.
@safe package final class SessionBus {
  private let connection: OpaquePointer

  private init(_ connection: OpaquePointer) { unsafe self.connection = unsafe connection }

  deinit {
    unsafe dbus_connection_close(connection)
    unsafe dbus_connection_unref(connection)
  }

  /// The bus itself.
  package static let busName = "org.freedesktop.DBus"
  package static let busPath = "/org/freedesktop/DBus"

  /// Connects to the bus that the environment names. Throws ``BusError/noBus``.
  package static func connect() throws(BusError) -> SessionBus {
    guard let connection = unsafe open() else { throw .noBus }
    return unsafe SessionBus(connection)
  }

  /// Connects as ``connect()``, but throws ``BusError/noBus`` also if the bus does not answer within one and a half
  /// seconds: a command's user waits for it. Only for commands: libdbus goes on for 25 seconds, on a thread of its own.
  package static func connectSoon() throws(BusError) -> SessionBus {
    let opened = Opened()
    let isDone = DispatchSemaphore(value: 0)
    DispatchQueue.serial("bus").async {
      opened.address.withLock { $0 = UInt(bitPattern: unsafe open()) }
      isDone.signal()
    }
    guard isDone.wait(timeout: .now() + 1.5) == .success,
      let connection = unsafe OpaquePointer(bitPattern: opened.address.withLock { $0 })
    else { throw .noBus }
    return unsafe SessionBus(connection)
  }

  /// The address of a connection that another thread has opened; 0 for none.
  private final class Opened: Sendable {
    let address = Mutex(UInt(0))
  }

  private static func open() -> OpaquePointer? {
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    // In an app, how the process handles that signal is the app's own affair.
    dbus_connection_set_change_sigpipe(0)
    guard let connection = unsafe dbus_bus_get_private(DBUS_BUS_SESSION, &error) else { return nil }
    unsafe dbus_connection_set_exit_on_disconnect(connection, 0)
    return unsafe connection
  }

  // MARK: Calls that wait

  /// Calls a method, and waits for its result for at most `timeout` seconds.
  package func call(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue] = [],
    timeout: Int = 60
  ) throws(BusError) -> [BusValue] {
    let message = try unsafe Self.message(service, path, interface, method, arguments)
    defer { unsafe dbus_message_unref(message) }
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    guard
      let reply = unsafe dbus_connection_send_with_reply_and_block(connection, message, Int32(timeout * 1_000), &error)
    else {
      throw unsafe Self.failure(error, unnamed: "NoReply")
    }
    defer { unsafe dbus_message_unref(reply) }
    // The importer reads what it has asked for.
    var limits = ReadingLimits(values: .max, bytes: .max, readsDescriptors: true)
    return unsafe MessageReading.values(in: reply, &limits)
  }

  /// Waits for a signal from an object, and returns its values.
  package func awaitSignal(
    _ interface: String, _ name: String, from path: String, timeout: Duration, after begin: () throws -> Void
  ) throws -> [BusValue] {
    observe("type='signal',interface='\(interface)',path='\(path)'")
    unsafe dbus_connection_flush(connection)
    try begin()
    let end = ContinuousClock.now + timeout
    while ContinuousClock.now < end {
      guard unsafe dbus_connection_read_write(connection, 1_000) != 0 else { break }
      while let message = nextMessage() {
        if message.kind == .signal, message.interface == interface, message.member == name, message.path == path {
          return message.values
        }
      }
    }
    throw BusError("org.freedesktop.DBus.Error.NoReply")
  }

  /// Asks the bus for a well-known name, without a place in a queue and without a right for others to take it. Returns
  /// whether this connection owns it now.
  package func requestName(_ name: String) throws(BusError) -> Bool {
    var error = unsafe DBusError()
    unsafe dbus_error_init(&error)
    defer { unsafe dbus_error_free(&error) }
    let result = unsafe dbus_bus_request_name(connection, name, UInt32(DBUS_NAME_FLAG_DO_NOT_QUEUE), &error)
    guard result >= 0 else {
      throw unsafe Self.failure(error, unnamed: "Failed")
    }
    return result == DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER || result == DBUS_REQUEST_NAME_REPLY_ALREADY_OWNER
  }

  /// Gives a name up, so that the bus sends it no more calls.
  package func releaseName(_ name: String) { unsafe dbus_bus_release_name(connection, name, nil) }

  /// Adds a rule for the signals that the bus sends to this connection.
  package func observe(_ rule: String) { unsafe dbus_bus_add_match(connection, rule, nil) }

  // MARK: For a loop

  /// The descriptor of the connection; nil if it is closed.
  var descriptor: Int32? {
    var descriptor: Int32 = -1
    return unsafe dbus_connection_get_unix_fd(connection, &descriptor) != 0 ? descriptor : nil
  }

  /// Whether messages wait until the connection takes them.
  var hasOutput: Bool { unsafe dbus_connection_has_messages_to_send(connection) != 0 }

  /// Sends and receives what is possible without waiting. Returns false if the connection is closed.
  func exchange() -> Bool { unsafe dbus_connection_read_write(connection, 0) != 0 }

  /// Returns the next message that has arrived; nil if there is none.
  func nextMessage() -> BusMessage? {
    guard let message = unsafe dbus_connection_pop_message(connection) else { return nil }
    defer { unsafe dbus_message_unref(message) }
    return unsafe Self.read(message)
  }

  /// Sends a call, and returns its number.
  func send(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue]
  ) throws(BusError) -> UInt32 {
    let message = try unsafe Self.message(service, path, interface, method, arguments)
    defer { unsafe dbus_message_unref(message) }
    var serial: UInt32 = 0
    guard unsafe dbus_connection_send(connection, message, &serial) != 0 else { throw Self.noMemory }
    return serial
  }

  /// Sends an answer or a signal. What the bus cannot carry, for want of memory or because of its size, becomes an
  /// error.
  func send(_ output: BusOutput) {
    switch output {
    case .reply(let call, let values):
      guard call.expectsReply else { return }
      guard let message = unsafe dbus_message_new(DBUS_MESSAGE_TYPE_METHOD_RETURN) else { return }
      defer { unsafe dbus_message_unref(message) }
      guard unsafe MessageWriting.append(values, to: message) else {
        return send(.failure(of: call, name: "org.freedesktop.DBus.Error.NoMemory", text: "the answer is too large"))
      }
      unsafe answer(call, message)
    case .failure(let call, let name, let text):
      guard call.expectsReply else { return }
      guard let message = unsafe dbus_message_new(DBUS_MESSAGE_TYPE_ERROR) else { return }
      defer { unsafe dbus_message_unref(message) }
      guard unsafe dbus_message_set_error_name(message, name) != 0,
        unsafe MessageWriting.append([.text(text)], to: message)
      else { return }
      unsafe answer(call, message)
    case .signal(let path, let interface, let member, let values, let destination):
      guard let message = unsafe dbus_message_new_signal(path, interface, member) else { return }
      defer { unsafe dbus_message_unref(message) }
      guard unsafe MessageWriting.append(values, to: message) else { return }
      if let destination { _ = unsafe dbus_message_set_destination(message, destination) }
      unsafe dbus_message_set_no_reply(message, 1)
      _ = unsafe dbus_connection_send(connection, message, nil)
    }
  }

  private func answer(_ call: BusMessage, _ message: OpaquePointer) {
    guard !call.sender.isEmpty, unsafe dbus_message_set_destination(message, call.sender) != 0,
      unsafe dbus_message_set_reply_serial(message, call.serial) != 0
    else { return }
    unsafe dbus_message_set_no_reply(message, 1)
    _ = unsafe dbus_connection_send(connection, message, nil)
  }

  private static func failure(_ error: DBusError, unnamed name: String) -> BusError {
    BusError(
      unsafe error.name.map { unsafe String(cString: $0) } ?? "org.freedesktop.DBus.Error.\(name)",
      unsafe error.message.map { unsafe String(cString: $0) } ?? "")
  }

  private static let noMemory = BusError("org.freedesktop.DBus.Error.NoMemory")

  private static func message(
    _ service: String, _ path: String, _ interface: String, _ method: String, _ arguments: [BusValue]
  ) throws(BusError) -> OpaquePointer {
    guard let message = unsafe dbus_message_new_method_call(service, path, interface, method) else { throw noMemory }
    guard unsafe MessageWriting.append(arguments, to: message) else {
      unsafe dbus_message_unref(message)
      throw noMemory
    }
    return unsafe message
  }

  /// The only method of Coffer's services that takes descriptors.
  private static let descriptorMethod = "RetrieveSecret"
  /// About what a value takes in memory beside its text or its bytes.
  private static let bytesOfValue = 64

  private static func read(_ message: OpaquePointer) -> BusMessage? {
    let kind: BusMessage.Kind
    switch unsafe dbus_message_get_type(message) {
    case DBUS_MESSAGE_TYPE_METHOD_CALL: kind = .call
    case DBUS_MESSAGE_TYPE_METHOD_RETURN: kind = .reply
    case DBUS_MESSAGE_TYPE_ERROR: kind = .error
    case DBUS_MESSAGE_TYPE_SIGNAL: kind = .signal
    default: return nil
    }
    func text(_ pointer: UnsafePointer<CChar>?) -> String { unsafe pointer.map { unsafe String(cString: $0) } ?? "" }
    let (sender, member) = unsafe (text(dbus_message_get_sender(message)), text(dbus_message_get_member(message)))
    // Descriptors are expected from the bus, which gives handles of processes, and with one method.
    let isExpected = sender == busName || kind == .call && member == descriptorMethod
    let limit = ReadingLimits(readsDescriptors: isExpected)
    var limits = limit
    let values = unsafe MessageReading.values(in: message, &limits)
    var result = unsafe BusMessage(
      kind, sender: sender, path: text(dbus_message_get_path(message)),
      interface: text(dbus_message_get_interface(message)), member: member,
      byteCount: limit.bytes - limits.bytes + bytesOfValue * (limit.values - limits.values))
    result.serial = unsafe dbus_message_get_serial(message)
    result.replySerial = unsafe dbus_message_get_reply_serial(message)
    result.errorName = unsafe text(dbus_message_get_error_name(message))
    result.expectsReply = unsafe dbus_message_get_no_reply(message) == 0
    result.signature = unsafe text(dbus_message_get_signature(message))
    result.values = limits.isExceeded ? [] : values
    result.isTruncated = limits.isExceeded
    return result
  }
}

/// What the bus itself says of the names on it.
extension SessionBus {
  /// Calls a method of the bus itself, and waits for its result for at most ten seconds.
  package func callBus(_ method: String, _ arguments: [BusValue] = []) throws(BusError) -> [BusValue] {
    try call(Self.busName, Self.busPath, Self.busName, method, arguments, timeout: 10)
  }

  /// Returns the unique name of the connection that owns a name; nil if none does.
  package func owner(of name: String) throws(BusError) -> String? {
    do throws(BusError) {
      return try callBus("GetNameOwner", [.text(name)]).first?.string
    } catch {
      guard error.name == "org.freedesktop.DBus.Error.NameHasNoOwner" else { throw error }
      return nil
    }
  }

  /// Returns the process of a connection; nil if the bus does not say.
  package func process(of connection: String) -> Int32? {
    guard case .shortNumber(let number)? = try? callBus("GetConnectionUnixProcessID", [.text(connection)]).first else {
      return nil
    }
    return Int32(exactly: number)
  }
}
