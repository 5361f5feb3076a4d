/// A message to send.
package enum BusOutput: Sendable {
  /// The answer to a call.
  case reply(to: BusMessage, [BusValue])
  /// The answer to a call that has failed. The name is an error's of D-Bus, the text is for people.
  case failure(of: BusMessage, name: String, text: String)
  /// A signal, to one connection or, if `destination` is nil, to all.
  case signal(path: String, interface: String, member: String, [BusValue], destination: String?)
}
