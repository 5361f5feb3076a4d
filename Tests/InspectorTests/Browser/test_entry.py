import re

from playwright.sync_api import expect

from inspector import Inspector
from inspector_test_case import InspectorTestCase
from vault_under_test import MAIL


class Entry(InspectorTestCase):
    def test_the_printed_address_opens_the_overview_once(self):
        inspector = Inspector(self.vault.laptop)
        self.addCleanup(inspector.end)
        page = self.open(inspector=inspector)
        self.assertNotIn(inspector.address.split("#")[1], page.url)
        self.assertNotIn(inspector.address.split("#")[1], page.content())
        # The address in the history, or read over a shoulder, opens nothing.
        self.allow("status 40[13] of POST")
        other = self.outside(inspector)
        other.goto(inspector.address)
        expect(other.locator("#entry-status")).not_to_be_empty()
        self.assertNotIn(self.vault.team, other.content())
        self.assertEqual(other.context.cookies(), [])
        # The session that it had opened before still works.
        page.reload()
        self.expect_heading(page, "Overview")

    def test_without_the_token_nothing_is_shown(self):
        self.allow("status 40[13] of GET")
        page = self.outside()
        for path in ["/", f"/groups/{self.vault.group(MAIL)}", "/items", "/apps", "/machines", "/log", "/access",
                     "/conflicts", "/certificates", "/keys", "/sync", "/health", "/import"]:
            page.goto(path)
            text = page.content()
            for secret in (self.vault.team, "com.example", "laptop", "jane"):
                self.assertNotIn(secret, text, path)

    def test_the_page_that_asks_for_the_token_is_accessible(self):
        page = self.outside()
        self.allow("status 40[13] of GET")
        page.goto("/")
        self.expect_looks(page, "entry")

    def test_scripts_of_a_page_cannot_read_the_session(self):
        page = self.open()
        self.assertEqual(page.evaluate("document.cookie"), "")
        self.assertEqual(page.evaluate("[localStorage.length, sessionStorage.length]"), [0, 0])
        cookies = page.context.cookies()
        self.assertEqual(len(cookies), 1)
        self.assertTrue(cookies[0]["httpOnly"])
        self.assertEqual(cookies[0]["sameSite"], "Strict")
        self.assertEqual(cookies[0]["expires"], -1)

    def test_a_site_elsewhere_reads_and_changes_nothing(self):
        page = self.open()
        other = page.context.new_page()
        # Another port of the same host is the same site for cookies.
        import http.server
        import threading

        server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
        server.RequestHandlerClass.log_message = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.allow("^console: |^status 40|^request to ")
        page.context.unroute_all()
        other.goto(f"http://127.0.0.1:{server.server_port}/none")
        origin = self.origin
        answer = other.evaluate(
            "url => fetch(url, {credentials: 'include'}).then(answer => answer.text(), error => error.name)",
            origin + "/items")
        self.assertEqual(answer, "TypeError")
        # A form needs no permission to be sent.
        other.set_content(f'<form method="post" action="{origin}/lock"><button>Lock</button></form>')
        other.get_by_role("button").click()
        expect(other.locator("body")).not_to_be_empty()
        page.reload()
        self.expect_heading(page, "Overview")
        # A page in a frame could be clicked by mistake.
        other.goto(f"http://127.0.0.1:{server.server_port}/none")
        other.set_content(f'<iframe src="{origin}/"></iframe>')
        other.wait_for_load_state("networkidle")
        self.assertNotIn("Overview", "".join(frame.content() for frame in other.frames[1:]))
