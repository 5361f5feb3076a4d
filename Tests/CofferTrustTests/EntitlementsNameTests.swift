import CofferTrust
import Testing

@Suite struct EntitlementsNameTests {
  @Test func `A team identifier is exactly 10 characters of upper-case base32`() {
    #expect(TeamID("ABCDEFGHIJ")?.description == "ABCDEFGHIJ")
    #expect(TeamID("Z234567ABC")?.prefix == "Z234567ABC.")
    for text in ["", "ABCDEFGHI", "ABCDEFGHIJK", "abcdefghij", "ABCDE12345", "ABCDEFGHI8", "ABCDEFGHI.", "ÄBCDEFGHI"] {
      #expect(TeamID(text) == nil, "\(text)")
    }
  }

  @Test func `A bundle identifier is 1 to 200 bytes of dotted labels, none empty, none a wildcard`() {
    let longest = "a." + String(repeating: "b", count: 198)
    for text in ["com.example", "com.example.photo-pro", "1.2", longest] {
      #expect(BundleID(text)?.description == text)
    }
    for text in [
      "", "com", ".com", "com.", "com..example", ".", "com.*", "com.example.*", "com.exa_mple", "com.exa mple",
      "com.example\n", "com.\0example", "com.exämple", "com.e\u{301}xample", longest + "b",
    ] {
      #expect(BundleID(text) == nil, "\(text)")
    }
  }

  @Test func `An application identifier is a team, a full stop and a bundle identifier, and names its group`() throws {
    let application = try #require(ApplicationID("ABCDEFGHIJ.com.example.photo"))
    #expect(application.team == TeamID("ABCDEFGHIJ"))
    #expect(application.bundleID == BundleID("com.example.photo"))
    #expect(application.description == "ABCDEFGHIJ.com.example.photo")
    #expect(application.accessGroup == AccessGroupName("ABCDEFGHIJ.com.example.photo"))
    for text in [
      "", "ABCDEFGHIJ", "ABCDEFGHIJ.", "ABCDEFGHIJ.photo", "ABCDEFGHIJ.*", "ABCDE12345.com.example",
      "com.example.photo",
    ] {
      #expect(ApplicationID(text) == nil, "\(text)")
    }
  }

  @Test func `The longest application identifier is a valid group name`() throws {
    let team = try #require(TeamID("ABCDEFGHIJ"))
    let bundleID = try #require(BundleID("a." + String(repeating: "b", count: 198)))
    let group = ApplicationID(team: team, bundleID: bundleID).accessGroup
    #expect(AccessGroupName(group.description) == group)
  }

  @Test func `A group's name starts with a team identifier or with "group.", and has at most 255 bytes`() {
    #expect(AccessGroupName("ABCDEFGHIJ.shared")?.team == TeamID("ABCDEFGHIJ"))
    #expect(AccessGroupName("group.com.example.suite")?.description == "group.com.example.suite")
    #expect(AccessGroupName("group.com.example.suite")?.team == nil)
    let longest = "group." + String(repeating: "b", count: 249)
    #expect(AccessGroupName(longest) != nil)
    for text in [
      "", "group", "group.", "groups.a", "Group.a", "com.example", "ABCDEFGHIJ", "ABCDEFGHIJ.", "ABCDEFGHIJ..a",
      "ABCDEFGHIJ.a*", "ABCDEFGHIJ.a\n", "ABCDEFGHIJ.\u{301}a", longest + "b",
    ] {
      #expect(AccessGroupName(text) == nil, "\(text)")
    }
  }
}
