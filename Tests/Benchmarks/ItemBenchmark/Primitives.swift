import CofferTestSupport
import CSodium

/// libsodium on buffers that are allocated before: the cost of an operation's cryptography alone.
///
/// Safe: the buffers are allocated once, are larger than any requested size, and live as long as the object.
@safe final class Primitives {
  static let capacity = 4_096

  private let plain: UnsafeMutablePointer<UInt8>
  private let sealed: UnsafeMutablePointer<UInt8>
  private let key: UnsafeMutablePointer<UInt8>
  private let digest: UnsafeMutablePointer<UInt8>
  private let domain: UnsafeMutablePointer<UInt8>
  private let signingKey: UnsafeMutablePointer<UInt8>
  private var sealedCount = 0

  init() {
    precondition(sodium_init() >= 0, "libsodium could not be initialised")
    func buffer(_ count: Int) -> UnsafeMutablePointer<UInt8> {
      let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
      unsafe randombytes_buf(buffer, count)
      return unsafe buffer
    }
    unsafe plain = buffer(Self.capacity)
    unsafe sealed = buffer(Self.capacity + 40)
    unsafe key = buffer(32)
    unsafe digest = buffer(64)
    unsafe domain = buffer(16)
    unsafe signingKey = buffer(64)
    _ = unsafe crypto_sign_keypair(digest, signingKey)
  }

  deinit {
    unsafe plain.deallocate()
    unsafe sealed.deallocate()
    unsafe key.deallocate()
    unsafe digest.deallocate()
    unsafe domain.deallocate()
    unsafe signingKey.deallocate()
  }

  /// Computes BLAKE2b-256 of `count` bytes.
  func hash(_ count: Int) {
    _ = unsafe crypto_generichash_blake2b_salt_personal(digest, 32, plain, UInt64(count), nil, 0, nil, domain)
  }

  /// Computes keyed BLAKE2b-256, as for an item's identifier, a token or a MAC.
  func keyedHash(_ count: Int) {
    _ = unsafe crypto_generichash_blake2b_salt_personal(digest, 32, plain, UInt64(count), key, 32, nil, domain)
  }

  /// Seals with XChaCha20-Poly1305 and a random nonce.
  func seal(_ count: Int) {
    unsafe randombytes_buf(sealed, 24)
    _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
      sealed + 24, nil, plain, UInt64(count), domain, 16, nil, sealed, key)
    sealedCount = count
  }

  /// Opens the bytes that were sealed last.
  func open() {
    _ = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
      plain, nil, nil, sealed + 24, UInt64(sealedCount + 16), domain, 16, sealed, key)
  }

  /// Makes an Ed25519 signature over a digest with its domain.
  func sign() { _ = unsafe crypto_sign_detached(digest, nil, plain, 48, signingKey) }

  /// Prints the cost of each primitive on this machine.
  func report() throws {
    print("primitives, on this machine")
    seal(BenchmarkVault.valueByteCount)
    let measured: [(String, () -> Void)] = [
      ("BLAKE2b, keyed, 32 B", { self.keyedHash(32) }),
      ("XChaCha20-Poly1305, open \(BenchmarkVault.valueByteCount) B", { self.open() }),
      ("XChaCha20-Poly1305, seal \(BenchmarkVault.valueByteCount) B", { self.seal(BenchmarkVault.valueByteCount) }),
      ("Ed25519, sign", { self.sign() }),
    ]
    let times = try medians(rounds: 9, turns: 20, repetitions: 100, of: measured.map(\.1))
    for (primitive, time) in zip(measured, times) { print("  \(primitive.0.padded(to: 34))\(time.shown(2)) µs") }
  }
}
