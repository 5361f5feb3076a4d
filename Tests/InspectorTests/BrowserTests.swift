import CofferTestSupport
import Testing

/// The pages of the inspector in a real browser. The tests in Python share a vault, an inspector and a browser.
@Suite struct BrowserTests {
  /// The tests of the ordinary run: a fast one for each area. Revocation and long names, which have large vaults of
  /// their own, and the pictures of the documentation are left to the full run.
  private static let ordinaryNames = [
    "test_access.Access.test_an_app_without_the_right_is_told_where_access_ends",
    "test_creation.Creation.test_what_was_typed_is_kept_if_the_names_are_taken",
    "test_entry.Entry.test_the_printed_address_opens_the_overview_once",
    "test_health.Health.test_the_page_lists_equal_passwords_and_leads_to_their_items",
    "test_hostile_names.HostileNames.test_lists_show_hostile_names_as_text",
    "test_item.Item.test_a_value_is_shown_on_request_and_hidden_again",
    "test_keyboard.Keyboard.test_an_item_is_found_from_any_page_shown_and_edited_by_keys",
    "test_lists.Lists.test_a_search_answers_while_a_person_types",
    "test_locking.Locking.test_the_page_leaves_when_the_vault_is_locked_and_returns_when_it_is_unlocked",
    "test_pages.Pages.test_overview",
    "test_passphrase.Passphrase.test_the_passphrase_is_changed_and_unlocks_the_vault",
    "test_sync.Sync.test_a_sync_shows_its_progress_and_result",
    "test_without_javascript.WithoutJavaScript.test_an_item_is_edited_moved_deleted_and_restored",
  ]

  @Test func `The pages pass in a real browser`() throws {
    let run = PythonTestRun(folder: "Tests/InspectorTests/Browser", packages: "browser")
    #expect(run.names.count > 40)
    try #require(Set(Self.ordinaryNames).isSubset(of: run.names))
    // One test waits for all of them: tests that wait for the same run would keep others from running beside it.
    let names = TestRun.isFull ? run.names : Self.ordinaryNames
    let results = try run.results(of: names)
    #expect(results.keys.sorted() == names.sorted())
    for result in results.values { #expect(result.passed, "\(result.name): \(result.message)") }
  }
}
