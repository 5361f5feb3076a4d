import CofferImport
import CofferSystem
import Foundation
import Testing

@Suite struct CSVSourceTests {
  @Test func `Columns of the same meaning are both kept, and so is a date in another form`() throws {
    let lines = try ReadLines.read(
      "name,username,password,note,notes,created\nSite,jane,p,first,second,1 May\nOther,joe,p,first,,\n"
    ) { CSVSource($0) }
    #expect(lines["jane:notes"]?.value == "first" && lines["joe:notes"]?.value == "first")
    let fields = lines.details("jane:details")?["fields"]?.elements ?? []
    #expect(fields.map { $0["name"]?.text } == ["notes", "Created"])
    #expect(fields.map { $0["value"]?.text } == ["second", "1 May"])
    #expect(lines["joe:details"] == nil)
  }

  @Test func `A value that is too large is named, and the other parts are read`() throws {
    let large = String(repeating: "x", count: (16 << 20) + 1)
    let lines = try ReadLines.read("name,username,password,note\nSite,jane,\(large),n\n") { CSVSource($0) }
    #expect(lines.items.map(\.value) == ["n"])
    #expect(lines.skipped.map(\.name) == ["Site"])
    #expect(lines.skipped.map(\.skipped) == ["its value has more than 16 MiB"])
  }

  private func read(_ text: String) throws -> ReadLines { try ReadLines.read(text) { CSVSource($0) } }

  @Test func `Every column of Chrome becomes a part of an item`() throws {
    let lines = try read(
      "name,url,username,password,note\r\nSite,https://a.example:8443/login,jane,\"p\"\"a,\r\nb\",remember\r\n")
    #expect(lines.items.count == 2 && lines.skipped.isEmpty)
    let login = try #require(lines["jane"])
    #expect(login.itemClass == "internet-password" && login.value == "p\"a,\r\nb")
    #expect(login.text("srvr") == "a.example" && login.text("ptcl") == "htps" && login.text("path") == "/login")
    #expect(login.attributes?["port"] == .number(8443) && login.text("labl") == "Site")
    #expect(lines["jane:notes"]?.value == "remember" && lines["jane:notes"]?.text("svce") == "a.example:notes")
  }

  @Test func `Every column of Firefox is kept`() throws {
    let lines = try read(
      """
      "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"
      "https://a.example","jane","s","realm","https://b.example","{g-1}","1577934245000","1577934246000","1577934247000"
      """)
    let login = try #require(lines["jane"])
    #expect(login.origin?.entry == "{g-1}" && login.origin?.created == "2020-01-02T03:04:05Z")
    #expect(login.origin?.modified == "2020-01-02T03:04:07Z")
    let fields = try #require(lines.details("jane:details")?["fields"]?.elements)
    #expect(fields.map { $0["name"]?.text } == ["httpRealm", "formActionOrigin", "timeLastUsed"])
    #expect(fields.map { $0["value"]?.text } == ["realm", "https://b.example", "1577934246000"])
  }

  @Test func `Every column of Apple Passwords and of KeePassXC is kept`() throws {
    let apple = try read(
      "Title,URL,Username,Password,Notes,OTPAuth\nA,https://a.example/,j,p,n,otpauth://totp/a?secret=AA\n")
    #expect(apple.items.map(\.shownValue) == ["p", "n", "otpauth://totp/a?secret=AA"])
    let keePass = try read(
      """
      "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
      "Root/Mail","A","j","p","","","otpauth://totp/a?secret=AA","7","2020-01-02T03:04:06Z","2020-01-02T03:04:05Z"
      """)
    let login = try #require(keePass["j"])
    #expect(login.itemClass == "generic-password" && login.text("svce") == "A" && login.folder == "Root/Mail")
    #expect(login.origin?.created == "2020-01-02T03:04:05Z" && login.origin?.modified == "2020-01-02T03:04:06Z")
    #expect(keePass["j:otp"]?.value == "otpauth://totp/a?secret=AA")
    #expect(keePass.details("j:details")?["fields"]?.elements.first?["value"]?.text == "7")
  }

  @Test func `Passwords that are no text, with NUL, or of 1 MB are kept byte for byte`() throws {
    let odd: [UInt8] = [0xff, 0xfe, 0, 65]
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    var bytes = Array("name,url,username,password\n".utf8)
    bytes += Array("A,,a,".utf8) + odd + [10] + Array("B,,b,".utf8) + long + [10]
    let lines = try ReadLines.read(CSVSource(.bytes(bytes)))
    #expect(lines["a"]?.bytes == odd && lines["a"]?.value == nil)
    #expect(lines["b"]?.bytes == long)
  }

  @Test func `A row with other fields or with a name that is no text is skipped with its line`() throws {
    let bytes = Array("name,url,username,password\n1,2\n\"a\nb\",,j,p\n".utf8) + [0xff] + Array(",,x,y\n".utf8)
    let lines = try ReadLines.read(CSVSource(.bytes(bytes)))
    #expect(lines.items.count == 1 && lines.items[0].text("svce") == "a\nb")
    #expect(lines.skipped.map(\.name) == ["line 2", "line 5"])
  }

  @Test func `The cause is named for another separator and for UTF-16, with and without its mark`() {
    #expect(refusal("url;username;password\na;b;c\n") { CSVSource($0) }.contains("separated by semicolons"))
    #expect(refusal("\"url\"\t\"password\"\na\tb\n") { CSVSource($0) }.contains("separated by tabs"))
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
      for mark in ["\u{FEFF}", ""] {
        let bytes = [UInt8]("\(mark)url,username,password\na,b,c\n".data(using: encoding) ?? Data())
        #expect(refusal(bytes) { CSVSource($0) }.contains("in UTF-16; convert it with: iconv"), "\(encoding) \(mark)")
      }
    }
    let text = [UInt8]("\u{FEFF}<KeePassFile/>".data(using: .utf16LittleEndian) ?? Data())
    #expect(refusal(text) { KeePassXMLSource($0) }.contains("in UTF-16"))
    #expect(refusal(text) { BitwardenSource($0) { [] } }.contains("in UTF-16"))
  }

  @Test func `A seed alone in a column of codes becomes their address`() throws {
    let lines = try read("name,username,password,totp\nMail,jane,p,jbsw y3dp\nOther,joe,p,steam://x\n")
    #expect(lines["jane:otp"]?.value == "otpauth://totp/Mail?secret=jbswy3dp")
    #expect(lines["joe:otp"]?.value == "steam://x")
  }

  @Test func `A file without the names of columns, or with quotes that do not end, is refused`() {
    #expect(refusal("a,b\n1,2\n") { CSVSource($0) }.contains("name,url,username,password,note"))
    #expect(refusal("name,password\na,\"b") { CSVSource($0) }.contains("line 2"))
    #expect(refusal("name,password" + String(repeating: ",x", count: 300)) { CSVSource($0) }.contains("256"))
  }
}
