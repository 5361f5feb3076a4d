internal import CSodium

/// Random bytes from the system's generator.
package enum Random {
  /// Returns `count` unpredictable bytes.
  package static func bytes(count: Int) -> [UInt8] {
    Sodium.require()
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      if let start = buffer.baseAddress { unsafe randombytes_buf(start, count) }
      filled = count
    }
  }

  /// Returns an unpredictable number from 0 to `bound` - 1, each with the same probability. `bound` is at least 1.
  package static func number(below bound: Int) -> Int {
    Sodium.require()
    guard let bound = UInt32(exactly: bound), bound > 0 else { preconditionFailure("no number is below \(bound)") }
    return Int(randombytes_uniform(bound))
  }

  /// Returns 64 unpredictable bits.
  package static func integer() -> UInt64 { bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) } }

  /// Returns the elements in an unpredictable order.
  package static func shuffled<Element>(_ elements: some Sequence<Element>) -> [Element] {
    var generator = Generator()
    return elements.shuffled(using: &generator)
  }

  /// The same generator, for the functions of the standard library.
  private struct Generator: RandomNumberGenerator {
    mutating func next() -> UInt64 { Random.integer() }
  }
}

/// How a password is made: its length, and the characters that it consists of.
package struct PasswordRecipe: Sendable, Hashable {
  /// The kinds of characters. All are ASCII and on every keyboard.
  package enum Characters: String, CaseIterable, Sendable {
    case all
    case lettersAndDigits = "alphanumeric"
    case digits

    /// The sets, of each of which a password that is long enough contains a character.
    fileprivate var sets: [[UInt8]] {
      let letters = [Array("abcdefghijklmnopqrstuvwxyz".utf8), Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)]
      let digits = Array("0123456789".utf8)
      return switch self {
      case .all: letters + [digits, Array("!#$%&()*+,-./:;<=>?@[]^_{|}~".utf8)]
      case .lettersAndDigits: letters + [digits]
      case .digits: [digits]
      }
    }
  }

  /// The lengths that can be chosen.
  package static let lengths = 4...128
  /// The recipe for somebody who chooses nothing: 128 bits.
  package static let standard = PasswordRecipe(length: 20, characters: .all)

  package let length: Int
  package let characters: Characters

  /// Creates a recipe. The number of characters is clamped to ``lengths``.
  package init(length: Int, characters: Characters) {
    self.length = min(max(length, Self.lengths.lowerBound), Self.lengths.upperBound)
    self.characters = characters
  }

  /// Returns a new password, from libsodium's generator.
  ///
  /// Every password that contains a character of each kind has the same probability: one that does not is thrown away
  /// as a whole, and never completed.
  package func password() -> SecretText {
    let sets = characters.sets
    let alphabet = sets.flatMap(\.self)
    while true {
      var found = Set<Int>()
      let password = SecretText(capacity: length) { buffer in
        for _ in 0..<length {
          let character = alphabet[Random.number(below: alphabet.count)]
          buffer.append(character)
          if let set = sets.firstIndex(where: { $0.contains(character) }) { found.insert(set) }
        }
      }
      if found.count == sets.count { return password }
    }
  }
}
