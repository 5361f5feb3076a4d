import CofferCrypto
import Testing

@Suite struct PasswordRecipeTests {
  private func text(of secret: SecretText) -> String {
    unsafe secret.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: PasswordRecipe.Characters.allCases)
  func `A password has the chosen length, and a character of each kind`(characters: PasswordRecipe.Characters) {
    for length in [4, 8, 20, 128] {
      for _ in 0..<50 {
        let password = text(of: PasswordRecipe(length: length, characters: characters).password())
        #expect(password.utf8.count == length && password.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        let kinds = [
          password.contains { $0.isNumber }, password.contains { $0.isLowercase }, password.contains { $0.isUppercase },
          password.contains { !$0.isLetter && !$0.isNumber },
        ]
        #expect(kinds == [true, characters != .digits, characters != .digits, characters == .all])
      }
    }
  }

  @Test func `Passwords differ, and each character is as likely as another`() {
    let recipe = PasswordRecipe(length: 128, characters: .lettersAndDigits)
    var counts: [Character: Int] = [:]
    var seen = Set<String>()
    for _ in 0..<400 {
      let password = text(of: recipe.password())
      seen.insert(password)
      for character in password { counts[character, default: 0] += 1 }
    }
    #expect(seen.count == 400 && counts.count == 62)
    // 51,200 characters: 826 of each on average, with a standard deviation of 29. Ten of them never happen.
    #expect(counts.values.allSatisfy { (540...1_110).contains($0) }, "\(counts)")
  }

  @Test func `A length beyond the limits is the nearest one`() {
    #expect(PasswordRecipe(length: 0, characters: .digits).length == 4)
    #expect(PasswordRecipe(length: 1_000, characters: .digits).length == 128)
  }
}
