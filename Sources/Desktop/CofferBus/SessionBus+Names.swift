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
