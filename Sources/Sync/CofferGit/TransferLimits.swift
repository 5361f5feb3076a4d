/// The time and data that one transfer may cost. A hostile server can use no more of this machine's time, disk and
/// memory for what it sends; what that is unpacked to is limited for bundles, and in a fetch only by the time for all
/// of it and by the largest piece of memory that libgit2 gets, 128 MiB.
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

  /// The number of bytes of one object in a bundle. Default: 64 MiB, twice the largest object of a vault, and half of
  /// what libgit2 gets memory for.
  package var maximumObjectBytes: Int = 64 << 20

  /// The number of bytes that are handled to unpack a bundle: those that are inflated, and those of each object that
  /// differences make, with all objects that it is made from. It is a number for every bundle, and one for each of its
  /// bytes. What a vault consists of is encrypted, so it hardly becomes larger. Default: 256 MiB, and 4.
  package var basicUnpackedBytes: Int = 256 << 20
  package var unpackedBytesPerByte: Int = 4

  /// Counts the bytes of the transfers that are given these limits; nil to count nothing.
  package var traffic: TransferTraffic?

  package init() {}
}
