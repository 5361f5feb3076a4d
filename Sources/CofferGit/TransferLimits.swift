/// What one conversation with a remote may cost. A hostile server can fill none of our memory, disk or time
/// beyond this.
package struct TransferLimits: Sendable, Hashable {
  /// From starting the connection to the remote's first byte.
  package var connectTimeout: Duration = .seconds(30)

  /// How long neither side may move a byte.
  package var idleTimeout: Duration = .seconds(60)

  /// The whole conversation: a server that drips a byte a minute is never idle.
  package var totalTimeout: Duration = .seconds(3600)

  /// How much longer the first byte may take where there is a terminal at which ssh may ask for a
  /// passphrase or show an unknown host key. `nil`: ssh must not ask.
  package var promptTimeout: Duration? = .seconds(120)

  /// Bytes received. Default 2 GiB.
  package var maximumBytes: Int = 2 << 30

  /// Bytes of the list of references, which is held in memory. Default 16 MiB, about 200,000 references.
  package var maximumReferenceBytes: Int = 16 << 20

  /// Objects in one pack. Default 10 million.
  package var maximumObjectCount: Int = 10_000_000

  package init() {}
}

/// How far a fetch has come.
package struct TransferProgress: Sendable, Hashable {
  package let receivedObjects: Int
  package let totalObjects: Int
  package let receivedBytes: Int
}
