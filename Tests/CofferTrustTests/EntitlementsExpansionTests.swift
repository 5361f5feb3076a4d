import CofferTrust
import Testing

@Suite struct EntitlementsExpansionTests {
  @Test(arguments: [
    "$(AppIdentifierPrefix)com.example.photo", "${AppIdentifierPrefix}com.example.photo",
    "$(TeamIdentifierPrefix)com.example.photo", "$(AppIdentifierPrefix)$(CFBundleIdentifier)",
    "${TeamIdentifierPrefix}${PRODUCT_BUNDLE_IDENTIFIER}", "ABCDEFGHIJ.com.example.photo",
  ])
  func `Each variable, in both of its forms, expands as in Xcode`(text: String) throws {
    let read = try entitlements(entitlementsXML(application: text), bundleID: "com.example.photo")
    #expect(read.applicationID.description == "ABCDEFGHIJ.com.example.photo")
  }

  @Test func `A bundle identifier that is written in the plist applies to the groups that need it`() throws {
    let read = try entitlements(
      entitlementsXML(
        application: "$(AppIdentifierPrefix)com.example.photo",
        keychain: ["$(AppIdentifierPrefix)$(CFBundleIdentifier).cache"]))
    #expect(read.defaultGroup.description == "ABCDEFGHIJ.com.example.photo.cache")
  }

  @Test func `A plist without an application identifier uses the given bundle identifier`() throws {
    let read = try entitlements(entitlementsXML(keychain: []), bundleID: "com.example.photo")
    #expect(read.applicationID.description == "ABCDEFGHIJ.com.example.photo")
  }

  @Test func `Without any bundle identifier the error names the option that sets one`() throws {
    let missing = try refusal(entitlementsXML(keychain: ["$(AppIdentifierPrefix)shared"]))
    #expect(missing.code == .missingApplicationIdentifier)
    #expect(missing.key == .applicationIdentifier)
    #expect(missing.recoverySuggestion.contains("--bundle-id"))

    let needed = try refusal(entitlementsXML(application: "$(AppIdentifierPrefix)$(CFBundleIdentifier)"))
    #expect(needed.code == .missingBundleID)
    #expect(needed.recoverySuggestion.contains("--bundle-id"))
  }

  @Test func `A bundle identifier that contradicts the plist is refused`() throws {
    let error = try refusal(
      entitlementsXML(application: "$(AppIdentifierPrefix)com.example.photo"), bundleID: "com.example.mail")
    #expect(error.code == .otherApplication)
    #expect(error.description.contains("com.example.mail"))
  }

  @Test(arguments: ["$(SRCROOT).x", "$(AppIdentifierPrefix:lower)x", "$()x", "${AppIdentifierPrefix", "$(A$(B))"])
  func `An unknown or unclosed variable is refused`(text: String) throws {
    let error = try refusal(entitlementsXML(keychain: [text]), bundleID: "com.example.photo")
    #expect(error.code == .unknownVariable)
    #expect(error.group == text)
  }

  @Test func `The error about an unknown variable names it and the known ones`() throws {
    let error = try refusal(entitlementsXML(keychain: ["$(DEVELOPMENT_TEAM).x"]), bundleID: "com.example.photo")
    #expect(error.what.contains("DEVELOPMENT_TEAM"))
    #expect(error.recoverySuggestion.contains("$(AppIdentifierPrefix)"))
  }

  @Test func `A source prefix is read as the team's prefix, in every key`() throws {
    let read = try entitlements(
      entitlementsXML(
        application: "ABCDE12345.com.example.photo", keychain: ["ABCDE12345.shared"],
        applicationGroups: ["ABCDE12345.suite", "group.com.example"], readOnly: ["ABCDE12345.purchases"]),
      sourcePrefix: "ABCDE12345")
    #expect(
      read.groups.map(\.name.description) == [
        "ABCDEFGHIJ.shared", "ABCDEFGHIJ.com.example.photo", "ABCDEFGHIJ.suite", "group.com.example",
        "ABCDEFGHIJ.purchases",
      ])
  }

  @Test(arguments: ["", "ABCDE1234", "abcde12345", "ABCDE12345.", "*"])
  func `An invalid source prefix is refused`(prefix: String) throws {
    let error = try refusal(entitlementsXML(), bundleID: "com.example.photo", sourcePrefix: prefix)
    #expect(error.code == .invalidName)
    #expect(error.recoverySuggestion.contains("--source-prefix"))
  }

  @Test func `Another team's prefix is refused with plist, key, group, expected prefix and both suggestions`() throws {
    let error = try refusal(entitlementsXML(keychain: ["ABCDE12345.com.example.shared"]), bundleID: "com.example.photo")
    #expect(error.code == .foreignPrefix)
    #expect(
      error.description == """
        App.entitlements: keychain-access-groups: "ABCDE12345.com.example.shared" has the prefix ABCDE12345. of \
        another team; this vault's is ABCDEFGHIJ.; write "$(AppIdentifierPrefix)com.example.shared", or register it with \
        --source-prefix ABCDE12345
        """)
  }

  @Test func `Another team's prefix is refused next to a source prefix too`() throws {
    let error = try refusal(
      entitlementsXML(application: "ABCDE12345.com.example.photo", readOnly: ["ZZZZZ99999.shared"]),
      sourcePrefix: "ABCDE12345")
    #expect(error.code == .foreignPrefix)
    #expect(error.key == .readOnlyAccessGroups)
  }

  @Test(arguments: ["com.example.shared", "$(CFBundleIdentifier)", "ABCDEFGHIJx.shared", "abcdefghij.shared"])
  func `A name without a team prefix is refused`(text: String) throws {
    let error = try refusal(entitlementsXML(keychain: [text]), bundleID: "com.example.photo")
    #expect(error.code == .missingPrefix)
    #expect(error.recoverySuggestion == "write \"$(AppIdentifierPrefix)\(text)\"")
  }

  @Test func `A group without a team is allowed among the application groups only`() throws {
    let read = try entitlements(
      entitlementsXML(applicationGroups: ["group.com.example"]), bundleID: "com.example.photo")
    #expect(read.groups.map(\.name.description) == ["ABCDEFGHIJ.com.example.photo", "group.com.example"])
    for xml in [entitlementsXML(keychain: ["group.com.example"]), entitlementsXML(readOnly: ["group.com.example"])] {
      let error = try refusal(xml, bundleID: "com.example.photo")
      #expect(error.code == .invalidName)
      #expect(error.recoverySuggestion.contains("com.apple.security.application-groups"))
    }
    #expect(try refusal(entitlementsXML(application: "group.com.example")).code == .missingPrefix)
  }

  @Test(arguments: [
    "*", "$(AppIdentifierPrefix)*", "$(AppIdentifierPrefix)com.*.a", "ABCDE12345.*", "group.*",
    "$(AppIdentifierPrefix)a*\u{301}",
  ])
  func `A wildcard is refused in every key`(text: String) throws {
    for xml in [
      entitlementsXML(application: text), entitlementsXML(keychain: [text]),
      entitlementsXML(applicationGroups: [text]), entitlementsXML(readOnly: [text]),
    ] {
      let error = try refusal(xml, bundleID: "com.example.photo")
      #expect(error.code == .wildcard)
      #expect(error.group == text)
      #expect(error.key != nil)
    }
  }

  @Test(arguments: [
    "", "$(AppIdentifierPrefix)", "$(AppIdentifierPrefix).a", "$(AppIdentifierPrefix)a b", "$(AppIdentifierPrefix)a_b",
    "$(AppIdentifierPrefix)a&#10;b", "$(AppIdentifierPrefix)a&#1;b", "$(AppIdentifierPrefix)a&#x1b;[2J", "$x",
    "$(AppIdentifierPrefix)ä", " $(AppIdentifierPrefix)a",
    "$(AppIdentifierPrefix)\(String(repeating: "a", count: 245))",
  ])
  func `An empty name, an invalid character and a too long name are refused, on one line`(text: String) throws {
    for xml in [entitlementsXML(application: text), entitlementsXML(applicationGroups: [text])] {
      let error = try refusal(xml, bundleID: "com.example.photo")
      #expect(error.code == .invalidName)
      #expect(!error.description.unicodeScalars.contains { $0.properties.generalCategory == .control })
    }
  }

  @Test func `A group listed twice is refused, under one key or two, in whatever form`() throws {
    let shared = ["$(AppIdentifierPrefix)shared"]
    let literal = ["ABCDEFGHIJ.shared"]
    for xml in [
      entitlementsXML(keychain: shared + literal), entitlementsXML(applicationGroups: shared + shared),
      entitlementsXML(readOnly: shared + literal), entitlementsXML(keychain: shared, applicationGroups: literal),
      entitlementsXML(keychain: shared, readOnly: literal),
      entitlementsXML(applicationGroups: shared, readOnly: literal),
    ] {
      let error = try refusal(xml, bundleID: "com.example.photo")
      #expect(error.code == .duplicateGroup)
      #expect(error.description.contains("ABCDEFGHIJ.shared"))
    }
  }

  @Test func `The app's own group may be listed once among the keychain groups, and in no other list`() throws {
    let own = ["$(AppIdentifierPrefix)com.example.photo"]
    let read = try entitlements(entitlementsXML(keychain: own), bundleID: "com.example.photo")
    #expect(read.groups.map(\.name.description) == ["ABCDEFGHIJ.com.example.photo"])
    for xml in [
      entitlementsXML(keychain: own + own), entitlementsXML(applicationGroups: own), entitlementsXML(readOnly: own),
    ] {
      #expect(try refusal(xml, bundleID: "com.example.photo").code == .duplicateGroup)
    }
  }
}
