import CofferCrypto
import NIOCore
import Testing

@testable import CofferInspectProgram

@Suite struct InspectorFormTests {
  @Test func `A secret of several lines has the line ends of texts, and nothing else is changed`() throws {
    let form = try #require(InspectorForm(ByteBuffer(string: "value=%0D%0Aone%0D%0Atwo%0Dthree%0A%0D%0D%0A")))
    let secret = try #require(form.secret("value", hasUnixLines: true))
    #expect(unsafe secret.withBytes { unsafe String(decoding: $0, as: UTF8.self) } == "\none\ntwo\rthree\n\r\n")
    #expect(form.secret("value")?.count == 20)
  }

  private func parse(_ text: String) -> InspectorForm? { InspectorForm(ByteBuffer(string: text)) }

  @Test func `Fields are decoded, and the first of a name counts`() throws {
    let form = try #require(parse("a=1+2%2B&b=&c&=d&a=3&%61%3D=%F0%9F%94%91&e=x=y%26"))
    #expect(form["a"] == "1 2+" && form.all("a") == ["1 2+", "3"])
    #expect(form["b"] == "" && form["c"] == "" && form[""] == "d" && form["none"] == nil)
    #expect(form["a="] == "\u{1F511}" && form["e"] == "x=y&")
  }

  @Test func `A value of any bytes is read as bytes, and as text only if it is UTF-8`() throws {
    let form = try #require(parse("a=%00%FF%fe"))
    #expect(form.bytes("a") == [0, 0xFF, 0xFE] && form["a"] == nil && form.all("a") == [])
  }

  @Test func `A secret has the bytes of its field, and no other`() throws {
    let form = try #require(parse("x=1&passphrase=%C3%A9+%25&y=2"))
    let secret = try #require(form.secret("passphrase"))
    let bytes = unsafe secret.withBytes { unsafe Array($0) }
    #expect(bytes == Array("é %".utf8))
    #expect(form.secret("none") == nil && form.secret("x")?.count == 1)
  }

  @Test(arguments: ["%", "a=%", "a=%4", "a=%G0", "a=%0G", "%=b", "a=b&%zz=c", "%FF=a"])
  func `A wrong encoding is no form`(text: String) { #expect(parse(text) == nil) }

  private func parts(_ text: String) -> InspectorForm? {
    InspectorForm(ByteBuffer(string: text.replacing("\n", with: "\r\n")), boundary: "b")
  }

  @Test func `The parts of a form with files are its fields, byte for byte, and the name of a file is one more`() throws
  {
    let form = try #require(
      parts(
        """
        --b
        Content-Disposition: form-data; name="a"

        1+2%2B
        --b
        Content-Disposition: form-data; name="file"; filename="x y.png"
        Content-Type: image/png

        one
        two
        --b
        Content-Disposition: form-data; name="none"; filename=""


        --b--

        """))
    #expect(form["a"] == "1+2%2B" && form["file-name"] == "x y.png" && form["none"] == "" && form["none-name"] == "")
    #expect(form["file"] == "one\r\ntwo")
    #expect(form.filledSecret("none") == nil && form.secret("a")?.count == 6)
  }

  @Test(arguments: [
    "", "--b", "--b\n", "--c\nContent-Disposition: form-data; name=\"a\"\n\n1\n--c--",
    "--b\nContent-Disposition: form-data\n\n1\n--b--", "--b\nContent-Disposition: form-data; name=\"a\n\n1\n--b--",
    "--b\nContent-Disposition: form-data; name=\"a\"\n\n1", "--b\nContent-Disposition: form-data; name=\"a\"\n\n1\n--b",
  ])
  func `A part without a name, and one without an end, are no form`(text: String) { #expect(parts(text) == nil) }

  @Test func `Too many fields are no form`() {
    #expect(parse(String(repeating: "a&", count: 256)) != nil)
    #expect(parse(String(repeating: "a&", count: 257)) == nil)
  }

  @Test func `A wiped form is wiped in all copies of its buffer`() throws {
    let buffer = ByteBuffer(string: "passphrase=horse")
    let form = try #require(InspectorForm(buffer))
    form.wipe()
    #expect(buffer.readableBytesView.allSatisfy { $0 == 0 })
  }
}
