/// A server that can be lost with its machine, and started again.
package protocol GitServer: AnyObject {
  /// Kills the server and everything that it has started, as the loss of its machine does.
  func kill()

  /// Starts the server again at the same port, and returns when it accepts connections.
  ///
  /// - Throws: An error if it does not start.
  func restart() throws
}
