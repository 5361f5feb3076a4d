internal import Foundation
internal import Security
internal import Testing

/// Keys and signatures made by other libraries: Vectors/keys.json, written once by Vectors/generate.py.
struct KeyVectors: Decodable {
  struct Key: Decodable, Sendable, CustomTestStringConvertible {
    let name: String
    let sizeInBits: Int
    let isRSA: Bool
    let `private`: String
    let `public`: String
    let subjectPublicKeyInfo: String
    let pem: String
    let label: String
    let signatures: [String: String]

    var testDescription: String { name }

    /// The names of the signatures with SHA-224, which the file lacks.
    var shortDigestNames: [String] { isRSA ? ["PKCS1:SHA224", "PSS:SHA224"] : ["ECDSA:SHA224"] }

    func attributes(_ keyClass: CFString) -> CFDictionary {
      [
        kSecAttrKeyType as String: isRSA ? kSecAttrKeyTypeRSA : kSecAttrKeyTypeECSECPrimeRandom,
        kSecAttrKeyClass as String: keyClass,
      ] as CFDictionary
    }

    func read(_ hex: String, as keyClass: CFString) -> SecKey? {
      SecurityTests.read(Data(hex: hex), attributes(keyClass))
    }

    var privateKey: SecKey {
      get throws { try #require(read(`private`, as: kSecAttrKeyClassPrivate)) }
    }

    var publicKey: SecKey {
      get throws { try #require(read(`public`, as: kSecAttrKeyClassPublic)) }
    }
  }

  let message: String
  let keys: [Key]

  static let all: KeyVectors = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/keys.json")
    do {
      return try JSONDecoder().decode(KeyVectors.self, from: Data(contentsOf: file))
    } catch {
      preconditionFailure("\(file.path) cannot be read: \(error)")
    }
  }()

  /// Returns the algorithms for a signature's name in the file: over the message, and over its digest.
  static func algorithms(_ name: String) -> (message: SecKeyAlgorithm, digest: SecKeyAlgorithm) {
    let parts = name.split(separator: ":").map(String.init)
    let (padding, hash) = (parts[0], parts[1])
    // Apple's name of PSS with SHA-224 states 24.
    let salt = ["SHA1": 20, "SHA224": 24, "SHA256": 32, "SHA384": 48, "SHA512": 64][hash] ?? 0
    let names = ["message", "digest"].map { input in
      switch padding {
      case "ECDSA": "algid:sign:ECDSA:\(input)-X962:\(hash)"
      case "PKCS1": "algid:sign:RSA:\(input)-PKCS1v15:\(hash)"
      default: "algid:sign:RSA:\(input)-PSS:\(hash):\(hash):\(salt)"
      }
    }
    return (SecKeyAlgorithm(rawValue: names[0] as CFString), SecKeyAlgorithm(rawValue: names[1] as CFString))
  }
}

extension Data {
  init(hex: String) {
    self.init()
    var digits = Substring(hex)
    while let byte = UInt8(digits.prefix(2), radix: 16) {
      append(byte)
      digits = digits.dropFirst(2)
    }
  }
}

/// Calls a function of Apple's interface and returns its result and its error.
func failure(_ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Void) -> (domain: String, code: Int)? {
  var error: Unmanaged<CFError>?
  unsafe body(&error)
  guard let taken = unsafe error?.takeRetainedValue() else { return nil }
  return (taken.domain, taken.code)
}

// Apple's calls without the error pointer: `#expect` cannot expand a call with a pointer argument.

func made(_ parameters: [String: Any]) -> SecKey? { SecKeyCreateRandomKey(parameters as CFDictionary, nil) }

func read(_ data: Data, _ attributes: CFDictionary) -> SecKey? {
  SecKeyCreateWithData(NSData(data: data), attributes, nil)
}

func written(_ key: SecKey) -> Data? { SecKeyCopyExternalRepresentation(key, nil) as Data? }

func signed(_ input: Data, by key: SecKey, _ algorithm: SecKeyAlgorithm) -> Data? {
  SecKeyCreateSignature(key, algorithm, input as CFData, nil) as Data?
}

func verifies(_ signature: Data, of input: Data, by key: SecKey, _ algorithm: SecKeyAlgorithm) -> Bool {
  SecKeyVerifySignature(key, algorithm, input as CFData, signature as CFData, nil)
}
