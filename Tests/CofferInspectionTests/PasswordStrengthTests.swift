import CofferCrypto
import Testing

@testable import CofferInspection

@Suite struct PasswordStrengthTests {
  /// Passwords with the bits of the documented rule, rounded down.
  @Test(arguments: [
    ("", 0), ("x", 4), ("q9", 10),
    // A run: the first character, 2, and log2 of the number.
    ("hhhhhhhh", 9), ("efghijkl", 9), ("tzuiop", 9), ("lkjhgf", 9),
    // The same part again costs 2.
    ("xqvxqv", 16), ("xqvxqvxqv", 18),
    // Words of the list of 7,776: 12.9, and 1 for capitals and for digits in place of letters.
    ("abacus", 12), ("Abacus", 13), ("4bacus", 13), ("abacusabdomen", 25),
    // Characters of all kinds: log2(95).
    ("tR9#wQ", 39), ("tR9#wQzK", 52),
  ])
  func `The bits follow the rule`(password: String, bits: Int) {
    #expect(PasswordStrength(Array(password.utf8)).bits == bits, "\(password)")
  }

  @Test(arguments: [
    "123456", "password", "PASSWORD", "P@ssw0rd", "pa55word", "qwertz", "iloveyou", "1984", "l1verp00l", "Dr4gon",
  ])
  func `Common passwords are found in any case and with digits in place of letters`(password: String) {
    let strength = PasswordStrength(Array(password.utf8))
    #expect(strength.isCommon && strength.grade == .weak && strength.words.contains("commonest"))
  }

  @Test func `A common password with more around it is not common, and still weak`() {
    for password in ["Password2024!", "monkey123", "dragon99", "qwerty!!", "michaelmichael"] {
      let strength = PasswordStrength(Array(password.utf8))
      #expect(!strength.isCommon && strength.grade == .weak, "\(password): \(strength)")
    }
  }

  @Test func `The list of common passwords is in small letters, sorted, without duplicates, and about a thousand`() {
    let words = PasswordWords.common.map { String(decoding: $0, as: UTF8.self) }
    #expect((1_000...2_000).contains(words.count) && words == Array(Set(words)).sorted())
    let isPlain = words.allSatisfy { $0.utf8.allSatisfy { $0 > 32 && $0 < 127 } }
    #expect(isPlain && words.allSatisfy { $0.utf8.count >= 3 && $0 == $0.lowercased() })
  }

  @Test func `What is generated is strong, and its estimate is about its own bits`() {
    for _ in 0..<20 {
      let password = PasswordStrength(PasswordRecipe.standard.password())
      #expect(password.grade == .strong && (105...134).contains(password.bits), "\(password)")
      let words = PasswordStrength(SecretRecipe.words(6).secret())
      #expect(words.grade == .strong && (70...96).contains(words.bits), "\(words)")
    }
  }

  @Test func `A long text and bytes that are no text have an estimate too`() {
    #expect(PasswordStrength([UInt8](repeating: 0xFF, count: 1 << 20)).grade == .weak)
    #expect(PasswordStrength(Array("пароль-у-моря".utf8)).bits > 40)
    #expect(PasswordStrength([UInt8](0...255)).bits > 0)
  }

  @Test func `A recipe takes the numbers of its kind`() {
    #expect(SecretRecipe("words", count: 3) == .words(3) && SecretRecipe("words", count: 25) == nil)
    #expect(SecretRecipe("digits", count: 128) == .characters(PasswordRecipe(length: 128, characters: .digits)))
    #expect(SecretRecipe("digits", count: 3) == nil && SecretRecipe("letters", count: 20) == nil)
  }
}
