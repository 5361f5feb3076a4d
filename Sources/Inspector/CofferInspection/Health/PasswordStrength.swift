package import CofferCrypto
internal import CofferPlatform

/// An estimate of how hard a password is to guess, for somebody who knows how people choose passwords.
///
/// The estimate is the smallest number of bits with which the password can be written as a sequence of parts:
///
/// - A character: log2 of the number of characters of the kinds in the password, which are 26 small letters, 26
///   capitals, 10 digits, 33 signs, and 100 for all others.
/// - A sign of ASCII that occurs before: 1.
/// - A word of ``PasswordWords``: log2 of the number of words in its list, 1 for capitals, and 1 for digits or signs in
///   place of letters.
/// - Three or more equal characters, or neighbours in the alphabet, in numbers or on a keyboard: the first character,
///   2, and log2 of their number.
/// - Two or more characters as before: 2.
///
/// So a password that was generated has its own bits, and `Password2024!` few. What a list cannot know, such as the
/// name of a pet, is taken for random characters.
package struct PasswordStrength: Sendable, Hashable {
  package enum Grade: String, Sendable {
    case weak, fair, strong

    package var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
  }

  /// Fewer bits are weak: whoever has a stolen hash tries 2^40 passwords in hours.
  package static let fairBits = 40
  /// As many bits are strong.
  package static let strongBits = 60
  /// Only so many bytes are looked at.
  private static let byteLimit = 256

  package let bits: Int
  /// Whether it is one of ``PasswordWords/common``, whatever its case and with digits or signs in place of letters.
  package let isCommon: Bool

  package var grade: Grade {
    isCommon || bits < Self.fairBits ? .weak : bits < Self.strongBits ? .fair : .strong
  }

  /// The estimate in a few words.
  package var label: String { isCommon ? "common" : "about \(bits) bits" }

  /// The estimate in a sentence.
  package var words: String {
    isCommon ? "Weak: one of the commonest passwords." : "\(grade.name): \(label)."
  }

  package init(_ password: SecretText) {
    var bytes = unsafe password.withBytes { unsafe Array($0) }
    defer { bytes.wipe() }
    self.init(bytes)
  }

  /// Estimates a password in UTF-8.
  init(_ password: [UInt8]) {
    let text = password.prefix(Self.byteLimit)
    let single = log2(Self.alphabetSize(of: text))
    // The smallest number of bits for the bytes before each place.
    var least = [Double](repeating: .infinity, count: text.count + 1)
    least[0] = 0
    var isCommon = false
    for start in text.indices {
      func offer(_ count: Int, _ bits: Double) { least[start + count] = min(least[start + count], least[start] + bits) }
      let byte = text[start]
      let first = Self.isContinuation(byte) ? 0 : single
      offer(1, Self.isSign(byte) && text[..<start].contains(byte) ? 1 : first)
      let run = Self.runLength(in: text, from: start)
      for count in 3..<max(3, run + 1) { offer(count, first + 2 + log2(Double(count))) }
      for count in 2..<max(2, min(start, text.count - start) + 1)
      where text[start..<start + count].elementsEqual(text[start - count..<start]) { offer(count, 2) }
      PasswordWords.forEachWord(in: text[start...]) { word in
        offer(word.byteCount, word.bits)
        if word.isCommon, word.byteCount == password.count { isCommon = true }
      }
    }
    bits = Int(least[text.count])
    self.isCommon = isCommon
  }

  private static func alphabetSize(of text: ArraySlice<UInt8>) -> Double {
    func size(_ size: Double, _ isMember: (UInt8) -> Bool) -> Double { text.contains(where: isMember) ? size : 0 }
    let known = size(26, isSmall) + size(26, isCapital) + size(10, isDigit) + size(33, isSign)
    return max(1, known + size(100) { $0 >= 0x80 })
  }

  private static func isSmall(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  static func isCapital(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }
  /// Whether the byte continues a character of several bytes.
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  private static func isSign(_ byte: UInt8) -> Bool {
    byte < 0x80 && !isSmall(byte) && !isCapital(byte) && !isDigit(byte)
  }

  /// The alphabet, the digits, and the rows of keyboards.
  private static let lines = [
    "abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm",
    "azertyuiop", "qsdfghjklm", "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  ].map { Array($0.utf8) }

  /// Returns how many characters from a place on are equal, or neighbours in one line and direction.
  private static func runLength(in text: ArraySlice<UInt8>, from start: Int) -> Int {
    var longest = text[start...].prefix { $0 == text[start] }.count
    for line in lines {
      guard let place = line.firstIndex(of: PasswordWords.Folding.none.fold(text[start])) else { continue }
      for rest in [Array(line[place...]), line[...place].reversed()] {
        let count = zip(text[start...], rest).prefix { PasswordWords.Folding.none.fold($0) == $1 }.count
        longest = max(longest, count)
      }
    }
    return longest
  }
}

/// The words by which people choose passwords: ``WordList``, and a short list of the commonest passwords.
///
/// Words are found by a hash (FNV-1a), so that no part of a password is copied.
enum PasswordWords {
  struct Word {
    let byteCount: Int
    let bits: Double
    let isCommon: Bool
  }

  /// What stands for a letter.
  enum Folding: CaseIterable {
    case none, onesAsI, onesAsL

    /// Returns a small letter for a capital and, unless there is no folding, for a digit or sign in its place.
    func fold(_ byte: UInt8) -> UInt8 {
      if PasswordStrength.isCapital(byte) { return byte | 0x20 }
      guard self != .none else { return byte }
      return switch byte {
      case UInt8(ascii: "0"): UInt8(ascii: "o")
      case UInt8(ascii: "1"), UInt8(ascii: "!"): self == .onesAsI ? UInt8(ascii: "i") : UInt8(ascii: "l")
      case UInt8(ascii: "3"): UInt8(ascii: "e")
      case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
      case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
      case UInt8(ascii: "7"): UInt8(ascii: "t")
      default: byte
      }
    }
  }

  /// The commonest passwords in small letters, written down for Coffer: words, names, walks over keyboards and years.
  static let common = PackageResources.common_passwords_txt.split(separator: UInt8(ascii: "\n"))

  private struct Entry {
    let bits: Double
    let isCommon: Bool
  }

  private static let entries: [UInt64: Entry] = {
    var entries: [UInt64: Entry] = [:]
    for (list, isCommon) in [(WordList.words, false), (common, true)] {
      let entry = Entry(bits: log2(Double(list.count)), isCommon: isCommon)
      for word in list { entries[word.reduce(offsetBasis) { next($0, $1) }] = entry }
    }
    return entries
  }()

  private static let longest = (WordList.words + common).map(\.count).max() ?? 0
  private static let offsetBasis: UInt64 = 0xCBF2_9CE4_8422_2325

  private static func next(_ hash: UInt64, _ byte: UInt8) -> UInt64 { (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }

  /// Calls `body` with each word that a text begins with.
  static func forEachWord(in text: ArraySlice<UInt8>, _ body: (Word) -> Void) {
    for folding in Folding.allCases {
      var (hash, hasCapital, isFolded) = (offsetBasis, false, false)
      for (index, byte) in text.prefix(longest).enumerated() {
        let folded = folding.fold(byte)
        hash = next(hash, folded)
        hasCapital = hasCapital || PasswordStrength.isCapital(byte)
        isFolded = isFolded || folded != Folding.none.fold(byte)
        guard index >= 2, let entry = entries[hash] else { continue }
        let bits = entry.bits + (hasCapital ? 1 : 0) + (isFolded ? 1 : 0)
        body(Word(byteCount: index + 1, bits: bits, isCommon: entry.isCommon))
      }
    }
  }
}
