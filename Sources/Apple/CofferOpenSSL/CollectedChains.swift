internal import CLibcrypto

/// Chains whose certificates a C function hands over one by one.
final class CollectedChains {
  private var chains: [[[UInt8]]]

  private init(count: Int) { chains = Array(repeating: [], count: count) }

  /// Runs a function that takes a visitor and its context, and returns a status, whose error is thrown. The chains have
  /// certificates in DER.
  static func collect(
    _ count: Int, _ run: (UnsafeMutableRawPointer, coffer_certificate_visitor) -> Int32
  ) throws(OpenSSLError) -> [[[UInt8]]] {
    let collected = CollectedChains(count: count)
    let status = withExtendedLifetime(collected) {
      unsafe run(Unmanaged.passUnretained(collected).toOpaque()) { context, position, der in
        guard let context = unsafe context else { return }
        let collected = unsafe Unmanaged<CollectedChains>.fromOpaque(context).takeUnretainedValue()
        collected.chains[position].append(unsafe der.array)
      }
    }
    try Libcrypto.check(status)
    return collected.chains
  }
}
