/// The time and data that one transfer may cost. A hostile server can use no more of this machine's memory, disk or
/// time.
package struct TransferLimits: Sendable, Hashable {
  /// The time from the start of the connection to the remote's first byte. Default: 30 seconds.
  package var connectTimeout: Duration = .seconds(30)

  /// The time during which neither side sends a byte. Default: 60 seconds.
  package var idleTimeout: Duration = .seconds(60)

  /// The time for the whole transfer: a server that sends one byte a minute is never idle. Default: 1 hour.
  package var totalTimeout: Duration = .seconds(3600)

  /// Additional time for the first byte if a terminal exists at which ssh can ask for a passphrase or show an unknown
  /// host key. Nil prevents ssh from asking. Default: 2 minutes.
  package var promptTimeout: Duration? = .seconds(120)

  /// The number of received bytes. Default: 2 GiB.
  package var maximumBytes: Int = 2 << 30

  /// The number of bytes of the list of references, which is held in memory. Default: 16 MiB, about 200,000 references.
  package var maximumReferenceBytes: Int = 16 << 20

  /// The number of objects in one pack. Default: 10 million.
  package var maximumObjectCount: Int = 10_000_000

  /// Counts the bytes of the transfers that are given these limits; nil to count nothing.
  package var traffic: TransferTraffic?

  package init() {}
}
