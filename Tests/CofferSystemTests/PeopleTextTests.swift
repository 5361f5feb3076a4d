import CofferSystem
import Foundation
import Testing

@Suite struct PeopleTextTests {
  @Test(arguments: [
    (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1 kB"), (1_499, "1 kB"), (12_345_678, "12.3 MB"),
    (999_999, "1 MB"), (1_150_000, "1.2 MB"), (1_234_567_890, "1.23 GB"), (1_500_000_000_000, "1.5 TB"),
  ])
  func `A size is in the decimal unit that fits`(count: Int, text: String) { #expect(count.byteCountText == text) }

  @Test(arguments: [
    (0, "0 days"), (1, "1 day"), (60, "60 days"), (61, "2 months"), (364, "11 months"), (365, "1 year"),
    (396, "1 year 1 month"), (1_040, "2 years 10 months"), (3_650, "10 years"),
  ])
  func `Many days are years and months`(days: Int, text: String) { #expect(counted(days: days) == text) }

  @Test(arguments: [0, 1_000_000_000.75, 1_793_000_000, -86_400.5])
  func `A date is that of Foundation in the machine's time zone`(seconds: Double) {
    let date = Date(timeIntervalSince1970: seconds)
    let style = Date.ISO8601FormatStyle(timeZone: .current).year().month().day().dateSeparator(.dash)
      .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon)
    #expect(date.localText == date.formatted(style))
  }

  @Test func `A day begins at its first moment, and a day that does not exist has none`() {
    let day = Date(year: 2028, month: 2, day: 29)
    #expect(day?.localText == "2028-02-29 00:00:00")
    for (year, month, day) in [(2027, 2, 29), (2027, 13, 1), (2027, 0, 1), (2027, 4, 31), (.max, 1, 1)] {
      #expect(Date(year: year, month: month, day: day) == nil)
    }
  }

  @Test(arguments: [
    ("É", "e"), ("Straße", "strasse"), ("STRASSE", "strasse"), ("ﬁ", "fi"), ("İ", "i"), ("ς", "σ"), ("ё", "е"),
    ("Ångström", "angstrom"), ("한", "한"), ("が", "が"), ("ẞ", "ss"),
  ])
  func `Folded text has neither case nor diacritics`(text: String, folded: String) {
    #expect(text.folded() == folded && folded.folded() == folded)
  }

  @Test func `Folded text keeps the width of characters unless it is to be ignored`() {
    #expect("Ａ１　ｱ".folded(ignoresWidth: true) == "a1 ア" && "Ａ".folded() == "ａ")
  }

  @Test func `White space is trimmed at both ends`() {
    #expect("\t a b \r\n".trimmedSpace == "a b" && "  ".trimmedSpace.isEmpty && "".trimmedSpace.isEmpty)
  }
}
